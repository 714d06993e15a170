"""A clickable map of a neural network and its norms, which links to the lessons, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from lnviz.book.learning_paths import Link, join_lines
from lnviz.lessons import LESSONS, Lesson

Point = tuple[float, float]
LENGTH, DEPTH = 1000.0, 260.0
"""Size of the map along and across the network; on a phone the network runs downwards."""


@dataclass(frozen=True)
class MapNode:
    """A labeled node on the map of the network, such as a norm.

    Attributes:
        label: Its label, one or two words.
        position: Its center, along and across the network.
        slug: The slug of its lesson; "" for a node without a lesson.
        down: Its center along the network where the map runs downwards, if boxes beside each other
            would overlap there.
    """

    label: str
    position: Point
    slug: str = ""
    down: float | None = None


@dataclass(frozen=True)
class MapLine:
    """A polyline that connects nodes on the map of the network.

    Attributes:
        points: Its vertices, along and across the network.
        kind: Its CSS class: `road`, `way`, `frame` or `inside`.
        has_arrow: Whether it ends with an arrowhead.
    """

    points: tuple[Point, ...]
    kind: str = "way"
    has_arrow: bool = False


IN, LAYERS, ROAD, BRANCH, NORM = 75.0, 32.0, 95.0, 160.0, 226.0
"""Position of the inputs along the network; positions of the frame's upper edge, the residual
stream, its branch, and the norm's steps across it."""

NODES = (
    MapNode("images", (IN, 30), "images", down=44),
    MapNode("which mean?", (IN, ROAD), "axes", down=108),
    MapNode("batch", (IN, 160), "batch", down=44),
    MapNode("many layers", (390, LAYERS), "why"),
    MapNode("recurrence", (600, LAYERS), "recurrence"),
    MapNode("running sum", (255, ROAD), "placement"),
    MapNode("norm", (345, BRANCH)),
    MapNode("sublayer", (470, BRANCH), down=500),
    MapNode("− mean", (215, NORM), "rmsnorm"),
    MapNode("÷ spread", (315, NORM), "invariance"),
    MapNode("× gain + bias", (430, NORM), "gain-bias"),
    MapNode("DyT", (540, NORM), "successors"),
    MapNode("cost", (640, NORM), "cost"),
    MapNode("final norm", (800, ROAD), "inside", down=768),
    MapNode("logits", (925, ROAD)),
    MapNode("optimizer step", (800, BRANCH), "geometry", down=836),
    MapNode("the paper", (800, NORM), "results", down=768),
    MapNode("train your own", (925, NORM), "lab"),
)
LINES = (
    MapLine(((175, LAYERS), (705, LAYERS), (705, 250), (175, 250), (175, LAYERS)), "frame"),
    MapLine(((IN, 30), (IN, 160)), "inside"),
    MapLine(((IN, ROAD), (890, ROAD)), "road", has_arrow=True),
    MapLine(((345, ROAD), (345, BRANCH), (590, BRANCH), (590, ROAD + 9)), has_arrow=True),
    MapLine(((345, BRANCH), (190, NORM)), "inside"),
    MapLine(((345, BRANCH), (470, NORM)), "inside"),
    MapLine(((925, ROAD), (925, BRANCH), (712, BRANCH)), has_arrow=True),
    MapLine(((925, BRANCH), (925, NORM), (800, NORM)), "inside"),
)
ARROW_SIZE = 8.0


def full_map(link: Link) -> str:
    """Return the network map as HTML, with a link from each node to its lesson.

    Args:
        link: Returns the `href` for a relative URL of the book.
    """
    return _map(link, None)


def mini_map(lesson: Lesson, link: Link) -> str:
    """Return a small network map as HTML with a lesson's node highlighted; it opens the full map.

    Args:
        lesson: The lesson; the result is "" if it is not on the map.
        link: Returns the `href` for a relative URL of the book.
    """
    current = next((node for node in NODES if node.slug == lesson.slug), None)
    if current is None:
        return ""
    dots = join_lines(
        f'<i style="{_style(node)}"{_current_attribute(node, lesson)}></i>'
        for node in NODES
        if node.slug
    )
    return f"""<div class="ln-here">
<button type="button" popovertarget="ln-map" aria-label="Map of the network. Here: {current.label}">
<span class="ln-network small">
{_drawing()}
{dots}
</span>
</button>
<div id="ln-map" popover>
{_map(link, lesson)}
</div>
</div>"""


def _map(link: Link, current: Lesson | None) -> str:
    by_slug = {lesson.slug: lesson for lesson in LESSONS}
    places = (
        _node_item(node, by_slug.get(node.slug), link, current)
        for node in NODES
        if not node.slug or node.slug in by_slug
    )
    return f"""<nav class="ln-network" aria-label="A network and its norms">
{_drawing()}
<ul>
{join_lines(places)}
</ul>
</nav>"""


def _node_item(node: MapNode, lesson: Lesson | None, link: Link, current: Lesson | None) -> str:
    style = _style(node)
    if lesson is None:
        return f'<li style="{style}"><span>{escape(node.label)}</span></li>'
    return (
        f'<li style="{style}"><a data-lesson="{lesson.slug}" href="{escape(link(lesson.slug))}"'
        f"{_current_attribute(node, current)}>{escape(node.label)}"
        f"<span>: {escape(lesson.title)}</span></a></li>"
    )


def _current_attribute(node: MapNode, current: Lesson | None) -> str:
    return ' aria-current="page"' if current and node.slug == current.slug else ""


def _style(node: MapNode) -> str:
    along, across = node.position
    down = "" if node.down is None else f"; --down: {node.down / LENGTH:.4g}"
    return f"--along: {along / LENGTH:.4g}; --across: {across / DEPTH:.4g}{down}"


def _drawing() -> str:
    """Return the lines of the network map as two SVGs: one left to right, one top to bottom."""
    return join_lines(
        (
            _svg("onward", lambda point: point, (LENGTH, DEPTH)),
            _svg("down", lambda point: (point[1] * 2.2, point[0]), (DEPTH * 2.2, LENGTH)),
        )
    )


def _svg(name: str, turned: Callable[[Point], Point], size: Point) -> str:
    drawn = join_lines(shape for line in LINES for shape in _line(line, turned))
    width, height = size
    return (
        f'<svg class="{name}" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" '
        f'aria-hidden="true">\n{drawn}\n</svg>'
    )


def _line(line: MapLine, turned: Callable[[Point], Point]) -> Iterator[str]:
    corners = [turned(corner) for corner in line.points]
    yield f'<polyline class="{line.kind}" points="{_points(corners)}"/>'
    if line.has_arrow:
        (ax, ay), (x, y) = corners[-2:]
        length = abs(x - ax) + abs(y - ay)  # lines are parallel to an axis
        dx, dy = ARROW_SIZE * (x - ax) / length, ARROW_SIZE * (y - ay) / length
        sides = [(x - dx - dy, y - dy - dx), (x, y), (x - dx + dy, y - dy + dx)]
        yield f'<polygon points="{_points(sides)}"/>'


def _points(points: list[Point]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
