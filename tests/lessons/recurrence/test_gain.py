from functools import partial

import pytest
from torch.testing import assert_close

from lnviz.lessons.recurrence.gain import GAIN
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.running import built

figure = partial(built, "recurrence", "gain")


def test_a_small_gain_leaves_tanh_steep_and_yet_less_gradient_comes_back() -> None:
    small, one = (figure().at(gain=value) for value in (0.1, 1.0))
    assert figure().lookup("slope", small) > 0.98 > 0.7 > figure().lookup("slope", one)
    assert figure().lookup("back", small) < figure().lookup("back", one) / 100
    assert figure().lookup("flat", small) == 0 < figure().lookup("flat", one)


def test_with_the_identity_and_nothing_coming_in_it_is_the_large_gain_that_loses() -> None:
    state = figure().at(recurrent_matrix="identity", coming_in="none")
    assert figure().lookup("tenth", state) > 10 * figure().lookup("one", state)


@pytest.mark.parametrize("matrix", ["random", "identity"])
def test_an_input_takes_its_share_of_a_gradient_at_every_small_gain(matrix: str) -> None:
    state = figure().at(gain=0.1, recurrent_matrix=matrix, coming_in="input")
    assert_close(figure().lookup("each", state).item(), 0.5**0.5, rtol=0, atol=0.05)
    assert figure().lookup("each", state | {"coming in": 1}) > 0.9


def test_both_gains_of_the_lesson_are_positions_of_the_slider() -> None:
    assert {0.1, 1.0} <= set(GAIN.values)
    assert GAIN.size > 200


def test_what_the_trained_networks_did_is_read_from_the_stored_result() -> None:
    (said,) = [v.text for row in figure().views for v in row if "trained" in getattr(v, "text", "")]
    for kind in ("lstm-batch", "lstm-batch-gain-1"):
        runs = RECURRENCE.result.tensor("accuracy", "seed", "step", kind=kind)
        assert f"{runs[:, -1].mean():.2f}" in said
