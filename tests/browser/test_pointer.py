"""The cell that mouse, finger or keys point at: its group is outlined, and it can be held.

Which sides of a cell the line runs along, where keys lead, and what a click does to a cell that is
held is asked in Node, in `tests/frontend/engine`.
"""

from typing import Any

import pytest

from lnviz.norms import BATCH, LAYER, RMS, Norm, group_norm
from tests.browser.conftest import Bench, Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import CASE_SCALE, GRID, LINE
from tests.browser.tab import Tab

NORMS = (BATCH, LAYER, group_norm(2), RMS)
SHAPE = (4, 6)
CELL = 9  # second case, fourth feature

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


def start(bench: Bench, layout: str = "rows") -> Tab:
    """The grid, with cases as rows or as columns."""
    tab = bench(GRID.standalone)
    if layout == "columns":
        tab.button("Examples as columns").click()
        tab.drawn()
    return tab


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_hover_outlines_the_group_in_both_grids_and_shows_its_arithmetic(
    bench: Bench, layout: str
) -> None:
    tab, explorable = start(bench, layout), GRID.explorable()
    for norm in NORMS:
        tab.choose(norm.label)
        tab.cell(CELL).hover()
        for grid in (0, 1):
            assert_outlines(tab, group(norm, CELL), grid)
            assert pointed(tab, grid) == {CELL}
        state = explorable.state_at(norm=norm.key, layout=layout, cell=CELL)
        assert_draws(tab.drawn(), explorable, state)


def test_hover_over_the_output_points_at_the_input(bench: Bench) -> None:
    tab = start(bench)
    tab.cell(CELL, grid=1).hover()
    assert pointed(tab, 0) == {CELL}
    assert_outlines(tab, group(LAYER, CELL), 0)


def test_the_outline_leaves_out_cases_that_are_not_in_the_batch(bench: Bench) -> None:
    tab = start(bench)
    tab.choose(BATCH.label)
    tab.slider("batch size").press("Home")
    tab.slider("batch size").press("ArrowRight")
    tab.cell(CELL).hover()
    assert_outlines(tab, group(BATCH, CELL, batch=2), 0)
    tab.slider("batch size").press("Home")
    assert pointed(tab) == {CELL}
    assert_outlines(tab, set(), 0)


def test_the_two_norms_of_the_invariance_lesson_outline_their_own_groups(bench: Bench) -> None:
    tab = bench(CASE_SCALE.standalone)
    tab.cell(CELL).hover()
    assert_outlines(tab, group(LAYER, CELL), 1)
    assert_outlines(tab, group(BATCH, CELL), 2)


def test_one_case_step_by_step_is_pointed_at_by_the_column(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    units = LINE.control("unit").size
    tab.cell(2 * units + 3).hover()
    assert pointed(tab) == {3, units + 3, 2 * units + 3}
    assert_draws(tab.drawn(), LINE.explorable(), LINE.explorable().state_at(unit=3))


def test_a_click_holds_the_cell_under_a_wandering_mouse_until_another_click(bench: Bench) -> None:
    tab = start(bench)
    tab.cell(CELL).click()
    tab.cell(15).hover()
    assert held(tab) == pointed(tab) == {CELL}
    tab.cell(15).click()
    assert held(tab) == pointed(tab) == {15}
    tab.cell(15).click()
    assert held(tab) == set()
    tab.cell(CELL).hover()
    assert pointed(tab) == {CELL}


def test_escape_and_reset_let_go_wherever_the_focus_is(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="cell=2.4")
    assert held(tab) == {CELL}
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()
    tab.cell(15).click()
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()
    tab.cell(15).click()
    tab.slider("batch size").press("ArrowLeft")
    tab.page.keyboard.press("Escape")
    assert held(tab) == set()
    tab.cell(15).click()
    tab.button("Reset").click()
    assert held(tab) == set()
    tab.cell(CELL).hover()
    assert pointed(tab) == {CELL}


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_holds_the_cell_in_focus_and_lets_go_again(bench: Bench, key: str) -> None:
    tab = start(bench)
    tab.cell(CELL).focus()
    tab.page.keyboard.press(key)
    assert held(tab) == {CELL}
    tab.page.keyboard.press("ArrowRight")
    assert held(tab) == pointed(tab) == {CELL + 1}
    tab.page.keyboard.press(key)
    assert held(tab) == set()


@pytest.mark.parametrize(("layout", "to"), [("rows", CELL + 6), ("columns", CELL + 1)])
def test_a_key_moves_from_cell_to_cell_as_they_lie_on_the_screen(
    bench: Bench, layout: str, to: int
) -> None:
    tab = start(bench, layout)
    tab.cell(CELL).focus()
    tab.page.keyboard.press("ArrowDown")
    assert pointed(tab) == {to}
    assert tab.cell(to).evaluate("cell => cell === document.activeElement")
    # The Tab key stops once in a grid.
    for grid in (0, 1):
        assert [cell["index"] for cell in cells(tab, grid) if cell["stop"]] == [to]


def test_transposing_keeps_the_held_cell(bench: Bench) -> None:
    tab = start(bench)
    tab.cell(CELL).click()
    tab.button("Examples as columns").click()
    assert held(tab) == {CELL}
    assert_outlines(tab, group(LAYER, CELL), 0)


def test_new_numbers_do_not_hold_the_cell_that_the_mouse_went_over(bench: Bench) -> None:
    tab = start(bench)
    tab.cell(CELL).hover()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    assert held(tab) == set()


def test_new_numbers_keep_a_held_cell(bench: Bench) -> None:
    tab = start(bench)
    tab.cell(CELL).click()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits", cell="2.4")
    assert held(tab) == {6 + 3}


def test_a_tap_holds_a_cell_and_another_tap_lets_go(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone, has_touch=True)
    for cell in (CELL, 15):
        tab.cell(cell).tap()
        assert held(tab) == pointed(tab) == {cell}
        assert_outlines(tab, group(LAYER, cell), 0)
    tab.cell(15).tap()
    assert held(tab) == set()


# Where the pictures of a figure begin on the screen, and the cells of its first table.
TOPS = """
(figure) => [...figure.querySelectorAll(".row:not(.words) :is(.plot, tbody, svg)")]
  .filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().top)
"""


def test_what_is_under_the_hand_stays_in_its_place(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    before = tab.figure.evaluate(TOPS)
    tab.cell(CELL).click()
    assert tab.figure.evaluate(TOPS) == before
    tab.page.keyboard.press("F2")
    assert tab.figure.get_by_label("example 2, feature 4, ").is_visible()
    assert tab.figure.evaluate(TOPS) == before
    tab.page.keyboard.press("Escape")
    for norm in NORMS:
        tab.choose(norm.label)
        assert tab.figure.evaluate(TOPS) == before, norm.label
