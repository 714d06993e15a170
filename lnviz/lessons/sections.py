"""What shows of a part that is deeper while it is closed, as HTML that `folds.js` opens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from lnviz.lessons import prose, url_state
from lnviz.lessons.exercises import Asked
from lnviz.lessons.lesson import Figure, Part
from lnviz.lessons.tables import Table
from lnviz.lessons.text import Deeper, anchor


def html(
    slug: str,
    deeper: Deeper[Part],
    picture: str = "",
    inside: str = "",
) -> str:
    """Return a part that is deeper as HTML: a row, and what opens below it.

    Args:
        slug: the lesson's.
        deeper: to be written.
        picture: the address of its small picture; "" where there is none.
        inside: the HTML of what opens; "" where the page shows it below the row by itself.
    """
    holds = " ".join(_anchors(deeper))
    figures = [part for part in deeper.parts if isinstance(part, Figure)]
    named = json.dumps({f.name: url_state.names(slug, f) for f in figures}, separators=(",", ":"))
    image = f'<img src="{escape(picture)}" alt="" loading="lazy">\n' if picture else ""
    data = f'data-holds="{escape(holds)}" data-figures="{escape(named)}"'
    return f"""<details class="ln-deeper" {data}>
<summary>
{image}<h3 id="{anchor(deeper.title)}">{prose.inline(deeper.title, str)}</h3>
<span class="finding">{prose.inline(deeper.finding, str)}</span>
<span class="minutes">{in_minutes(deeper.minutes)}</span>
</summary>
{inside}</details>"""


def in_minutes(count: int) -> str:
    """Say how many minutes these are."""
    return f"{count} minute" if count == 1 else f"{count} minutes"


def _anchors(deeper: Deeper[Part]) -> Iterator[str]:
    """The names by which links lead to the part, and to what is in it."""
    yield anchor(deeper.title)
    for part in deeper.parts:
        if isinstance(part, Figure):
            yield f"figure-{part.name}"
        elif isinstance(part, Asked):
            yield f"ask-{part.name}"
        elif isinstance(part, Table):
            yield f"table-{part.name}"
        elif isinstance(part, str):
            yield from prose.anchors(part)
