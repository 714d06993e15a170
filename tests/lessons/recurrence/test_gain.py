from functools import partial

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.lessons.recurrence.gain import GAIN, NETWORKS
from lnviz.lessons.recurrence.text_values import text_values
from lnviz.topics.recurrence import UntrainedNetwork, flow
from lnviz.topics.recurrence.flow import draw
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.saturation import FLAT
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.running import built

figure = partial(built, "recurrence", "gain")


@pytest.mark.slow
def test_a_small_gain_leaves_tanh_steep_and_yet_less_gradient_comes_back() -> None:
    small, one = (figure().state_at(gain=value) for value in (0.1, 1.0))
    assert figure().lookup("slope", small) > 0.97 > 0.6 > figure().lookup("slope", one)
    assert figure().lookup("back", small) < figure().lookup("back", one) / 100
    assert figure().lookup("flat", small) == 0
    assert figure().lookup("flat", one) > 15


@pytest.mark.parametrize("matrix", ["random", "identity"])
@pytest.mark.parametrize("coming", ["input", "none"])
@pytest.mark.parametrize("gain", [0.1, 1.0])
def test_slopes_are_those_of_the_network_that_is_run(matrix: str, coming: str, gain: float) -> None:
    network = NETWORKS[matrix == "identity"][coming == "none"]
    drawn = draw(network, torch.device("cpu"))
    h, before = drawn.first, []
    for x in drawn.added:
        parts = [F.batch_norm(a, None, None, training=True) for a in (h @ drawn.weight.T, x)]
        before.append(gain * sum(parts))
        h = before[-1].tanh()
    slopes = 1 - torch.stack(before[1:]).tanh().square()
    state = figure().state_at(gain=gain, recurrent_matrix=matrix, coming_in=coming)
    assert_close(figure().lookup("slope", state), slopes.mean(), rtol=0, atol=0.002)
    flat = 100 * (slopes < FLAT).float().mean()
    assert_close(figure().lookup("flat", state), flat, rtol=0, atol=0.5)


def test_with_the_identity_and_nothing_coming_in_it_is_the_large_gain_that_loses() -> None:
    state = figure().state_at(recurrent_matrix="identity", coming_in="none")
    assert figure().lookup("tenth", state) > 10 * figure().lookup("one", state)


@pytest.mark.parametrize("matrix", ["random", "identity"])
def test_an_input_takes_its_share_of_a_gradient_at_every_small_gain(matrix: str) -> None:
    for gain in (0.01, 0.03, 0.1):
        state = figure().state_at(gain=gain, recurrent_matrix=matrix, coming_in="input")
        assert 0.69 < figure().lookup("each", state) < 0.79
        nothing = figure().lookup("each", state | {"coming in": 1}).item()
        assert_close(nothing, 1.0, rtol=0, atol=0.01)
    state = figure().state_at(recurrent_matrix=matrix)
    assert figure().lookup("slope", state | {"gain": GAIN.index(0.1)}) > 0.97
    assert_close(
        figure().lookup("each at tenth", state),
        figure().lookup("each", state | {"gain": GAIN.index(0.1)}),
    )


@pytest.mark.parametrize("network", [row[0] for row in NETWORKS])
def test_half_the_variance_of_what_goes_into_tanh_is_the_inputs(network: UntrainedNetwork) -> None:
    drawn = draw(network, torch.device("cpu"))
    h, shares = drawn.first, []
    for added in drawn.added:
        parts = [F.batch_norm(a, None, None, training=True) for a in (h @ drawn.weight.T, added)]
        h = (0.1 * sum(parts)).tanh()
        shares.append(float(parts[1].var() / sum(parts).var()))
    assert_close(sum(shares) / len(shares), 0.5, rtol=0, atol=0.02)


@pytest.mark.parametrize("matrix", ["random", "identity"])
@pytest.mark.parametrize("coming", ["input", "none"])
def test_the_gradient_is_measured_from_where_the_norm_has_set_the_size_of_the_state(
    matrix: str, coming: str
) -> None:
    network = NETWORKS[matrix == "identity"][coming == "none"]
    track = flow("batch", torch.ones(1), network, gain=0.1)
    state = figure().state_at(gain=0.1, recurrent_matrix=matrix, coming_in=coming)
    assert_close(figure().lookup("back", state), track.gradient[0, 1])
    assert track.state[0, 0] > 5 * track.state[0, 1]
    settled = track.state[0, 1:]
    assert settled.max() < 1.3 * settled.min()


def test_both_gains_of_the_lesson_are_positions_of_the_slider() -> None:
    assert {0.1, 1.0} <= set(GAIN.values)
    assert GAIN.size > 200


def test_what_the_trained_networks_did_is_read_from_the_stored_result() -> None:
    for kind, name in (("lstm-batch", "learned-small"), ("lstm-batch-gain-1", "learned-one")):
        runs = RECURRENCE.result.tensor("accuracy", "seed", "step", kind=kind)
        assert text_values()[name] == pytest.approx(float(runs[:, -1].mean()))
        assert KINDS[kind].gain == {"learned-small": 0.1, "learned-one": 1.0}[name]
    small, one = (
        RECURRENCE.result.tensor("accuracy", "seed", "step", kind=kind)[:, -1]
        for kind in ("lstm-batch", "lstm-batch-gain-1")
    )
    assert (small.mean() - one.mean()).abs() < torch.stack([small, one]).std(1).min()
