"""What holds for each of these figures."""

import json

import pytest

from lnviz.explorable import Chart, Explorable, Slider
from lnviz.lessons.geometry import LESSON
from tests.lessons.geometry.drawing import figure
from tests.lessons.running import not_finite

EACH = pytest.mark.parametrize("name", [found.name for found in LESSON.figures])


def charts(explorable: Explorable) -> list[Chart]:
    return [view for row in explorable.views for view in row if isinstance(view, Chart)]


@EACH
def test_no_code_needs_this_package(name: str) -> None:
    assert "lnviz" not in figure(name).code


@EACH
def test_nothing_undefined_is_drawn(name: str) -> None:
    if name != "step":  # its own test says what is undefined, and where
        assert not_finite(figure(name)) == set()


@EACH
def test_every_slider_has_positions_enough_to_move_smoothly(name: str) -> None:
    sliders = [c for c in figure(name).controls if isinstance(c, Slider)]
    assert sliders
    assert min(slider.size for slider in sliders) > 180


@EACH
def test_every_charts_text_follows_the_state_and_its_axes_stay(name: str) -> None:
    shown = figure(name)
    for chart in charts(shown):
        drawn = json.loads(chart.figure.to_json())["layout"]
        assert all(len(drawn[axis]["range"]) == 2 for axis in ("xaxis", "yaxis"))
        assert any(f"{{{tensor}:" in chart.alt for tensor in shown.tensors)


@EACH
def test_what_is_drawn_lies_inside_the_axes(name: str) -> None:
    shown = figure(name)
    for chart in charts(shown):
        drawn = json.loads(chart.figure.to_json())["layout"]
        for sources in chart.bind.values():
            for attribute, source in sources.items():
                tensor = source if isinstance(source, str) else source.tensor
                values = shown.tensors[tensor].values
                low, high = drawn[f"{attribute}axis"]["range"]
                known = values[values.isfinite()]
                assert low < float(known.min())
                assert float(known.max()) < high
