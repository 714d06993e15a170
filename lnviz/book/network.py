"""A map of a whole network with its norms: where each lesson is, as HTML that links there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from lnviz.book.learning_paths import Link, lines
from lnviz.lessons import LESSONS, Lesson

Point = tuple[float, float]
LENGTH, DEPTH = 1000.0, 260.0
"""Along the network and across it; on a phone it runs from the top down."""


@dataclass(frozen=True)
class Place:
    """A part of the network.

    Attributes:
        part: What it is, in a word or two.
        at: Where its middle lies, along and across.
        slug: The lesson about it; "" for a part that only belongs to the picture.
    """

    part: str
    at: Point
    slug: str = ""


@dataclass(frozen=True)
class Line:
    """A line of the picture.

    Attributes:
        corners: Its corners, along and across.
        kind: How it looks: `road`, `way`, `frame` or `inside`.
        head: Whether it ends in an arrow.
    """

    corners: tuple[Point, ...]
    kind: str = "way"
    head: bool = False


IN, LAYERS, ROAD, BRANCH, NORM = 75.0, 32.0, 95.0, 160.0, 226.0
"""Where inputs stand, along; then, across, the frame's upper edge, the sum, its branch, a norm."""

PLACES = (
    Place("pictures", (IN, 30), "images"),
    Place("a table", (IN, ROAD), "axes"),
    Place("the batch", (IN, 160), "batch"),
    Place("many layers", (390, LAYERS), "why"),
    Place("many steps", (600, LAYERS), "recurrence"),
    Place("running sum", (255, ROAD), "placement"),
    Place("norm", (345, BRANCH)),
    Place("sublayer", (470, BRANCH)),
    Place("− mean", (215, NORM), "rmsnorm"),
    Place("÷ spread", (315, NORM), "invariance"),
    Place("× gain + bias", (430, NORM), "gain-bias"),
    Place("or tanh", (540, NORM), "successors"),
    Place("its cost", (640, NORM), "cost"),
    Place("final norm", (800, ROAD), "inside"),
    Place("words", (925, ROAD)),
    Place("a step", (800, BRANCH), "geometry"),
    Place("the paper", (800, NORM), "results"),
    Place("your own", (925, NORM), "lab"),
)
LINES = (
    Line(((175, LAYERS), (705, LAYERS), (705, 250), (175, 250), (175, LAYERS)), "frame"),
    Line(((IN, 30), (IN, 160)), "inside"),
    Line(((IN, ROAD), (890, ROAD)), "road", head=True),
    Line(((345, ROAD), (345, BRANCH), (590, BRANCH), (590, ROAD + 9)), head=True),
    Line(((345, BRANCH), (190, NORM)), "inside"),
    Line(((345, BRANCH), (470, NORM)), "inside"),
    Line(((925, ROAD), (925, BRANCH), (712, BRANCH)), head=True),
    Line(((925, BRANCH), (925, NORM), (800, NORM)), "inside"),
)
ARROW = 8.0


def whole(link: Link) -> str:
    """Return the map, each of whose places links to its lesson.

    Args:
        link: turns an address into what leads there from where the page stands.
    """
    return _map(link, None)


def at(lesson: Lesson, link: Link) -> str:
    """Return a small map with a lesson's place lit, which opens the whole one.

    Args:
        lesson: the lesson; of one that is not on the map there is none.
        link: turns an address into what leads there from where the page stands.
    """
    here = next((place for place in PLACES if place.slug == lesson.slug), None)
    if here is None:
        return ""
    dots = lines(
        f'<i style="{_style(place)}"{_lit(place, lesson)}></i>' for place in PLACES if place.slug
    )
    return f"""<div class="ln-here">
<button type="button" popovertarget="ln-map" aria-label="Map of the network. Here: {here.part}">
<span class="ln-network small">
{_picture()}
{dots}
</span>
</button>
<div id="ln-map" popover>
{_map(link, lesson)}
</div>
</div>"""


def _map(link: Link, here: Lesson | None) -> str:
    known = {lesson.slug: lesson for lesson in LESSONS}
    places = (
        _place(place, known.get(place.slug), link, here)
        for place in PLACES
        if not place.slug or place.slug in known
    )
    return f"""<nav class="ln-network" aria-label="A network and its norms">
{_picture()}
<ul>
{lines(places)}
</ul>
</nav>"""


def _place(place: Place, lesson: Lesson | None, link: Link, here: Lesson | None) -> str:
    style = _style(place)
    if lesson is None:
        return f'<li style="{style}"><span>{escape(place.part)}</span></li>'
    return (
        f'<li style="{style}"><a data-lesson="{lesson.slug}" href="{escape(link(lesson.slug))}"'
        f"{_lit(place, here)}>{escape(place.part)}"
        f"<span>: {escape(lesson.title)}</span></a></li>"
    )


def _lit(place: Place, here: Lesson | None) -> str:
    return ' aria-current="page"' if here and place.slug == here.slug else ""


def _style(place: Place) -> str:
    along, across = place.at
    return f"--along: {along / LENGTH:.4g}; --across: {across / DEPTH:.4g}"


def _picture() -> str:
    """The lines, once for each direction that the network may run in."""
    return lines(
        (
            _svg("onward", lambda point: point, (LENGTH, DEPTH)),
            _svg("down", lambda point: (point[1] * 2.2, point[0]), (DEPTH * 2.2, LENGTH)),
        )
    )


def _svg(name: str, turned: Callable[[Point], Point], size: Point) -> str:
    drawn = lines(shape for line in LINES for shape in _line(line, turned))
    width, height = size
    return (
        f'<svg class="{name}" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" '
        f'aria-hidden="true">\n{drawn}\n</svg>'
    )


def _line(line: Line, turned: Callable[[Point], Point]) -> Iterator[str]:
    corners = [turned(corner) for corner in line.corners]
    yield f'<polyline class="{line.kind}" points="{_points(corners)}"/>'
    if line.head:
        (ax, ay), (x, y) = corners[-2:]
        length = abs(x - ax) + abs(y - ay)  # lines run along or across
        dx, dy = ARROW * (x - ax) / length, ARROW * (y - ay) / length
        sides = [(x - dx - dy, y - dy - dx), (x, y), (x - dx + dy, y - dy + dx)]
        yield f'<polygon points="{_points(sides)}"/>'


def _points(points: list[Point]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
