"""The cell that mouse, finger or keys point at: its group is outlined, and it can be held."""

from typing import Any

import pytest

from lnviz.norms import BATCH, GROUP, LAYER, RMS, Norm
from tests.browser.conftest import Bench, Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import CASE_SCALE, GRID, LINE
from tests.browser.tab import Tab

NORMS = (BATCH, LAYER, GROUP(2), RMS)
SHAPE = (4, 6)
CELL = 9  # second case, fourth feature
each_norm = pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.key)
each_layout = pytest.mark.parametrize("layout", ["rows", "columns"])

# Every cell of a grid: where it is on the screen, and the widths of the lines around it.
CELLS = """
(grid) => [...grid.querySelectorAll("td[data-index]")].map((cell) => {
  const line = getComputedStyle(cell, "::after");
  const width = (side) => (line.content === "none" ? 0 : parseFloat(line[`border${side}Width`]));
  return {
    index: Number(cell.dataset.index),
    place: [cell.parentNode.rowIndex, cell.cellIndex],
    lines: ["Top", "Bottom", "Left", "Right"].filter((side) => width(side) > 0),
    pointed: cell.classList.contains("pointed"),
    held: cell.classList.contains("held") && cell.ariaSelected === "true",
    stop: cell.tabIndex === 0,
  };
})
"""


def cells(tab: Tab, grid: int = 0) -> list[dict[str, Any]]:
    tab.drawn()
    return tab.figure.locator(".grid:visible").nth(grid).evaluate(CELLS)


def pointed(tab: Tab, grid: int = 0) -> set[int]:
    return {cell["index"] for cell in cells(tab, grid) if cell["pointed"]}


def held(tab: Tab, grid: int = 0) -> set[int]:
    return {cell["index"] for cell in cells(tab, grid) if cell["held"]}


def group(norm: Norm, cell: int, batch: int = SHAPE[0]) -> set[int]:
    """The cells of the batch that share their mean and variance with a cell of it."""
    ids = norm.groups((batch, SHAPE[1]), "ND").flatten().tolist()
    return {i for i, of in enumerate(ids) if of == ids[cell]}


def assert_outlines(tab: Tab, members: set[int], grid: int) -> None:
    """A closed line runs around these cells, and there is no other line."""
    seen = cells(tab, grid)
    inside = {tuple(cell["place"]) for cell in seen if cell["index"] in members}
    for cell in seen:
        row, column = cell["place"]
        beside = {
            "Top": (row - 1, column),
            "Bottom": (row + 1, column),
            "Left": (row, column - 1),
            "Right": (row, column + 1),
        }
        wanted = [side for side, place in beside.items() if place not in inside]
        assert cell["lines"] == (wanted if (row, column) in inside else []), cell


def start(bench: Bench, norm: Norm, layout: str = "rows") -> Tab:
    """The grid under a norm, with cases as rows or as columns."""
    tab = bench(GRID.standalone)
    tab.choose(norm.label)
    if layout == "columns":
        tab.button("Cases as columns").click()
        tab.drawn()
    return tab


@each_layout
@each_norm
def test_hover_outlines_the_group_of_the_cell_in_both_grids(
    bench: Bench, norm: Norm, layout: str
) -> None:
    tab = start(bench, norm, layout)
    tab.cell(CELL).hover()
    for grid in (0, 1):
        assert_outlines(tab, group(norm, CELL), grid)
        assert pointed(tab, grid) == {CELL}


@each_norm
def test_hover_over_the_output_points_at_the_input(bench: Bench, norm: Norm) -> None:
    tab = start(bench, norm)
    tab.cell(CELL, grid=1).hover()
    assert pointed(tab, 0) == {CELL}
    assert_outlines(tab, group(norm, CELL), 0)


@each_norm
def test_the_outline_leaves_out_cases_that_are_not_in_the_batch(bench: Bench, norm: Norm) -> None:
    tab = start(bench, norm)
    tab.slider("batch size").press("Home")
    tab.slider("batch size").press("ArrowRight")
    tab.cell(CELL).hover()
    assert_outlines(tab, group(norm, CELL, batch=2), 0)


def test_a_cell_outside_the_batch_has_no_outline(bench: Bench) -> None:
    tab = start(bench, BATCH)
    tab.slider("batch size").press("Home")
    tab.cell(CELL).hover()
    assert pointed(tab) == {CELL}
    assert_outlines(tab, set(), 0)


@each_layout
@each_norm
def test_hover_shows_the_arithmetic_of_the_cell(bench: Bench, norm: Norm, layout: str) -> None:
    tab = start(bench, norm, layout)
    tab.cell(CELL).hover()
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.at(norm=norm.key, layout=layout, cell=CELL))


def test_the_two_norms_of_the_invariance_lesson_outline_their_own_groups(bench: Bench) -> None:
    tab = bench(CASE_SCALE.standalone)
    tab.cell(CELL).hover()
    assert_outlines(tab, group(LAYER, CELL), 1)
    assert_outlines(tab, group(BATCH, CELL), 2)


