"""The networks trained on digits, and the result that is shipped."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from lnviz.results.arrays import ArrayDataset
from lnviz.topics.recurrence.reader import KINDS, NetworkKind, SequenceClassifier
from lnviz.topics.recurrence.sequences import append_empty_steps, digit_sequences
from lnviz.topics.recurrence.train import RECURRENCE, RecurrenceSpecification, compare

SMALL = RecurrenceSpecification(
    units=6, steps=4, every=2, longest_wait=2, waits=(0, 2, 5), seeds=(1, 4, 6)
)


def trained(
    specification: RecurrenceSpecification = SMALL, kinds: Mapping[str, NetworkKind] = KINDS
) -> ArrayDataset:
    return compare(specification, torch.device("cpu"), lambda label, step: None, kinds)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return trained()


def test_shares_are_shares_and_losses_are_finite() -> None:
    result = RECURRENCE.result
    for name, along in (("accuracy", "step"), ("accuracy_after", "length")):
        shares = result.tensor(name, "kind", "seed", along)
        assert ((shares >= 0) & (shares <= 1)).all()
    losses = result.tensor("loss", "kind", "seed", "step")
    assert ((losses > 0) & losses.isfinite()).all()


def test_in_the_shipped_result_every_kind_has_learned() -> None:
    accuracy = RECURRENCE.result.tensor("accuracy", "step", "kind", "seed")
    assert (accuracy[-1] > 0.5).all()
    assert (accuracy[0] < 0.5).all()


def test_training_again_gives_the_same(found: ArrayDataset) -> None:
    lstm = {"lstm-layer": KINDS["lstm-layer"]}
    again = trained(kinds=lstm)
    for name, along in (("loss", "step"), ("test_loss", "step"), ("accuracy_after", "length")):
        first = found.tensor(name, "seed", along, kind="lstm-layer")
        assert torch.equal(again.tensor(name, "seed", along, kind="lstm-layer"), first)


def test_the_seeds_of_a_run_do_not_depend_on_the_others(found: ArrayDataset) -> None:
    lstm = {"lstm": KINDS["lstm"]}
    alone = trained(replace(SMALL, seeds=(4,)), lstm)
    one, other = (runs.tensor("loss", "step", kind="lstm", seed=4) for runs in (alone, found))
    assert_close(one, other, rtol=1e-3, atol=0)


def test_norms_add_no_weights_but_gains_and_biases(found: ArrayDataset) -> None:
    count = {key: int(found.tensor("parameters", kind=key)) for key in KINDS}
    units = SMALL.units
    assert count["lstm"] == 4 * units * (8 + units + 1) + 10 * (units + 1)
    assert count["lstm-layer"] - count["lstm"] == 2 * (4 + 4 + 1) * units
    assert count["lstm-batch-gain-1"] == count["lstm-batch"]
    # The projections' norms have no bias.
    assert count["lstm-batch"] - count["lstm"] == (4 + 4 + 2) * units
    # Four norms for two biases.
    assert count["gru-layer"] - count["gru"] == 4 * 3 * units - 2 * 3 * units


def test_all_lengths_are_asked_about_in_one_pass() -> None:
    torch.manual_seed(0)
    model = SequenceClassifier(KINDS["lstm-batch"].build(8, 6, 10), 10).eval()
    x = digit_sequences("rows").test.x[:5]
    whole = model(append_empty_steps(x, 20))
    for wait in (0, 7, 20):
        assert_close(whole[:, 7 + wait], model(append_empty_steps(x, wait))[:, -1])


def test_reports_count_the_batches_of_every_kind() -> None:
    seen: list[tuple[str, int]] = []
    kinds = {key: KINDS[key] for key in ("gru", "gru-layer")}
    compare(SMALL, torch.device("cpu"), lambda label, step: seen.append((label, step)), kinds)
    assert seen == [(kind.label, step) for kind in kinds.values() for step in range(1, 5)]
