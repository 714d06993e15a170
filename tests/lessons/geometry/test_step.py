import pytest
import torch
from torch.testing import assert_close

from lnviz.lessons.geometry.model import SHOWN, draw_model
from lnviz.lessons.geometry.step import DIRECTION, OCTAVE, SIZE, WEIGHT, WEIGHTS
from lnviz.norms import LAYER
from lnviz.topics.geometry import divergences
from tests.lessons.geometry.drawing import figure

ACROSS, LONGER = 90, 0
VECTOR = ("part", "vector")


def test_twice_a_position_is_a_position() -> None:
    assert [2 * value for value in WEIGHT.values] == list(WEIGHTS[OCTAVE:])


@pytest.mark.slow
@pytest.mark.parametrize("family", ["softmax", "logistic", "linear"])
@pytest.mark.parametrize("weight", [0.25, 1.0, 4.0])
def test_twice_the_length_is_a_quarter_of_the_divergence_for_ever_smaller_steps(
    family: str, weight: float
) -> None:
    shown = figure("step", ("family", family))
    where = shown.state_at(direction=ACROSS, weight_length=weight)
    assert_close(shown.lookup("layer limit", where).item(), 0.25, rtol=1e-5, atol=0.0)
    assert 0.22 < float(shown.lookup("layer share", where)) < 0.28


@pytest.mark.slow
def test_what_is_said_of_twice_the_length_is_what_is_drawn_there() -> None:
    shown = figure("step")
    here, there = (shown.state_at(weight_length=value, direction=40) for value in (2.0, 4.0))
    for norm in ("none", "layer"):
        one, two = (shown.lookup(f"{norm} nats", where) for where in (here, there))
        assert_close(shown.lookup(f"{norm} share", here), two / one, rtol=1e-3, atol=0.0)
        assert_close(one.log10(), shown.lookup(norm, here), rtol=0.0, atol=1e-3)
    assert_close(shown.lookup("pair", here)[1], shown.lookup("layer", there))
    assert shown.lookup("twice", here) == 4.0


def test_the_second_dot_leaves_where_twice_the_length_is_off_the_axis() -> None:
    shown = figure("step")
    ends = [shown.lookup("at", shown.state_at(weight_length=value)) for value in (2.0, 2.1)]
    assert [bool(end.isfinite().all()) for end in ends] == [True, False]


@pytest.mark.slow
def test_without_a_norm_a_linear_model_does_not_see_its_weights_length() -> None:
    shown = figure("step", ("family", "linear"))
    assert_close(shown.lookup("none share", shown.state_at(direction=ACROSS)).item(), 1.0)


@pytest.mark.parametrize("direction", [0, 180])
def test_along_the_weight_a_norm_sees_nothing_and_the_figure_says_so(direction: int) -> None:
    shown = figure("step")
    for weight in (0.25, 1.0, 4.0):
        where = shown.state_at(direction=direction, weight_length=weight)
        assert shown.lookup("layer share", where).isnan()
        assert shown.lookup("none share", where).isfinite()
        lowest = min(float(shown.tensors[norm.key].values.min()) for norm in SHOWN)
        assert shown.lookup("layer", where) == lowest
    findings = [v for row in shown.views for v in row if getattr(v, "style", "") == "finding"]
    assert [(v.if_finite, v.if_nan) for v in findings] == [("layer share", ""), ("", "layer share")]


@pytest.mark.slow
def test_one_vector_alone_is_seen_by_layernorm_along_itself() -> None:
    shown = figure("step", VECTOR)
    assert shown.tensors["layer share"].values.isfinite().all()


@pytest.mark.parametrize("part", ["matrix", "vector"])
@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_sigma_grows_in_step_with_the_matrix_and_not_with_one_vector(part: str, seed: int) -> None:
    model = draw_model("softmax", seed)
    found = divergences(model, LAYER, WEIGHT.values, [SIZE], [ACROSS], part=part, seed=seed)
    sigma = found.sigma.float().cpu()
    in_step = torch.allclose(sigma / sigma[0], torch.tensor(WEIGHT.values) / WEIGHT.values[0])
    assert in_step == (part == "matrix")
    if seed == 0:
        shown = figure("step", ("part", part)).tensors["sigma"].values
        assert_close(sigma, shown.cpu())


def test_what_is_undefined_is_what_has_moved_nothing() -> None:
    shown = figure("step")
    unknown = {name for name, s in shown.tensors.items() if not bool(s.values.isfinite().all())}
    assert unknown == {"layer share", "layer limit", "at"}
    between = shown.tensors["layer share"].values[:, 1 : DIRECTION.size - 1]
    assert bool(between.isfinite().all())
