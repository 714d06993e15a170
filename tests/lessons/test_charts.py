"""The chart kit: what is declared becomes traces whose marks stand on their curves."""

import math

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import BandEdges, Choice, Explorable, Option, SliceAlong, Slider, SweptTensor
from lnviz.lessons.chart_axes import category_axis, linear_axis, log_axis, short_log_axis
from lnviz.lessons.charts import (
    Layer,
    Mark,
    bars,
    chart,
    fill_between,
    line,
    marker,
    mean_with_range,
    norm_line,
    threshold,
)

RATE = Slider.decades("rate", -2, 0, 2, 0.1)
STEP = Slider.linear("step", 1, 3, 1, 2)
HEIGHTS = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0])
X, Y = log_axis("rate", -2, 0), linear_axis("height", 0, 5)


def figure(drawn: list[list[Layer]], **tensors: SweptTensor) -> Explorable:
    """One chart over both sliders."""
    view = chart("t", drawn, X, Y, "a", legend=False)
    return Explorable("t", (RATE, STEP), tensors, ((view,),))


def shown(explorable: Explorable, state: dict[str, int]) -> dict[int, dict[str, list[float]]]:
    """What the chart's bound traces draw."""
    ((view,),) = explorable.views
    return view.trace_data(explorable.tensors, state)  # type: ignore[union-attr]


@pytest.mark.parametrize("position", range(RATE.size))
def test_a_curve_along_a_control_has_its_mark_where_the_control_stands(position: int) -> None:
    explorable = figure([line("a", "ink", RATE, "a")], a=SweptTensor((RATE.name,), HEIGHTS))
    curve, mark = shown(explorable, {"rate": position, "step": 0}).values()
    assert curve == {"y": HEIGHTS.tolist()}
    assert mark == {"x": [math.log10(RATE.values[position])], "y": [HEIGHTS[position].item()]}


def test_a_curve_of_numbers_that_stay_has_its_mark_too() -> None:
    explorable = figure([line("a", "ink", RATE, HEIGHTS)])
    assert shown(explorable, {"rate": 4, "step": 0}) == {1: {"x": [0.0], "y": [5.0]}}


def test_the_marks_of_one_control_are_one_trace_in_their_curves_colors() -> None:
    curves = [norm_line(norm, RATE, HEIGHTS + at) for at, norm in enumerate(("rms", "layer"))]
    plain = line("b", "ink", RATE, HEIGHTS, mark=None)
    view = chart("t", [*curves, plain], X, Y, "a", legend=False)
    assert [trace.mode for trace in view.figure.data] == ["lines", "lines", "lines", "markers"]
    mark = view.figure.data[-1]
    assert list(mark.marker.color) == ["var(--ln-rms)", "var(--ln-layer)"]
    assert not mark.showlegend
    assert view.trace_data({}, {"rate": 2})[3]["y"] == [4.0, 5.0]


def test_a_mark_may_look_otherwise() -> None:
    drawn = [line("a", "ink", RATE, HEIGHTS, mark=Mark("diamond", "soft"))]
    mark = chart("t", drawn, X, Y, "a", legend=False).figure.data[-1].marker
    assert (mark.symbol, mark.color) == ("diamond", "var(--ln-soft)")


def test_a_curve_with_more_places_than_the_control_has_its_mark_on_the_right_one() -> None:
    drawn = line("a", "ink", [0.0, 1.0, 2.0, 3.0], [9.0, 7.0, 8.0, 6.0], at=STEP)
    view = chart("t", [drawn], linear_axis("step"), Y, "a")
    assert [view.trace_data({}, {"step": at})[1] for at in range(3)] == [
        {"x": [1.0], "y": [7.0]},
        {"x": [2.0], "y": [8.0]},
        {"x": [3.0], "y": [6.0]},
    ]


def test_a_curve_without_a_point_for_the_control_is_refused() -> None:
    drawn = line("a", "ink", [0.0, 2.0, 3.0], [1.0, 1.0, 1.0], at=STEP)
    with pytest.raises(ValueError, match="'a' has no point where 'step' is 1"):
        chart("t", [drawn], linear_axis("step"), Y, "a")


def test_a_curve_shorter_than_its_control_is_refused() -> None:
    with pytest.raises(ValueError, match="whose y has 4 points; 'rate' needs 5"):
        figure([line("a", "ink", RATE, HEIGHTS[:4])])


def test_a_band_is_its_upper_edge_and_back_along_the_lower_one() -> None:
    drawn = line("a", "ink", STEP, "a", band=("low", "high"))
    view = chart("t", [drawn], linear_axis("step"), Y, "a")
    assert view.bind[0]["y"] == BandEdges(SliceAlong("high", "step"), SliceAlong("low", "step"))
    edges = {
        name: SweptTensor(("step",), torch.tensor(values))
        for name, values in (("low", [1.0, 2.0, 3.0]), ("high", [4.0, 5.0, 6.0]))
    }
    band = view.trace_data(edges | {"a": edges["low"]}, {"step": 0})[0]
    assert band["y"] == [4.0, 5.0, 6.0, 3.0, 2.0, 1.0]
    assert list(view.figure.data[0].x) == [1.0, 2.0, 3.0, 3.0, 2.0, 1.0]


