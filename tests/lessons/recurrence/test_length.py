from functools import partial

import pytest
import torch

from lnviz.explorable import Readout
from lnviz.lessons.recurrence.bands import FAMILIES, lengths, longest, members, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.sequences import append_empty_steps, digit_sequences
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.running import built, printed, views

figure = partial(built, "recurrence", "length")


def test_beyond_training_a_network_without_a_norm_remembers_longer_than_its_like() -> None:
    far = [at for at, steps in enumerate(lengths()) if 2 * longest() < steps < 100]
    assert far
    for at in far:
        right = {key: runs(key, "accuracy_after").mean(0)[at] for key in KINDS}
        assert right["gru"] > right["gru-layer"]
        assert right["lstm"] > right["lstm-layer"] > right["lstm-batch"]


def test_what_is_said_of_longer_sequences_stands_at_those_alone() -> None:
    (verdict,) = [
        readout for readout in views(figure(), Readout) if "sequence length" in readout.when
    ]
    longer = {float(steps) for steps in lengths() if steps > longest()}
    assert set(verdict.when["sequence length"]) == longer
    digit = int(RECURRENCE.result.tensor("read_steps"))
    assert f"{digit} steps show the digit, the rest are empty" in verdict.text
    split = digit_sequences(RECURRENCE.result.specification.reading)
    shown = append_empty_steps(split.test.x, max(lengths()) - digit)
    assert shown.shape[1] == max(lengths())
    assert shown[:, :digit].flatten(1).any(1).all()
    assert not shown[:, digit:].any()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_best_of_a_cell_is_counted_over_the_lengths_past_training(family: str) -> None:
    (said,) = [
        r.text
        for r in views(figure(), Readout)
        if "beyond training" in r.text and family in r.when["network"]
    ]
    far = torch.tensor(lengths()) > longest()
    right = torch.stack([runs(key, "accuracy_after").mean(0)[far] for key in members(family)])
    for at, key in enumerate(members(family)):
        count = int((right.argmax(0) == at).sum())
        assert (f"{KINDS[key].label} at {count}" in said) == (count > 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_code_asks_a_network_after_the_length_at_the_slider(family: str) -> None:
    state = figure().state_at(network=family, sequence_length=136)
    assert "length = 136\n" in figure().code_at(state)
    (right,) = printed(figure(), state)
    assert 0 <= right <= 1