def test_one_case_step_by_step_is_pointed_at_by_the_column(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    units = LINE.control("unit").size
    tab.cell(2 * units + 3).hover()
    assert pointed(tab) == {3, units + 3, 2 * units + 3, 3 * units + 3}
    assert_draws(tab.drawn(), LINE.explorable(), LINE.explorable().at(unit=3))


def test_a_click_holds_the_cell_under_a_wandering_mouse(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.cell(15).hover()
    assert held(tab) == pointed(tab) == {CELL}


def test_a_second_click_lets_go(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.cell(CELL).click()
    assert held(tab) == set()
    tab.cell(15).hover()
    assert pointed(tab) == {15}


def test_a_click_on_another_cell_holds_that_one(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.cell(15).click()
    assert held(tab) == pointed(tab) == {15}


def test_escape_lets_go(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()
    tab.cell(15).hover()
    assert pointed(tab) == {15}


def test_escape_lets_go_after_a_slider_has_had_the_focus(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.slider("batch size").press("ArrowLeft")
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()


def test_escape_lets_go_of_a_cell_that_a_link_holds(open_tab: Opener) -> None:
    tab = open_tab(f"{GRID.standalone}?cell=2.4")
    assert held(tab) == {CELL}
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()


def test_reset_lets_go(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.button("Reset").click()
    assert held(tab) == set()
    tab.cell(15).hover()
    assert pointed(tab) == {15}


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_holds_the_cell_in_focus_and_lets_go_again(bench: Bench, key: str) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).focus()
    tab.page.keyboard.press(key)
    assert held(tab) == {CELL}
    tab.page.keyboard.press(key)
    assert held(tab) == set()


@pytest.mark.parametrize(
    ("layout", "key", "to"),
    [
        ("rows", "ArrowRight", CELL + 1),
        ("rows", "ArrowLeft", CELL - 1),
        ("rows", "ArrowDown", CELL + 6),
        ("rows", "ArrowUp", CELL - 6),
        ("rows", "Home", 6),
        ("rows", "End", 11),
        ("columns", "ArrowRight", CELL + 6),
        ("columns", "ArrowLeft", CELL - 6),
        ("columns", "ArrowDown", CELL + 1),
        ("columns", "ArrowUp", CELL - 1),
        ("columns", "Home", 3),
        ("columns", "End", 21),
    ],
)
def test_a_key_moves_from_cell_to_cell_as_they_lie_on_the_screen(
    bench: Bench, layout: str, key: str, to: int
) -> None:
    tab = start(bench, LAYER, layout)
    tab.cell(CELL).focus()
    tab.page.keyboard.press(key)
    assert pointed(tab) == {to}
    assert tab.cell(to).evaluate("cell => cell === document.activeElement")


@each_layout
def test_arrows_stop_at_the_edges(bench: Bench, layout: str) -> None:
    tab = start(bench, LAYER, layout)
    tab.cell(0).focus()
    for key in ("ArrowLeft", "ArrowUp"):
        tab.page.keyboard.press(key)
        assert pointed(tab) == {0}
    tab.cell(23).focus()
    for key in ("ArrowRight", "ArrowDown"):
        tab.page.keyboard.press(key)
        assert pointed(tab) == {23}


def test_arrows_move_a_held_cell(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.page.keyboard.press("ArrowRight")
    assert held(tab) == pointed(tab) == {CELL + 1}


@each_layout
def test_tab_stops_once_in_a_grid_at_the_pointed_cell(bench: Bench, layout: str) -> None:
    tab = start(bench, LAYER, layout)
    tab.cell(CELL).hover()
    for grid in (0, 1):
        assert [cell["index"] for cell in cells(tab, grid) if cell["stop"]] == [CELL]


def test_transposing_keeps_the_held_cell(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.button("Cases as columns").click()
    assert held(tab) == {CELL}
    assert_outlines(tab, group(LAYER, CELL), 0)


def test_new_numbers_do_not_hold_the_cell_that_the_mouse_went_over(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).hover()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    assert held(tab) == set()


def test_new_numbers_keep_a_held_cell(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.cell(CELL).click()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits", cell="2.4")
    assert held(tab) == {6 + 3}


@each_layout
def test_a_tap_holds_a_cell_and_another_tap_lets_go(open_tab: Opener, layout: str) -> None:
    tab = open_tab(GRID.standalone, has_touch=True)
    if layout == "columns":
        tab.button("Cases as columns").tap()
    tab.cell(CELL).tap()
    assert held(tab) == pointed(tab) == {CELL}
    assert_outlines(tab, group(LAYER, CELL), 0)
    tab.cell(CELL).tap()
    assert held(tab) == set()


def test_a_tap_on_another_cell_holds_that_one(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone, has_touch=True)
    tab.cell(CELL).tap()
    tab.cell(15).tap()
    assert held(tab) == pointed(tab) == {15}
