from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.nn.functional import layer_norm
from torch.testing import assert_close

from lnviz.explorable import Readout
from lnviz.topics.successors.train import CLOUD, EPS, _cloud_arrays
from tests.lessons.running import built, printed, views

NORMS = len(CLOUD.result.specification.names)


figure = partial(built, "successors", "cloud")


def shares(kind: str, when: str) -> Tensor:
    """The mean over the seeds, by norm."""
    return CLOUD.result.tensor(kind, "seed", "norm", training=when).mean(0)


def test_the_text_is_right_about_the_stored_result() -> None:
    for when in ("before", "after"):  # hardly anything is bent
        assert (shares("straight", when) - shares("bent", when) < 0.01).all()
    ahead = {when: shares("straight", when) - shares("bent", when) for when in ("before", "after")}
    assert ahead["after"].argmin() == 0
    assert ahead["after"].argmax() == NORMS - 1
    assert ahead["after"].max() > ahead["before"].max()
    spread = shares("spread", "after")
    assert spread.argmax() == NORMS - 1
    assert spread.max() < 5  # far from ten
    at = [abs(alpha - 0.5) for alpha in CLOUD.result.specification.alphas]
    left = CLOUD.result.tensor("left", "alpha", "training", "norm")[at.index(min(at))]
    assert (left > 2 * CLOUD.result.tensor("bent", "seed", "training", "norm")[0]).all()


@pytest.mark.parametrize("layer", [1.0, 7.0, 13.0])
@pytest.mark.parametrize("training", ["before", "after"])
def test_a_tokens_points_lie_on_its_line_and_many_tokens_do_not(
    layer: float, training: str
) -> None:
    state = figure().state_at(layer=layer, training=training)
    slopes = []
    for name in ("small", "middle", "large"):
        x, y = (figure().lookup(f"{name} {axis}", state) for axis in "xy")
        slope = (y[1] - y[0]) / (x[1] - x[0])
        assert_close(slope, 1 / figure().lookup(f"{name} sigma", state), rtol=0.01, atol=0)
        slopes.append(slope)
    assert slopes[0] > slopes[1] > slopes[2]
    # The flattest line is as many times flatter as its token's standard deviation is larger.
    largest, smallest = (figure().lookup(f"{name} sigma", state) for name in ("large", "small"))
    assert_close(slopes[0] / slopes[2], largest / smallest, rtol=0.02, atol=0)


def test_the_spread_of_a_norm_is_the_ratio_of_its_steepest_line_to_its_flattest() -> None:
    result = CLOUD.result
    sizes = torch.tensor([0.5, 1.0, 3.0, 2.0])[:, None]
    inputs = sizes * torch.randn(1, 2, 4, 64, generator=torch.Generator().manual_seed(0))
    settings = replace(result.specification, tokens=4, alphas=(0.5, 1.0))
    found = _cloud_arrays(settings, torch.zeros(1), inputs)
    outputs = layer_norm(inputs, (64,), eps=EPS)
    slopes = (outputs[..., 1] - outputs[..., 0]) / (inputs[..., 1] - inputs[..., 0])
    assert_close(found["spread"], slopes.amax(-1) / slopes.amin(-1), rtol=1e-3, atol=0)
    shown = figure().lookup("spread", {**figure().start_state(), "layer": slice(None)})
    stored = result.tensor("spread", "norm", "seed", training="after").mean(1)
    assert_close(shown, stored, atol=0.01, rtol=0)


def test_the_best_alpha_leaves_least() -> None:
    left = figure().tensors["left"].values  # training,layers,alphas
    assert_close(left.amin(-1), figure().tensors["bent first"].values)
    assert (figure().tensors["bent here"].values <= figure().tensors["straight here"].values).all()


def test_the_figure_starts_at_the_best_alpha_of_the_norm_it_shows() -> None:
    state = figure().start_state()
    assert figure().lookup("left", state) == figure().lookup("bent first", state)


def test_every_norm_is_named_once() -> None:
    readouts = views(figure(), Readout)
    named = [view.when["layer"] for view in readouts if "layer" in view.when]
    assert named == [(float(layer),) for layer in range(1, NORMS + 1)]


def test_the_code_prints_less_for_tanh_than_for_a_line() -> None:
    (left,) = printed(figure(), figure().state_at(alpha=0.5))
    assert left[0] < left[1]
