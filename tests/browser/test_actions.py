"""What a reader takes along from a figure, and how a chart is read."""

import csv
import io
import math
import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from lnviz.version import __version__
from tests.browser.conftest import Bench, Opener
from tests.browser.figures import DEPTH, FACTOR, GRID, LINE, NETWORKS, Place, place
from tests.browser.tab import Tab


def download(tab: Tab, what: str) -> bytes:
    entry = tab.entry(what)
    with tab.page.expect_download() as coming:
        entry.click()
    with open(coming.value.path(), "rb") as file:
        return file.read()


def tables(tab: Tab) -> dict[str, list[list[str]]]:
    """The downloaded tables, by their titles, without what stands above them."""
    _, *blocks = download(tab, "Numbers (CSV)").decode().split("\r\n\r\n")
    rows = [list(csv.reader(io.StringIO(block))) for block in blocks]
    return {block[0][0]: block[1:] for block in rows}


def test_the_numbers_are_those_of_the_grids(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.choose("BatchNorm")
    tensors = GRID.explorable().tensors
    batch = GRID.control("norm").index("batch")
    found = tables(tab)
    for title, expected in (
        ("Pre-activations", tensors["x"].values),
        ("After BatchNorm", tensors["x_hat"].values[batch, -1]),
    ):
        numbers = [float(cell) for row in found[title][1:] for cell in row[1:]]
        assert numbers == pytest.approx(expected.flatten().tolist(), abs=1e-4)
    assert found["Pre-activations"][1][0] == "example 1"


def test_the_numbers_are_those_of_a_charts_lines(bench: Bench) -> None:
    tab = bench(FACTOR.standalone)
    explorable = FACTOR.explorable()
    ((head, *rows),) = tables(tab).values()
    at = next(i for i, name in enumerate(head) if name.endswith("no norm, float32"))
    expected = explorable.lookup("single", explorable.start_state()).tolist()
    numbers = [float(row[at]) for row in rows]  # themselves, where the figure has their logarithms
    assert [math.log10(value) for value in numbers] == pytest.approx(expected, abs=1e-3)


def test_a_band_has_its_ends_in_columns_of_their_own(bench: Bench) -> None:
    tab = bench(place("why", "learning").standalone)
    head, *rows = next(
        rows for title, rows in tables(tab).items() if title.startswith("Training loss")
    )

    def column(end: str) -> list[float]:
        at = next(i for i, name in enumerate(head) if name.endswith(f": LayerNorm{end}"))
        return [float(row[at]) for row in rows if row[at]]

    ends = column(", lower end of the band"), column(""), column(", upper end of the band")
    assert all(low <= mean <= high for low, mean, high in zip(*ends, strict=True))
    assert column(", lower end of the band") != column(", upper end of the band")


@pytest.mark.parametrize("place", [GRID, FACTOR, NETWORKS], ids=str)
def test_the_picture_shows_title_and_views_in_the_themes_colors(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    picture = download(tab, "Picture (SVG)").decode()
    texts = [text.strip() for text in ElementTree.fromstring(picture).itertext() if text.strip()]
    assert texts[0] == place.explorable().title
    assert "var(--" not in picture
    for caption in tab.figure.locator("caption:visible, figcaption:visible").all():
        assert caption.inner_text().split()[0] in " ".join(texts)
    # What is written upward is one text, too.
    assert set(tab.figure.locator(".place > span:visible").all_text_contents()) <= set(texts)


def test_a_narrow_picture_breaks_its_title(open_tab: Opener) -> None:
    tab = open_tab(None)
    tab.page.set_viewport_size({"width": 240, "height": 740})
    tab.open(FACTOR.standalone)
    picture = ElementTree.fromstring(download(tab, "Picture (SVG)"))
    words, lines = FACTOR.explorable().title, []
    for text in picture.iter("{http://www.w3.org/2000/svg}text"):
        if words:
            lines.append(text)
            words = words.removeprefix(text.text or "").strip()
    assert len(lines) > 1
    ends = [float(line.attrib["x"]) + float(line.attrib["textLength"]) for line in lines]
    assert max(ends) < float(picture.attrib["width"])


def test_the_picture_follows_the_state(bench: Bench) -> None:
    tab = bench(FACTOR.standalone)
    before = download(tab, "Picture (SVG)")
    tab.exact("per-step factor").fill("1.2")
    tab.exact("per-step factor").press("Enter")
    assert download(tab, "Picture (SVG)") != before


def test_a_file_says_where_it_is_from_and_how_the_figure_stands(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    title = GRID.explorable().title
    entry = tab.entry("Numbers (CSV)").element_handle()
    chosen = "(option, entry) => { option.click(); entry.click(); }"
    with tab.page.expect_download() as coming:
        # In the moment of the choice: the address would follow it only later.
        tab.option("BatchNorm").evaluate(chosen, entry)
    about, *_ = coming.value.path().read_text().split("\n\n")
    lines = list(csv.reader(io.StringIO(about)))
    assert lines[0] == [f"lnviz {__version__}: {title}"]
    assert any("norm BatchNorm" in line[0] for line in lines[1:3])
    assert ["norm", "BatchNorm"] in lines
    picture = download(tab, "Picture (SVG)").decode()
    texts = [text.strip() for text in ElementTree.fromstring(picture).itertext() if text.strip()]
    assert f"lnviz {__version__}: {title}" in "".join(texts)


def test_a_file_of_a_figure_at_a_step_has_the_finding_of_its_state(bench: Bench) -> None:
    tab = bench(place("placement", "road").standalone)
    expect(tab.figure.locator("[aria-current=step]")).to_have_text("1")
    lines = download(tab, "Numbers (CSV)").decode().split("\r\n")
    assert lines[1].startswith('"With 12 layers, ')
    assert "layers 12" in lines[2]


def test_a_figure_is_cited_with_its_version_and_its_state(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.exact("gain").fill("2.5")
    tab.exact("gain").press("Enter")
    tab.entry("Cite this figure").click()
    expect(tab.figure.locator(".actions .told")).to_have_text("BibTeX copied.")
    copied = tab.page.evaluate("() => navigator.clipboard.readText()")
    assert f"Interactive figure in lnviz {__version__}" in copied
    assert "gain 2.50" in copied
    assert "url = " not in copied  # that of a reader's own machine


def test_a_frame_takes_the_look_it_is_asked_for_and_tells_its_height(open_tab: Opener) -> None:
    tab = open_tab(None, color_scheme="light")  # a browser that has shown nothing of ours
    tab.page.set_content("<body></body>")
    tab.page.evaluate(
        """(address) => {
          const frame = document.createElement("iframe");
          addEventListener("message", ({ data }) => {
            if (data.type === "lnviz-height") frame.height = data.height;
          });
          frame.src = address;
          document.body.append(frame);
        }""",
        f"{tab.base}{GRID.standalone}?theme=dark",
    )
    inside = tab.page.frame_locator("iframe")
    expect(inside.locator(".grid").first).to_be_visible()
    expect(inside.locator("html")).to_have_css("color-scheme", "dark")
    height = inside.locator("body").evaluate("(body) => body.getBoundingClientRect().height")
    expect(tab.page.locator("iframe")).to_have_attribute("height", str(math.ceil(height)))


def test_the_picture_can_be_had_as_pixels(bench: Bench) -> None:
    assert download(bench(GRID.standalone), "Picture (PNG)").startswith(b"\x89PNG")


def test_the_code_is_copied_as_it_stands(bench: Bench) -> None:
    tab = bench(LINE.standalone)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.exact("gain").fill("2.5")
    tab.exact("gain").press("Enter")
    tab.entry("Code for this figure").click()
    tab.button("Copy code").click()
    expect(tab.figure.locator(".actions .told")).to_have_text("Code copied.")
    explorable = LINE.explorable()
    copied = tab.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == explorable.code_at(explorable.state_at(gain=2.5))


def test_a_chart_is_read_by_keyboard_in_plain_units(bench: Bench) -> None:
    tab = bench(FACTOR.standalone, query="per-step-factor=1.05")
    reader = tab.figure.get_by_role("slider", name="Values in the chart")
    reader.focus()
    reader.press("End")
    said = reader.get_attribute("aria-valuetext") or ""
    assert re.fullmatch(
        r"step 100, no norm, float16: 130, no norm, float32: 130, LayerNorm: 1", said
    )
    assert float(reader.get_attribute("aria-valuenow") or 0) > 0.9
    reader.press("ArrowLeft")
    assert (reader.get_attribute("aria-valuetext") or "").startswith("step 99, ")


def test_the_values_under_the_mouse_follow_a_slider(bench: Bench) -> None:
    tab = bench(FACTOR.standalone)
    reader = tab.figure.locator(".readable")
    box = reader.bounding_box()
    assert box is not None
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    label = tab.figure.locator(".reading")
    expect(label).to_contain_text("no norm, float32")
    before = label.text_content() or ""
    tab.slider("per-step factor").press("End")
    expect(label).not_to_have_text(before)


def test_a_figure_can_fill_the_screen(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.entry("Full screen").click()
    expect(tab.entry("Leave full screen")).to_be_visible()
    assert tab.page.evaluate("() => document.fullscreenElement?.className") == "ln"
    tab.entry("Leave full screen").click()
    expect(tab.entry("Full screen")).to_be_visible()


def test_the_numbers_are_shown_as_tables_that_follow_the_hand(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.figure.get_by_text("Numbers", exact=True).click()
    shown = tab.figure.locator("table.numbers")
    expect(shown).to_have_count(2)
    tab.choose("BatchNorm")
    expect(shown.nth(1).locator("caption")).to_have_text("After BatchNorm")
    titles = [caption.strip() for caption in shown.locator("caption").all_inner_texts()]
    assert titles == list(tables(tab))
    expect(tab.figure.locator(".tables .note").first).to_have_text("4 rows, 7 columns.")
    expect(tab.figure.get_by_role("button", name="Show all rows")).to_be_hidden()


def test_a_long_table_begins_with_its_first_rows(bench: Bench) -> None:
    tab = bench(DEPTH.standalone)
    tab.figure.get_by_text("Numbers", exact=True).click()
    first = tab.figure.locator(".tables .wide").first
    expect(first.locator("tbody tr")).to_have_count(8)
    expect(first.locator(".note")).to_have_text("64 rows, 16 columns; the first 8 are shown.")
    tab.figure.get_by_role("button", name="Show all rows").press("Enter")
    expect(first.locator("tbody tr")).to_have_count(64)
    expect(first).to_be_focused()


def test_numbers_that_are_wider_than_the_figure_scroll_by_themselves(bench: Bench) -> None:
    tab = bench(place("geometry", "step").standalone)
    tab.figure.get_by_text("Numbers", exact=True).click()
    shown = tab.figure.locator(".wide").first
    assert shown.evaluate("(box) => box.scrollWidth > box.clientWidth")
    assert tab.page.evaluate("() => document.body.scrollWidth <= innerWidth")


def test_the_menu_closes_when_the_reader_turns_elsewhere(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    menu = tab.figure.locator(".menu")
    tab.entry("Copy link").focus()
    tab.page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    tab.entry("Copy link").focus()
    tab.slider("batch size").focus()
    expect(menu).not_to_have_attribute("open", "")
