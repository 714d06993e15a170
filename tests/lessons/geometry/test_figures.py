import json
from functools import partial
from inspect import signature

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Slider
from lnviz.geometry import PARTS
from lnviz.lessons.geometry import LESSON
from lnviz.lessons.geometry.figures import NORM, RUN, SHOWN, STEP
from lnviz.lessons.plots import decades
from tests.lessons.running import built, not_finite, printed

ACROSS, LONGER = 90.0, 0.0
figure = partial(built, "geometry")


def at_each_norm(explorable: Explorable, name: str, **state: object) -> Tensor:
    """A tensor of each norm at a state."""
    where = explorable.at(**state)
    return torch.stack([explorable.lookup(name.format(norm), where) for norm in SHOWN]).cpu()


@pytest.mark.parametrize(
    "query",
    [
        (),
        (("family", "logistic"), ("part", "vector"), ("seed", "9999")),
        (("family", "linear"),),
    ],
)
@pytest.mark.parametrize("state", [(1.0, ACROSS), (0.25, 45.0), (4.0, 150.0)])
def test_the_codes_step_is_the_figures(
    query: tuple[tuple[str, str], ...], state: tuple[float, float]
) -> None:
    shown = figure("step", *query)
    where = {"weight_norm": state[0], "direction": state[1]}
    (found,) = printed(shown, shown.at(**where))
    assert_close(found.log10().float(), at_each_norm(shown, "{}", **where), atol=1e-5, rtol=0.0)


