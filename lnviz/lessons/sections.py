"""Optional sections as collapsible HTML, which `folds.js` opens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from lnviz.lessons import prose, url_state
from lnviz.lessons.exercises import Exercise
from lnviz.lessons.lesson import FigureSpec, PageItem
from lnviz.lessons.tables import ComparisonTable
from lnviz.lessons.text import OptionalSection


def section_html(
    slug: str,
    deeper: OptionalSection[PageItem],
    picture: str = "",
    inside: str = "",
) -> str:
    """Return an optional section as HTML: a summary row and the content below it.

    Args:
        slug: the slug of the lesson.
        deeper: the section.
        picture: the URL of its thumbnail; "" for none.
        inside: the HTML of the content; "" if the page renders it separately.
    """
    holds = " ".join(_anchors(deeper))
    figures = [part for part in deeper.parts if isinstance(part, FigureSpec)]
    named = json.dumps(
        {f.name: url_state.url_names(slug, f) for f in figures}, separators=(",", ":")
    )
    image = f'<img src="{escape(picture)}" alt="" loading="lazy">\n' if picture else ""
    data = f'data-holds="{escape(holds)}" data-figures="{escape(named)}"'
    return f"""<details class="ln-deeper" {data}>
<summary>
{image}<h3 id="{deeper.name}">{prose.inline(deeper.title, str)}</h3>
<span class="finding">{prose.inline(deeper.finding, str)}</span>
<span class="minutes">{format_minutes(deeper.minutes)}</span>
</summary>
{inside}</details>"""


def format_minutes(count: int) -> str:
    """Return a reading time as text, such as "1 minute" or "5 minutes"."""
    return f"{count} minute" if count == 1 else f"{count} minutes"


def _anchors(deeper: OptionalSection[PageItem]) -> Iterator[str]:
    """Yield the HTML ids of an optional section and of the elements in it that can be linked to."""
    yield deeper.name
    for part in deeper.parts:
        if isinstance(part, FigureSpec):
            yield f"figure-{part.name}"
        elif isinstance(part, Exercise):
            yield f"ask-{part.name}"
        elif isinstance(part, ComparisonTable):
            yield f"table-{part.name}"
        elif isinstance(part, str):
            yield from prose.anchors(part)
