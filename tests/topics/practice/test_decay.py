"""A gain under AdamW's decay, with a loss and without."""

import pytest
import torch

from lnviz.topics.practice.decay import RATE, STEPS, WAYS, DecayRuns, train_with_decay

DECAYS = (0.0, 0.2, 1.0)
ALONE, BOTH, GAIN = map(WAYS.index, ("alone", "both", "gain"))


@pytest.fixture(scope="module")
def runs() -> DecayRuns:
    return train_with_decay(DECAYS)


def test_decay_alone_takes_a_gain_to_0_as_adamw_says(runs: DecayRuns) -> None:
    left = (1 - RATE * torch.tensor(DECAYS)[:, None]) ** runs.steps
    torch.testing.assert_close(runs.gain[ALONE], left, rtol=1e-3, atol=1e-6)
    torch.testing.assert_close(runs.weights[ALONE], left, rtol=1e-3, atol=1e-6)
    assert runs.gain[ALONE, 2, -1] < 1e-4


def test_a_loss_holds_the_product_while_the_gain_falls(runs: DecayRuns) -> None:
    free, *held = runs.product[GAIN, :, -1]
    assert all(abs(each / free - 1) < 0.05 for each in held)
    assert runs.gain[GAIN, 1, -1] < 0.65
    assert runs.weights[GAIN, 1, -1] > 1.5 * runs.weights[GAIN, 0, -1]
    assert bool((runs.loss[GAIN, :, -1] < 0.01).all())
    assert bool((runs.gain[GAIN, 1:, -1] < runs.gain[BOTH, 1:, -1]).all())


def test_decay_of_both_hardly_moves_the_gain_until_it_is_strong(runs: DecayRuns) -> None:
    free, usual, strong = runs.gain[BOTH, :, -1] / runs.gain[BOTH, 0, -1]
    assert 0.97 < usual < free
    assert strong < 0.8


def test_without_decay_all_ways_with_a_loss_are_one(runs: DecayRuns) -> None:
    torch.testing.assert_close(runs.gain[BOTH, 0], runs.gain[GAIN, 0])
    assert len(runs.steps) == runs.gain.shape[-1]
    assert runs.steps[-1] == STEPS
