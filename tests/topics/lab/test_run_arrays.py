"""Runs as arrays: what a record holds, by norm, batch size, rate, seed and step."""

import torch
from torch.testing import assert_close

from lnviz.topics.lab.run_arrays import to_arrays, train
from lnviz.training.experiment import TrainingSpec
from lnviz.training.record import LoggedMetrics, TrainingRecord

ASKED = TrainingSpec("digits", ("none", "layer"), (4, 1), (0.1, 0.01), (5, 7), steps=3, every=2)


def point(step: int) -> LoggedMetrics:
    """A measurement of the four runs, the rate 0.1 first, of which one has diverged."""
    scales = {"activations": {"0": [1.0, 2.0, 3.0, None]}, "gradients": {}}
    scales |= {"gains": {"1": [1.0, 1.0, 2.0, 4.0]}, "gain spreads": {}, "bias spreads": {}}
    losses = {name: [1.0, 2.0, 3.0, None] for name in ("loss", "validation loss")}
    values = losses | {"validation error": [0.1, 0.2, 0.3, 0.9], "scales": scales}
    return LoggedMetrics("layer", 4, step, 0.5 + step, values)


def test_numbers_stand_by_ascending_batch_size_and_rate_and_are_missing_elsewhere() -> None:
    outcomes = {("layer", 4): {"loss": [1.0, 2.0, 3.0, None], "error": [0.1, 0.2, 0.3, 0.9]}}
    known = to_arrays(TrainingRecord(ASKED, {}, (point(0), point(2)), outcomes))
    assert (known.axes["batch_size"], known.axes["rate"]) == ((1, 4), (0.01, 0.1))
    loss = known.tensor("loss", "rate", "seed", norm="layer", batch_size=4, step=2)
    expected = torch.tensor([[3.0, torch.nan], [1.0, 2.0]], dtype=torch.float64)
    assert_close(loss, expected, equal_nan=True)
    assert_close(
        known.tensor("test_loss", "rate", "seed", norm="layer", batch_size=4),
        expected,
        equal_nan=True,
    )
    seconds = known.tensor("seconds", "step", norm="layer", batch_size=4)
    assert seconds.nan_to_num(-1).tolist() == [0.5, 2.5, -1]
    assert known.tensor("loss", "rate", "seed", "step", norm="none", batch_size=4).isnan().all()
    assert known.tensor("test_error", "rate", "seed", norm="layer", batch_size=1).isnan().all()


def test_scales_are_means_over_the_seeds_of_a_rate() -> None:
    known = to_arrays(TrainingRecord(ASKED, {}, (point(0),), {}))
    at = {"norm": "layer", "batch_size": 4, "step": 0}
    assert known.tensor("gains", "rate", gain="1", **at).tolist() == [3.0, 1.0]
    activations = known.tensor("activations", "rate", layer="0", **at)
    assert activations.nan_to_num(-1).tolist() == [-1, 1.5]


def test_what_is_trained_here_has_all_points_and_is_tested() -> None:
    labels = []
    asked = TrainingSpec("digits", ("batch",), (4, 1), (0.1,), (0,), steps=3, every=2)
    known = train(asked, torch.device("cpu"), lambda label, step: labels.append((label, step)))
    assert labels == [("batch, batches of 4", step) for step in (0, 1, 2, 3)]
    error = known.tensor("validation_error", "batch_size", "step", norm="batch", rate=0.1, seed=0)
    assert error.isfinite().tolist() == [[False] * 3, [True] * 3]
    tested = known.tensor("test_error", "batch_size", norm="batch", rate=0.1, seed=0)
    assert tested.isfinite().tolist() == [False, True]
