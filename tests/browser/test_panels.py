"""What a reader brings to a figure, and PyTorch's word on the numbers."""

from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Bench, Opener
from tests.browser.figures import GRID, LINE
from tests.browser.tab import Tab


def unfold(tab: Tab, title: str) -> None:
    tab.page.get_by_test_id("stExpander").get_by_text(title, exact=True).click()


def upload(tab: Tab, path: Path) -> None:
    own(tab).get_by_label("A file").set_input_files(path)


def own(tab: Tab) -> Locator:
    """The place for a reader's own numbers, opened."""
    place = tab.figure.locator(".own")
    if place.get_attribute("open") is None:
        place.get_by_text("Your own numbers", exact=True).click()
    return place


def read_file(tab: Tab) -> Locator:
    """The sentences above the figure, on what was read of a file."""
    return tab.figure.locator(".read-file")


def test_a_table_with_text_and_gaps_is_what_one_sees_next(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "penguins.csv"
    rows = ["Adelie,39.1,18.7,181", "Adelie,39.5,17.4,186", "Gentoo,,,", "Gentoo,46.1,13.2,211"]
    file.write_text("\n".join(["species,bill,depth,flipper", *rows]))
    tab = bench(GRID.page)
    upload(tab, file)
    expect(read_file(tab)).to_contain_text('"species" was left out: it holds words')
    expect(read_file(tab)).to_contain_text("1 of 4 rows was left out")
    expect(read_file(tab)).to_be_in_viewport()
    expect(tab.figure.locator("th", has_text="flipper").first).to_be_in_viewport()
    expect(tab.figure.locator(".own")).not_to_have_attribute("open", "")
    tab.figure.get_by_label("Data", exact=True).select_option("worked")
    expect(read_file(tab)).to_be_hidden()


def test_a_pasted_table_is_drawn_and_keeps_its_names(bench: Bench) -> None:
    tab = bench(GRID.page)
    place = own(tab)
    place.get_by_label("Or paste or type a table").fill("height,width\n1.25,2\n4,5\n")
    place.get_by_role("button", name="Show this table").click()
    expect(read_file(tab)).to_contain_text("Read: pasted table, 2 examples of 2 features.")
    tab.address_says(data="table.height_width*1.25_2*4_5")
    assert tab.figure.locator("th", has_text="height").count()


def test_another_array_of_a_file_can_be_chosen(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "two.npz"
    np.savez(file, first=np.eye(2), second=np.full((2, 2), 7.5))
    tab = bench(GRID.page)
    upload(tab, file)
    tab.address_says(data="table.1_0*0_1")
    tab.figure.get_by_label("Table", exact=True).select_option("second")
    tab.address_says(data="table.7.5_7.5*7.5_7.5")


def test_an_uploaded_table_is_drawn_when_the_server_has_room_for_it(
    bench: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("1.25,2,3\n4,5,7.5\n")
    tab = bench(GRID.page)
    busy = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"detail": "All are busy."}}
    tab.page.route("**/uploads?*", lambda route: route.fulfill(**busy), times=1)
    upload(tab, file)
    expect(own(tab).get_by_role("status")).to_have_text("All are busy.")
    tab.address_names("data")  # it was sent again
    tab.forgive("status of 503")
    (inputs, *_) = tab.ready().drawn()
    assert inputs is not None
    assert inputs["cells"] == ["1.25", "2.00", "3.00", "4.00", "5.00", "7.50"]


def test_a_link_to_an_uploaded_table_shows_it_in_another_tab(
    open_tab: Opener, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("1.25,2,3\n4,5,7.5\n")
    one = open_tab(GRID.page)
    upload(one, file)
    one.address_names("data")
    one.choose("BatchNorm")
    one.address_names("norm")
    other = open_tab(one.page.url.removeprefix(one.base))
    assert other.drawn() == one.drawn()


def test_a_file_that_cannot_be_read_gets_a_sentence_and_leaves_the_figure(
    open_tab: Opener, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("1,2\n3,four\n")
    tab = open_tab(GRID.page + "?norm=batch")
    before = tab.drawn()
    upload(tab, file)
    expect(own(tab).get_by_role("status")).to_contain_text("four")
    assert tab.ready().drawn() == before
    assert tab.query == {"norm": "batch"}
    tab.forgive("422")


def test_the_check_takes_the_numbers_that_the_figure_shows(open_tab: Opener) -> None:
    tab = open_tab(LINE.page, LINE.number)
    tab.exact("gain").fill("2.5")
    tab.exact("gain").press("Enter")
    tab.exact("bias").fill("-1")
    tab.exact("bias").press("Enter")
    tab.address_says(gain="2.5", bias="-1")
    tab.page.locator(
        ".ln-deeper > summary", has_text="Does PyTorch compute the same values?"
    ).click()
    unfold(tab, "Check it against PyTorch")
    # By key: the panel may still be opening, and would move the button from under the pointer.
    tab.page.get_by_role("button", name="Run nn.LayerNorm on these numbers").press("Enter")
    expect(tab.page.get_by_text("Example 1, gain 2.50, bias −1.00:")).to_be_visible()


def test_a_number_is_typed_into_its_cell(bench: Bench) -> None:
    tab = bench(GRID.page)
    tab.cell(7).click()
    tab.page.keyboard.type("-2,5")
    field = tab.cell(7).get_by_label("example 2, feature 2, 1.8")
    expect(field).to_have_value("-2,5")
    tab.page.keyboard.press("Enter")
    tab.address_names("data")
    (inputs, *_) = tab.ready().drawn()
    assert inputs is not None
    assert inputs["cells"][7] == "−2.50"
    assert inputs["cells"][8] == "1.40"
    expect(field).to_have_count(0)
    expect(tab.cell(7)).to_be_focused()


def test_arrows_commit_and_move_on_like_in_a_spreadsheet(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.cell(0).click()
    for keys in ("4", "ArrowRight", "5", "ArrowDown", "6", "Enter"):
        tab.page.keyboard.press(keys)
    expect(tab.cell(7)).to_have_text("6.00")
    (inputs, *_) = tab.ready().drawn()
    assert inputs is not None
    assert [inputs["cells"][at] for at in (0, 1, 6, 7)] == ["4.00", "5.00", "−0.80", "6.00"]


def test_escape_leaves_the_cell_as_it_was(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.cell(7).click()
    tab.page.keyboard.type("99")
    tab.page.keyboard.press("Escape")
    expect(tab.cell(7)).to_have_text("1.80")
    expect(tab.cell(7)).to_be_focused()
    assert "data" not in tab.query


def test_results_are_no_cells_to_type_into(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.cell(7, grid=1).click()
    tab.page.keyboard.type("9")
    expect(tab.figure.locator("input.typed")).to_have_count(0)


def test_what_is_no_number_leaves_the_cell(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.cell(7).click()
    tab.page.keyboard.type("-much")
    tab.page.keyboard.press("Enter")
    expect(tab.figure.locator(".edit").get_by_role("status")).to_contain_text("Enter a number")
    expect(tab.cell(7).locator("input")).to_have_value("1.8")


def test_on_a_phone_the_field_is_at_the_lower_edge(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.page.set_viewport_size({"width": 390, "height": 844})
    field = tab.figure.locator(".edit input")
    expect(field).to_be_hidden()
    tab.cell(7).click()
    expect(tab.figure.get_by_label("example 2, feature 2:")).to_have_value("1.8")
    field.fill("much")
    field.press("Enter")
    expect(tab.figure.locator(".edit").get_by_role("status")).to_contain_text("Enter a number")
    expect(field).to_have_value("1.8")
    field.fill("-2,5")
    field.press("Enter")
    tab.address_names("data")
    expect(tab.cell(7)).to_have_text("−2.50")
