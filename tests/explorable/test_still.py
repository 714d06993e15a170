"""A figure as a notebook shows it where no script runs."""

import base64
import re
from xml.etree import ElementTree

import pytest

from lnviz.explorable import Chart, Explorable
from lnviz.explorable.still import chart_svg, still_html, still_text
from tests.browser.drawn import expected
from tests.browser.figures import KINDS, PLACES, Place

SVG = "{http://www.w3.org/2000/svg}"


def pictures(html: str) -> list[str]:
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
    return [base64.b64decode(picture).decode() for picture in found]


def words(figure: Explorable) -> list[str]:
    """What a page would say of each view that it shows at the start."""
    seen = [view for view in expected(figure, figure.start_state()) if view]
    return [view[key] for view in seen for key in ("text", "alt") if key in view]


@pytest.mark.slow
@pytest.mark.parametrize("place", KINDS, ids=str)
def test_its_text_says_what_a_page_says(place: Place) -> None:
    figure = place.explorable()
    text = still_text(figure)
    assert text.startswith(f"{figure.title}\n")
    for said in words(figure):
        assert said in text


def test_a_table_has_the_numbers_of_the_start() -> None:
    (place,) = (each for each in PLACES if str(each) == "axes-grid")
    figure = place.explorable()
    shown = [view for view in expected(figure, figure.start_state()) if view and "cells" in view]
    html, text = still_html(figure), still_text(figure)
    for view in shown:
        assert view["title"] in text
        for cell in view["cells"]:
            assert f"<td>{cell}</td>" in html
            assert cell in text


@pytest.mark.slow
def test_a_chart_is_a_picture_whose_line_is_that_of_the_tensors() -> None:
    (place,) = (each for each in PLACES if str(each) == "why-depth")
    figure = place.explorable()
    (chart,) = (view for row in figure.views for view in row if isinstance(view, Chart))
    root = ElementTree.fromstring(chart_svg(figure, chart, figure.start_state()))
    lines = [node.get("d", "") for node in root.iter(f"{SVG}path")][1:]  # after the axes
    heights = [[float(y) for y in re.findall(r" (-?[\d.]+)", line)] for line in lines]
    data = chart.trace_data(figure.tensors, figure.start_state())
    low, high = chart.figure.layout.yaxis.range
    for drawn, trace in zip(heights, (0, 1), strict=True):
        values = data[trace]["y"]
        shares = [(value - low) / (high - low) for value in values]
        span = (drawn[0] - drawn[-1]) / (shares[-1] - shares[0])
        for y, share in zip(drawn, shares, strict=True):
            assert y == pytest.approx(drawn[0] - span * (share - shares[0]), abs=0.3)
    assert [node.text for node in root.iter(f"{SVG}text")][-2:] == ["no norm", "LayerNorm"]
    assert len(pictures(still_html(figure))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_figure_stands_still(place: Place) -> None:
    figure = place.explorable()
    html = still_html(figure)
    assert "<script" not in html
    for picture in pictures(html):
        ElementTree.fromstring(picture)
    assert not re.search(r"\{\w", still_text(figure))  # a field that is not filled in
