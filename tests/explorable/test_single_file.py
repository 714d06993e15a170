"""A page in one file works from a disk: it holds its figures, and Plotly where one has a chart."""

import json
import re
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
import pytest

from lnviz.explorable import CellPicker, Chart, Edits, Explorable, Readout
from lnviz.explorable.single_file import render_page

CELL = CellPicker("cell", ("case 1",), ("1",), "feature")
SENTENCE = Explorable("sentence", (), {}, ((Readout("1 < 2 </script>"),),))
CHART = Explorable("chart", (), {}, ((Readout("over"),), (Chart("t", go.Figure(), {}, "alt"),)))
EDITED = Explorable(
    "table", (CELL,), {}, (), edits=Edits("data", "cell", "own.", (("1",),), (0, 0))
)


def stored(html: str) -> dict[str, str]:
    """Return the texts that the page holds for its script, by their ids."""
    elements = re.findall(r'<script type="text/plain" id="([\w-]+)">(.*?)</script>', html, re.S)
    return dict(elements)


def payloads(figures: Mapping[str, Explorable]) -> list[dict[str, Any]]:
    texts = stored(render_page("A page", "", figures))
    return [json.loads(texts[f"payload-{number}"]) for number in range(len(figures))]


def test_a_page_holds_its_figures_in_their_order() -> None:
    assert [each["title"] for each in payloads({"a": SENTENCE, "b": CHART})] == [
        "sentence",
        "chart",
    ]


def test_a_figure_on_a_disk_asks_no_server_for_another() -> None:
    assert EDITED.payload()["edits"] is not None
    (payload,) = payloads({"a": EDITED})
    assert (payload["parameters"], payload["edits"]) == ([], None)


@pytest.mark.parametrize(
    ("figures", "has_chart"),
    [((SENTENCE,), False), ((CHART,), True), ((SENTENCE, CHART), True), ((), False)],
)
def test_only_a_page_with_a_chart_holds_plotly(
    figures: tuple[Explorable, ...], has_chart: bool
) -> None:
    html = render_page("A page", "", {figure.title: figure for figure in figures})
    assert bool(stored(html)["plotly"]) == has_chart


def test_titles_and_headings_are_text() -> None:
    html = render_page("a < b", "", {"c & d": SENTENCE})
    assert "<title>a &lt; b - lnviz</title>" in html
    assert "<h2>c &amp; d</h2>" in html
