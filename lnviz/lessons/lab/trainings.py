"""A record of a training as tensors: what was measured of every run, wherever it has got to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.lessons.lab.drawing import MEASURES, known
from lnviz.training.experiment import Experiment
from lnviz.training.record import Measured, Record

MOST = 100  # measurements that are drawn of each run
NOTHING = (0.1, 1.0)  # ends of an axis on which nothing can be drawn
Group = tuple[str, int]
"""A norm and a batch size: their runs train as one."""


@dataclass(frozen=True, eq=False)
class Layers:
    """A number for every layer of one norm's networks.

    Attributes:
        names: of the layers, as the model has them.
        values: NaN where nothing was measured.
    """

    names: tuple[str, ...]
    values: Float[Tensor, "sizes points rates seeds layers"]

    @cached_property
    def mean(self) -> Float[Tensor, "sizes points rates layers"]:
        """Over the seeds."""
        return self.values.mean(3)


@dataclass(frozen=True, eq=False)
class Trainings:
    """The runs of a record; batch sizes and learning rates ascend.

    Tensors are NaN where nothing was measured, and where a number is not finite.

    Attributes:
        record: what is known.
        experiment: that its specification names.
        looked: after how many steps a run is measured when it gets there, without step 0.
        steps: those of these that are drawn.
        seconds: of training all runs of a group.
        values: by the attribute of a measure, in its unit.
        errors: of the validation part, at all steps that are looked at, in %.
        diverged: where a loss was measured and is not finite.
        scales: how large things are in every layer, by norm and as `lnviz.training.scales.scales`
            names them; nothing of a norm that has not begun.
    """

    record: Record
    experiment: Experiment
    looked: tuple[int, ...]
    steps: tuple[int, ...]
    seconds: Float[Tensor, "norms sizes points"]
    values: dict[str, Float[Tensor, "norms sizes rates seeds points"]]
    errors: Float[Tensor, "norms sizes rates seeds looked"]
    diverged: Bool[Tensor, "norms sizes rates seeds points"]
    scales: dict[tuple[str, str], Layers]

    @property
    def norms(self) -> tuple[str, ...]:
        """Keys, in the order of the specification."""
        return self.record.specification.norms

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the batches."""
        return tuple(sorted(self.record.specification.batch_sizes))

    @property
    def rates(self) -> tuple[float, ...]:
        """Of Adam."""
        return tuple(sorted(self.record.specification.rates))

    @property
    def seeds(self) -> int:
        """How many there are."""
        return len(self.record.specification.seeds)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Norms and batch sizes that go together, in the order in which they train."""
        return tuple(self.experiment.groups(self.record.specification))

    @cached_property
    def measured(self) -> Bool[Tensor, "norms sizes points"]:
        """Which groups have got how far."""
        return self.seconds.isfinite()

    @cached_property
    def ends(self) -> dict[str, tuple[float, float]]:
        """Of each measure the smallest number above 0 of any run, and the largest."""
        found = {name: v[v.isfinite() & (v > 0)] for name, v in self.values.items()}
        return {
            name: (float(v.min()), float(v.max())) if len(v) else NOTHING
            for name, v in found.items()
        }

    @property
    def ended(self) -> tuple[Group, ...]:
        """Groups that have been tested."""
        return tuple(group for group in self.groups if group in self.record.outcomes)

    @property
    def begun(self) -> tuple[Group, ...]:
        """Groups that something is known of, but not all."""
        found = dict.fromkeys((p.norm, p.batch_size) for p in self.record.points)
        return tuple(g for g in self.groups if g in found and g not in self.record.outcomes)

    @property
    def waiting(self) -> tuple[Group, ...]:
        """Groups that nothing is known of."""
        return tuple(g for g in self.groups if g not in (*self.ended, *self.begun))

    @property
    def latest(self) -> int:
        """The last step that any group was measured at; the first one where none was."""
        reached = self.measured.flatten(0, 1).any(0)
        return self.steps[max(0, int(reached.sum()) - 1)]

    def of(self, norm: str, size: int) -> tuple[int, int]:
        """The place of a group in the tensors."""
        return self.norms.index(norm), self.sizes.index(size)

    @cached_property
    def tested(self) -> Float[Tensor, "norms sizes rates seeds"]:
        """Share of the test part named wrong; NaN where a run has diverged or not ended, in %."""
        shape = (len(self.norms), len(self.sizes), len(self.rates), self.seeds)
        found = torch.full(shape, math.nan, dtype=torch.float64)
        for (norm, size), outcome in self.record.outcomes.items():
            loss, error = (
                _by_rate(self.record, _numbers(outcome[name])) for name in ("loss", "error")
            )
            found[self.of(norm, size)] = 100 * error.where(loss.isfinite(), math.nan)
        return found


def trainings(record: Record, experiment: Experiment) -> Trainings:
    """Return what was measured of a record as tensors."""
    s = record.specification
    sizes, looked = sorted(s.batch_sizes), (*range(s.every, s.steps, s.every), s.steps)
    drawn = shown(len(looked))
    steps = tuple(looked[at] for at in drawn)
    points = {(p.norm, p.batch_size, p.step): p for p in record.points}
    keys = [(norm, size, step) for norm in s.norms for size in sizes for step in looked]
    shape = (len(s.norms), len(sizes), len(looked), len(s.rates), len(s.seeds))

    def gathered(attribute: str) -> Tensor:
        blank = [None] * (len(s.rates) * len(s.seeds))
        found = [points[key].values[attribute] if key in points else blank for key in keys]
        return _by_rate(record, _numbers(found)).view(shape).movedim(2, -1)

    raw = {m.attribute: gathered(m.attribute.replace("_", " ")) for m in MEASURES}
    seconds = [points[key].seconds if key in points else math.nan for key in keys]
    spent = torch.tensor(seconds, dtype=torch.float64).view(shape[:3])
    there = spent.isfinite()[:, :, None, None]
    diverged = there & ~(raw["loss"].isfinite() & raw["validation_loss"].isfinite())
    values = {
        m.attribute: m.factor * known(raw[m.attribute]).masked_fill(diverged, math.nan)
        for m in MEASURES
    }
    scales = {}
    for norm in s.norms:
        each = [[points.get((norm, size, step)) for step in steps] for size in sizes]
        some = next((point for row in each for point in row if point), None)
        for kind, layers in (some.values["scales"] if some else {}).items():
            scales[norm, kind] = _layers(record, kind, tuple(layers), each)
    return Trainings(
        record,
        experiment,
        looked,
        steps,
        spent[..., drawn],
        {name: each[..., drawn] for name, each in values.items()},
        values["validation_error"],
        diverged[..., drawn],
        scales,
    )


def _layers(
    record: Record, kind: str, names: tuple[str, ...], points: list[list[Measured | None]]
) -> Layers:
    """A kind of measurement of one norm, by batch size and step."""
    blank = [[None] * len(record.runs)] * len(names)
    found = [
        [[p.values["scales"][kind][name] for name in names] if p else blank for p in row]
        for row in points
    ]
    numbers = _numbers(found).reshape(len(points), len(points[0]), len(names), len(record.runs))
    return Layers(names, _by_rate(record, numbers).movedim(2, -1))


def shown(count: int) -> list[int]:
    """Return which of so many measurements are drawn, the last one among them.

    >>> shown(4), shown(250)[:3], shown(250)[-1]
    ([0, 1, 2, 3], [0, 3, 6], 249)
    """
    stride = math.ceil(count / MOST)
    return list(range((count - 1) % stride, count, stride))


def _numbers(values: Any) -> Float[Tensor, "*shape"]:
    """Nested lists as a tensor, NaN for None."""
    return torch.tensor(np.array(values, dtype=np.float64))


def _by_rate(record: Record, values: Float[Tensor, "*at runs"]) -> Float[Tensor, "*at rates seeds"]:
    """A number of each run of a group, learning rates ascending."""
    s = record.specification
    order = sorted(range(len(s.rates)), key=s.rates.__getitem__)
    found: Tensor = values.unflatten(-1, (len(s.rates), len(s.seeds)))
    return found[..., order, :]
