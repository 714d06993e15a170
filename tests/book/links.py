"""Links from the book's own pages to figures, checked without a browser."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from lnviz.book import find_figure, find_page
from lnviz.explorable import slug
from tests.lessons.running import built

LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Link:
    """A relative link to a figure of a page, or of its presentation view."""

    slug: str
    query: tuple[tuple[str, str], ...]
    figure: str


def links(text: str) -> list[Link]:
    """Links to figures in Markdown."""
    found = [urlsplit(target) for target in LINK.findall(text)]
    return [
        Link(
            url.path.removeprefix("present/"),
            tuple(parse_qsl(url.query)),
            url.fragment.removeprefix("figure-"),
        )
        for url in found
        if not url.scheme and url.fragment.startswith("figure-")
    ]


def broken(link: Link) -> list[str]:
    """What of a link is not there: its page, its figure, a control, or a value."""
    if find_page(link.slug) is None:
        return [f"no page {link.slug}"]
    figure = find_figure(link.slug, link.figure)
    if figure is None:
        return [f"{link.slug} has no figure {link.figure}"]
    names = {parameter.name for parameter in figure.parameters}
    given = tuple((name, value) for name, value in link.query if name in names)
    shown = built(link.slug, link.figure, *given)
    controls = {slug(each.url_name or each.name): each.payload() for each in shown.controls}
    hidden = [name for key, value in link.query if key == "hide" for name in value.split(",")]
    return [
        f"{link.slug}#{link.figure} has no {name} to hide"
        for name in hidden
        if name not in names | set(controls)
    ] + [
        f"{link.slug}#{link.figure} has no {name}={value}"
        for name, value in link.query
        if name not in names | {"hide"}
        if not (name in controls and value in _values(controls[name]))
    ]


def _values(control: dict[str, object]) -> set[str]:
    """The values that a control can have in an address."""
    if control["kind"] == "pointer":
        rows, columns = len(control["rows"]), len(control["columns"])  # type: ignore[arg-type]
        return {f"{row + 1}.{column + 1}" for row in range(rows) for column in range(columns)}
    return {f"{value:g}" if isinstance(value, float) else str(value) for value in control["values"]}  # type: ignore[attr-defined]
