"""Conversion of training records to arrays with named axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Header, Result
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.chunks import train_in_chunks
from lnviz.training.experiment import TrainingSpec
from lnviz.training.group import RunGroup
from lnviz.training.record import LoggedMetrics, TrainingRecord

NORM, SIZE, RATE, SEED, STEP = "norm", "batch_size", "rate", "seed", "step"
RUNS = (NORM, SIZE, RATE, SEED)
MEASURES = ("loss", "validation_loss", "validation_error")
LAYERS = {
    "activations": "layer",
    "gradients": "weight",
    "gains": "gain",
    "gain_spreads": "gain",
    "bias_spreads": "gain",
}
"""Name of the axis of layers, for each quantity of `lnviz.training.scales`."""


def to_arrays(record: TrainingRecord) -> ArrayDataset:
    """Return a training record's metrics as arrays, with NaN where unmeasured or not finite.

    Args:
        record: the record of a training, finished or not.

    Returns:
        Losses and errors by norm, batch size, learning rate, seed and step; seconds by norm, batch
        size and step; `test_loss` and `test_error` by norm, batch size, rate and seed; and scales,
        averaged over the seeds, by norm, batch size, rate, step and layer. Batch sizes and rates
        are in ascending order. Values of layers that a norm's model lacks are NaN.
    """
    s = record.specification
    steps = (0, *range(s.every, s.steps, s.every), s.steps)
    axes: dict[str, tuple[Any, ...]] = {
        NORM: s.norms,
        SIZE: tuple(sorted(s.batch_sizes)),
        RATE: tuple(sorted(s.rates)),
        SEED: s.seeds,
        STEP: steps,
    }
    firsts = {point.norm: point for point in reversed(record.metrics)}
    for kind, axis in LAYERS.items():
        listed = [
            firsts[norm].values["scales"][_record_key(kind)] for norm in s.norms if norm in firsts
        ]
        layers = (layer for layers in listed for layer in layers)
        axes[axis] = tuple(dict.fromkeys((*axes.get(axis, ()), *layers)))
    groups, runs = (len(axes[NORM]), len(axes[SIZE])), len(record.runs)

    def blank(*shape: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.full((*groups, *shape), np.nan)

    seconds = blank(len(steps))
    measures = {name: blank(len(steps), runs) for name in MEASURES}
    scales = {kind: blank(len(steps), len(axes[axis]), runs) for kind, axis in LAYERS.items()}
    for point in record.metrics:
        at = (*_group_index(axes, point.norm, point.batch_size), steps.index(point.step))
        seconds[at] = point.seconds
        for name, values in measures.items():
            values[at] = np.array(point.values[_record_key(name)], float)  # None is NaN
        for kind, values in scales.items():
            for layer, numbers in point.values["scales"][_record_key(kind)].items():
                values[(*at, axes[LAYERS[kind]].index(layer))] = np.array(numbers, float)
    tested = {name: blank(runs) for name in ("loss", "error")}
    for (norm, size), outcome in record.test_results.items():
        for name, values in tested.items():
            values[_group_index(axes, norm, size)] = np.array(outcome[name], float)

    def by_rate(values: np.ndarray[Any, Any]) -> Tensor:
        """Split the axis of runs into learning rates, in ascending order, and seeds."""
        order = sorted(range(len(s.rates)), key=s.rates.__getitem__)
        split: Tensor = torch.from_numpy(values).unflatten(-1, (len(s.rates), len(s.seeds)))
        return split[..., order, :]

    return ArrayDataset(
        axes,
        {"seconds": NamedArray((NORM, SIZE, STEP), torch.from_numpy(seconds))}
        | {
            name: NamedArray((*RUNS, STEP), by_rate(values).movedim(2, -1))
            for name, values in measures.items()
        }
        | {f"test_{name}": NamedArray(RUNS, by_rate(values)) for name, values in tested.items()}
        | {
            kind: NamedArray(
                (NORM, SIZE, RATE, STEP, LAYERS[kind]),
                by_rate(values).mean(-1).movedim(-1, 2),
            )
            for kind, values in scales.items()
        },
    )


def train(specification: TrainingSpec, on: torch.device, report: ProgressCallback) -> ArrayDataset:
    """Train an experiment's model with every norm and batch size, and return the metrics.

    Args:
        specification: the specification of the runs.
        on: the device to train on.
        report: called after each step with norm and batch size, and the number of steps done.

    Returns:
        The arrays of `to_arrays` for all runs.

    Raises:
        SpecificationError: the specification is invalid.
    """
    experiment = EXPERIMENTS[specification.experiment]
    experiment.check(specification)
    points: list[LoggedMetrics] = []
    outcomes: dict[tuple[str, int], Mapping[str, Any]] = {}
    for at, (norm, size) in enumerate(experiment.groups(specification)):
        group = RunGroup(experiment, specification, norm, size, on)
        for stretch in train_in_chunks(group, at, None, report):
            points += stretch.metrics
            outcomes |= {(norm, size): stretch.test_result.values} if stretch.test_result else {}
    return to_arrays(TrainingRecord(specification, {}, tuple(points), outcomes))


def to_result(record: TrainingRecord) -> Result[TrainingSpec]:
    """Convert a training record to a `Result`, the form of stored results."""
    versions = dict(record.environment)
    device = versions.pop("device", "a device that nobody wrote down")
    document = record.specification.to_dict()
    header = Header("lnviz train run", document, versions, device, day="", fingerprint="")
    dataset = to_arrays(record)
    return Result(dataset.axes, dataset.arrays, record.specification, header)


def _record_key(name: str) -> str:
    """Return the key under which a training record stores the metric of an array."""
    return name.replace("_", " ")


def _group_index(axes: Mapping[str, tuple[Any, ...]], norm: str, size: int) -> tuple[int, int]:
    return axes[NORM].index(norm), axes[SIZE].index(size)