@pytest.mark.parametrize("norm", SHOWN)
@pytest.mark.parametrize("size", [0.01, 0.1, 1.0])
def test_the_codes_curves_are_the_figures(norm: str, size: float) -> None:
    shown = figure("reach")
    where = shown.at(norm=norm, step_size=size)
    for found, name in zip(printed(shown, where), ("exact", "quadratic"), strict=True):
        assert_close(decades(found, -6), shown.lookup(name, where).cpu(), atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_codes_curvatures_are_the_figures(scale: float) -> None:
    shown = figure("gain")
    where = shown.at(input_scale=scale)
    (found,) = printed(shown, where)
    assert_close(found.log10().float(), shown.lookup("on", where).cpu())


# At the largest rates a run without a norm is chaotic: rounding grows.
@pytest.mark.parametrize("rate", [0.01, 1.0, 10.0])
def test_the_codes_descent_ends_as_the_figures(rate: float) -> None:
    shown = figure("descent")
    for found, name in zip(
        printed(shown, shown.at(learning_rate=rate)), ("{} length", "{} loss"), strict=True
    ):
        curves = at_each_norm(shown, name, learning_rate=rate)
        assert curves.shape[-1] == RUN + 1
        assert_close(found.log10().float(), curves[:, -1], atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("step", [0.0, 20.0, 199.0])
@pytest.mark.parametrize("query", [(), (("pixels", "centered"),)])
def test_the_codes_landscape_is_the_figures(
    query: tuple[tuple[str, str], ...], step: float
) -> None:
    shown = figure("landscape", *query)
    where = shown.at(training_step=step)
    (found,) = printed(shown, where)
    for norm, curve in zip(("none", "batch", "layer"), found, strict=True):
        assert_close(
            curve.log10().float(), shown.lookup(f"{norm} loss", where).cpu(), atol=1e-4, rtol=0.0
        )


@pytest.mark.parametrize("name", [found.name for found in LESSON.figures])
def test_no_code_needs_this_package(name: str) -> None:
    assert "lnviz" not in figure(name).code


@pytest.mark.parametrize("family", ["softmax", "logistic", "linear"])
def test_twice_the_norm_is_a_quarter_of_the_divergence_for_ever_smaller_steps(family: str) -> None:
    shown = figure("step", ("family", family))
    where = shown.at(direction=ACROSS)
    assert_close(shown.lookup("layer limit", where).item(), 4.0, rtol=1e-5, atol=0.0)
    ratio = shown.lookup("layer at 1", where) / shown.lookup("layer at 2", where)
    assert_close(shown.lookup("layer ratio", where), ratio)
    assert 3.5 < float(ratio) < 4.5


def test_without_a_norm_a_linear_model_does_not_see_its_weights_norm() -> None:
    shown = figure("step", ("family", "linear"))
    assert_close(shown.lookup("none ratio", shown.at(direction=ACROSS)).item(), 1.0)


@pytest.mark.parametrize("direction", [0.0, 180.0])
def test_along_the_weight_a_norm_sees_nothing_and_the_figure_says_so(direction: float) -> None:
    shown = figure("step")
    where = shown.at(direction=direction)
    assert shown.lookup("layer ratio", where).isnan()
    assert shown.lookup("none ratio", where).isfinite()
    lowest = min(float(shown.tensors[norm].values.min()) for norm in SHOWN)
    assert shown.lookup("layer", where) == lowest
    said = [view for row in shown.views for view in row if getattr(view, "lacking", "")]
    assert [view.lacking for view in said] == ["layer ratio"]


def test_one_vector_alone_is_seen_by_layernorm_along_itself() -> None:
    shown = figure("step", ("part", "vector"))
    assert shown.lookup("layer ratio", shown.at(direction=LONGER)).isfinite()
    assert "vector" in PARTS


def test_a_step_to_weights_of_length_zero_is_drawn_and_said() -> None:
    shown = figure("reach")
    (said,) = [v for row in shown.views for v in row if getattr(v, "look", "") == "verdict"]
    assert said.when[STEP.name] == (1.0,)
    assert set(said.when[NORM.name]) == set(SHOWN) - {"none"}
    for norm in said.when[NORM.name]:
        curve = shown.lookup("exact", shown.at(norm=norm, step_size=1.0))
        assert curve[-1] > curve[0]


@pytest.mark.parametrize("name", [found.name for found in LESSON.figures])
def test_nothing_undefined_is_drawn(name: str) -> None:
    given = {"layer at 1", "layer at 2", "layer ratio", "layer limit"}
    assert not_finite(figure(name)) == (given if name == "step" else set())


@pytest.mark.parametrize("name", [found.name for found in LESSON.figures])
def test_every_slider_has_positions_enough_to_move_smoothly(name: str) -> None:
    sliders = [c for c in figure(name).controls if isinstance(c, Slider)]
    assert sliders
    assert min(slider.size for slider in sliders) >= 200


@pytest.mark.parametrize("name", [found.name for found in LESSON.figures])
def test_every_charts_text_follows_the_state_and_its_axes_stay(name: str) -> None:
    shown = figure(name)
    charts = [view for row in shown.views for view in row if isinstance(view, Chart)]
    assert charts
    for chart in charts:
        drawn = json.loads(chart.figure.to_json())["layout"]
        assert all(len(drawn[axis]["range"]) == 2 for axis in ("xaxis", "yaxis"))
        assert any(f"{{{tensor}:" in chart.alt for tensor in shown.tensors)


@pytest.mark.parametrize("name", [found.name for found in LESSON.figures])
def test_what_is_drawn_lies_inside_the_axes(name: str) -> None:
    shown = figure(name)
    for chart in (view for row in shown.views for view in row if isinstance(view, Chart)):
        drawn = json.loads(chart.figure.to_json())["layout"]
        for sources in chart.bind.values():
            for attribute, source in sources.items():
                tensor = source if isinstance(source, str) else source.tensor
                values = shown.tensors[tensor].values
                low, high = drawn[f"{attribute}axis"]["range"]
                assert low < float(values.min())
                assert float(values.max()) < high


def test_a_figure_takes_the_arguments_its_address_can_give() -> None:
    for found in LESSON.figures:
        assert set(signature(found.build).parameters) == {p.name for p in found.parameters}


def test_the_weights_are_long_where_the_learning_rate_is_large() -> None:
    shown = figure("descent")
    grown = shown.tensors["grown"].values
    assert grown[-1] > 10 * grown[0]
    left = shown.tensors["left"].values
    assert left[-1] < 0.01 < 0.9 < left[0] <= 1
    # The start is as long at every rate, so what is left goes with the square of the end.
    assert_close(left * grown.square(), (left * grown.square())[0].expand(len(left)))