def test_bands_lie_below_lines_and_marks_above_in_the_order_declared() -> None:
    values = torch.tensor([[1.0, 3.0], [2.0, 6.0], [0.0, 1.0]])
    drawn = [
        *(mean_with_range(token, token, STEP, values) for token in ("layer", "batch")),
        fill_between("soft", STEP, [0.0] * 3, [1.0] * 3),
    ]
    data = chart("t", drawn, linear_axis("step"), Y, "a", legend=False).figure.data
    assert [trace.fill for trace in data] == ["toself"] * 3 + [None] * 3
    assert [trace.line.color for trace in data[2:5]] == [
        "var(--ln-soft)",
        "var(--ln-layer)",
        "var(--ln-batch)",
    ]
    assert list(data[0].y) == [3.0, 6.0, 1.0, 0.0, 2.0, 1.0]
    assert list(data[3].y) == [2.0, 4.0, 0.5]


def test_a_mark_on_no_curve_stands_where_its_controls_stand() -> None:
    kind = Choice("kind", tuple(Option(name, name) for name in "ab"), "a")
    drawn = [marker(RATE, 0.5, Mark("triangle-up")), marker("place", kind)]
    view = chart("t", drawn, X, category_axis("kind", "ab"), "a")
    tensors = {"place": SweptTensor((RATE.name,), HEIGHTS)}
    first, second = view.trace_data(tensors, {"rate": 0, "kind": 1}).values()
    assert first == {"x": [-2.0]}
    assert list(view.figure.data[0].y) == [0.5]
    assert second == {"x": [3.0], "y": [1.0]}


def test_names_stand_at_the_lines_ends_in_the_lines_colors() -> None:
    lines = [line(n, token, RATE, HEIGHTS + at) for at, (n, token) in enumerate(CURVES.items())]
    view = chart("t", lines, X, Y, "a")
    names = view.figure.data[-1]
    assert [text.strip() for text in names.text] == list(CURVES)
    assert list(names.textfont.color) == [f"var(--ln-{token})" for token in CURVES.values()]
    assert list(names.x) == [0.0, 0.0]
    assert view.trace_data({}, {"rate": 0})[len(view.figure.data) - 1]["y"] == [5.0, 6.0]
    assert not any(trace.showlegend for trace in view.figure.data)


CURVES = {"a": "layer", "b": "batch"}
LINE = line("a", "ink", RATE, HEIGHTS)


@pytest.mark.parametrize(
    ("drawn", "height"),
    [
        pytest.param([LINE, bars("b", "ink", [0.0], [1.0])], 360, id="a name of bars"),
        pytest.param([line("a" * 40, "ink", RATE, HEIGHTS)], 360, id="a long name"),
        pytest.param([LINE], 100, id="a low chart"),
        pytest.param([line("a", "ink", "moving", "a")], 360, id="an end that moves"),
    ],
)
def test_a_legend_has_the_names_where_ends_have_no_room(
    drawn: list[list[Layer]], height: int
) -> None:
    figure = chart("t", drawn, X, Y, "a", height=height).figure
    assert figure.layout.showlegend
    assert not any(trace.mode == "text" for trace in figure.data if trace.type == "scatter")


def test_what_does_not_move_is_not_bound() -> None:
    view = chart("t", [bars("a", "ink", ["x"], [1.0]), [threshold(1.0, "w")]], X, Y, "a")
    assert view.bind == {}
    assert view.figure.layout.annotations[0].text == "w"


def test_ticks_of_powers_are_where_their_logarithms_are() -> None:
    axis = log_axis("t", 0, 3, base=2, ticks=(1, 2, 8)).layout()
    assert axis["tickvals"] == [0, 1, 3]
    assert axis["ticktext"] == ["1", "2", "8"]


def test_an_axis_of_few_decades_has_ticks_at_one_and_three() -> None:
    axis = short_log_axis("t", 0.5, 50).layout()
    inside = [
        text
        for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
        if axis["range"][0] <= at <= axis["range"][1]
    ]
    assert inside == ["1", "3", "10", "30"]


@pytest.mark.parametrize("base", [2, 10])
def test_a_controls_values_stand_at_their_logarithms(base: int) -> None:
    places = torch.tensor(log_axis("t", -2, 0, base=base).positions_of(RATE))
    assert_close(places, torch.tensor(RATE.values).log() / math.log(base))


def test_categories_have_a_name_at_each_whole_number() -> None:
    axis = category_axis("t", ("a", "b")).layout()
    assert (axis["tickvals"], axis["ticktext"]) == ([0.0, 1.0], ["a", "b"])
    assert axis["range"] == [-0.5, 1.5]
