"""Sheets of pictures: in the theme's colors, on the screen and in what a reader takes along."""

import csv
import io

from lnviz.frontend.theme import TOKENS
from tests.browser.conftest import Bench
from tests.browser.figures import DEPTH
from tests.browser.test_actions import download

# The color of the first picture's first pixel, which has no ink.
BLANK = """
() => {
  const pen = document.querySelector(".sheet canvas").getContext("2d");
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
}
"""


def channels(color: str) -> str:
    return ",".join(str(channel) for channel in bytes.fromhex(color[1:]))


def test_pictures_follow_the_pages_theme(bench: Bench) -> None:
    tab, blank = bench(DEPTH.standalone), TOKENS["page"]
    page = tab.page
    assert page.evaluate(BLANK) == channels(blank.light)
    page.emulate_media(color_scheme="dark")
    tab.until(f"color => ({BLANK})() === color", channels(blank.dark))
    page.emulate_media(color_scheme="light")


def test_the_numbers_are_those_of_the_pixels(bench: Bench) -> None:
    tab = bench(DEPTH.standalone)
    written = download(tab, "Numbers (CSV)").decode().split("\r\n\r\n")[1]
    (_,), head, *rows = csv.reader(io.StringIO(written))
    assert head[:4] == ["row", "column", "0 input", "0 1"]
    explorable = DEPTH.explorable()
    first = explorable.lookup("none pictures", explorable.start_state())[0, 0].flatten()
    assert [float(row[2]) for row in rows] == [round(pixel, 2) for pixel in first.tolist()]


def test_pictures_are_in_the_picture_of_the_figure(bench: Bench) -> None:
    tab = bench(DEPTH.standalone)
    picture = download(tab, "Picture (SVG)").decode()
    canvases = tab.figure.locator(".pictures canvas").count()
    assert picture.count('href="data:image/png') == canvases > 0
