"""Style sheets of the presentation view and of rooms leave the inside of figures alone."""

import re
from pathlib import Path

import pytest

from lnviz.frontend.static_files import FOLDER
from tests.frontend.style_sheets import alternatives, compounds, figure_classes, selectors

AROUND = frozenset(("screen", "shows", "goal", "phone", "asked", "looked", "ln-place"))
"""Classes of elements that contain figures."""

SHEETS = [
    path
    for room in ("present", "room")
    for path in sorted((FOLDER / room).glob("*.css"))
    if path.name != "remote.css"  # the remote shows no figures
]


def reaches_into_figures(selector: str, inside: frozenset[str]) -> bool:
    """Whether a selector may match an element of a figure by its class, and does not name `.ln`."""
    parts = compounds(selector)
    last = parts[0][1]
    if not last or any("ln" in classes for _, classes in parts):
        return False
    must_be_inside = True
    for combinator, classes in parts:
        # The parent or sibling of an element of a figure is one, too, or the figure itself.
        must_be_inside = must_be_inside and combinator != " "
        if not classes <= (inside if must_be_inside else inside | AROUND):
            return False
        must_be_inside = must_be_inside or bool(classes - AROUND)
    return True


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (".bar", True),
        (".screen .bar", True),
        (".screen > .bar", False),
        (".card .bar", False),
        (".screen .ln .bar", False),
        (".bar[data-x~='a'] > .mine", False),
        (".screen:is(p, .box > .bar)", False),
        (":is(p, .box > .bar)", True),
        (".screen > .told .bar", False),
        (".bar:where(:not(.ln *))", False),
    ],
)
def test_a_selector_s_reach_is_read(selector: str, expected: bool) -> None:
    inside = frozenset(("bar", "box", "told"))
    assert any(reaches_into_figures(each, inside) for each in alternatives(selector)) == expected


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_rule_of_the_classroom_reaches_into_a_figure(sheet: Path) -> None:
    inside = figure_classes() - AROUND
    assert {"bar", "box", "track", "finding"} <= inside
    text = sheet.read_text(encoding="utf-8")
    assert [each for each in selectors(text) if reaches_into_figures(each, inside)] == []


@pytest.mark.parametrize("sheet", sorted(FOLDER.rglob("*.css")), ids=lambda path: path.stem)
def test_no_rule_asks_what_has_something_empty(sheet: Path) -> None:
    """A browser would match the page again with every number of a figure that comes or goes."""
    asked = re.findall(r":has\((?:[^()]|\([^()]*\))*:empty", sheet.read_text(encoding="utf-8"))
    assert asked == []
