from functools import partial

import pytest
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Readout
from lnviz.topics.successors.train import CLOUD
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
