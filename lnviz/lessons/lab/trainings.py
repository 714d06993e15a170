"""What was measured of runs as tensors in the units of a page, wherever the runs have got to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.lessons.lab.measures import MEASURES, known, label
from lnviz.results.stored import Result
from lnviz.topics.lab.run_arrays import LAYERS, NORM, RATE, RUNS, SIZE, STEP
from lnviz.training.experiment import Experiment, TrainingSpec

HEADS = {"paper": "as in the paper"}
"""What is said of norms that stand otherwise than those beside them."""
MOST = 100  # measurements that are drawn of each run
NOTHING = (0.1, 1.0)  # ends of an axis on which nothing can be drawn
Group = tuple[str, int]
"""A row and a batch size: their runs train as one."""


@dataclass(frozen=True)
class Row:
    """The runs of one norm.

    Attributes:
        key: its name in the names of tensors.
        norm: its norm in the catalogue.
        label: its name on a page.
    """

    key: str
    norm: str
    label: str


@dataclass(frozen=True, eq=False)
class Layers:
    """A number for every layer of one norm's networks, mean over the seeds.

    Attributes:
        names: the names of the layers, as the model has them.
        mean: the means; NaN where nothing was measured.
    """

    names: tuple[str, ...]
    mean: Float[Tensor, "sizes points rates layers"]


@dataclass(frozen=True, eq=False)
class Trainings:
    """Runs side by side; batch sizes and learning rates ascend.

    Tensors are NaN where nothing was measured, and where a number is not finite.

    Attributes:
        results: the results that are known; their specifications differ in norms and heads alone.
        experiment: the experiment that the specifications name.
        rows: every norm of the results in order; one that stands otherwise than those of the first
            result is a row of its own.
        looked: after how many steps a run is measured when it gets there, without step 0.
        steps: the steps among these that are drawn.
        seconds: seconds of training all runs of a group.
        values: what was measured, by the attribute of a measure, in its unit.
        errors: errors on the validation part, at all steps that are looked at, in %.
        diverged: where a loss was measured and is not finite.
        tested: the share of the test part named wrong, in %; NaN where a run has diverged or not
            ended.
        scales: how large things are in every layer, by row and as `lnviz.training.scales.scales`
            names them; nothing of a norm that has not begun.
        times: how often a group was measured, the time before the first step among them.
        over: the groups that have been tested.
    """

    results: tuple[Result[TrainingSpec], ...]
    experiment: Experiment
    rows: tuple[Row, ...]
    looked: tuple[int, ...]
    steps: tuple[int, ...]
    seconds: Float[Tensor, "rows sizes points"]
    values: dict[str, Float[Tensor, "rows sizes rates seeds points"]]
    errors: Float[Tensor, "rows sizes rates seeds looked"]
    diverged: Bool[Tensor, "rows sizes rates seeds points"]
    tested: Float[Tensor, "rows sizes rates seeds"]
    scales: dict[tuple[str, str], Layers]
    times: Int[Tensor, "rows sizes"]
    over: Bool[Tensor, "rows sizes"]

    @property
    def specification(self) -> TrainingSpec:
        """The specification of the first result."""
        return self.results[0].specification

    @cached_property
    def norms(self) -> tuple[str, ...]:
        """The keys of the rows."""
        return tuple(row.key for row in self.rows)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the batches."""
        return tuple(sorted(self.specification.batch_sizes))

    @cached_property
    def rates(self) -> tuple[float, ...]:
        """The learning rates of Adam."""
        return tuple(sorted(self.specification.rates))

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return len(self.specification.seeds)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Rows and batch sizes that go together, in the order in which they train."""
        return tuple(
            (_row(result, norm, self.results[0]).key, size)
            for result in self.results
            for norm, size in self.experiment.groups(result.specification)
        )

    @cached_property
    def measured(self) -> Bool[Tensor, "rows sizes points"]:
        """How far each group has got."""
        return self.seconds.isfinite()

    @cached_property
    def ends(self) -> dict[str, tuple[float, float]]:
        """The smallest number above 0 of any run, and the largest, for each measure."""
        shown = {name: v[v.isfinite() & (v > 0)] for name, v in self.values.items()}
        return {
            name: (float(v.min()), float(v.max())) if len(v) else NOTHING
            for name, v in shown.items()
        }

    @cached_property
    def reached(self) -> dict[Group, int]:
        """The last step that each group was measured at of which something is known."""
        times = {group: int(self.times[self.of(*group)]) for group in self.groups}
        return {group: (0, *self.looked)[count - 1] for group, count in times.items() if count}

    @cached_property
    def ended(self) -> tuple[Group, ...]:
        """Groups that have been tested."""
        return tuple(group for group in self.groups if self.over[self.of(*group)])

    @cached_property
    def begun(self) -> tuple[Group, ...]:
        """Groups that something is known of, but not all."""
        return tuple(g for g in self.groups if g in self.reached and g not in self.ended)

    @cached_property
    def waiting(self) -> tuple[Group, ...]:
        """Groups that nothing is known of."""
        return tuple(g for g in self.groups if g not in (*self.ended, *self.begun))

    @cached_property
    def latest(self) -> int:
        """The last step that any group was measured at; the first one where none was."""
        reached = self.measured.flatten(0, 1).any(0)
        return self.steps[max(0, int(reached.sum()) - 1)]

    def of(self, row: str, size: int) -> tuple[int, int]:
        """Return the place of a group in the tensors."""
        return self.norms.index(row), self.sizes.index(size)


def trainings(results: Sequence[Result[TrainingSpec]], experiment: Experiment) -> Trainings:
    """Return what was measured as tensors.

    Args:
        results: the results that are known; their specifications differ in norms and heads alone.
        experiment: the experiment that the specifications name.
    """

    def of_all(name: str, *over: str) -> Tensor:
        return torch.cat([result.tensor(name, *over) for result in results])

    looked = tuple(
        map(int, results[0].axes[STEP][1:])
    )  # before the first step nothing has been learned
    drawn = shown(len(looked))
    raw = {m.name: of_all(m.name, *RUNS, STEP)[..., 1:] for m in MEASURES}
    seconds, error = of_all("seconds", NORM, SIZE, STEP), of_all("test_error", *RUNS)
    there = seconds[..., 1:].isfinite()
    is_finite = raw["loss"].isfinite() & raw["validation_loss"].isfinite()
    diverged = there[:, :, None, None] & ~is_finite
    values = {
        m.name: m.factor * known(raw[m.name]).masked_fill(diverged, math.nan) for m in MEASURES
    }
    return Trainings(
        results=tuple(results),
        experiment=experiment,
        rows=tuple(_row(result, norm, results[0]) for result in results for norm in _norms(result)),
        looked=looked,
        steps=tuple(looked[at] for at in drawn),
        seconds=seconds[..., 1:][..., drawn],
        values={name: value[..., drawn] for name, value in values.items()},
        errors=values["validation_error"],
        diverged=diverged[..., drawn],
        tested=100 * error.where(of_all("test_loss", *RUNS).isfinite(), math.nan),
        scales={
            (_row(result, norm, results[0]).key, kind): layers
            for result in results
            for norm, kind in product(_norms(result), LAYERS)
            if (layers := _layers(result, norm, kind, drawn)).names
        },
        times=seconds.isfinite().sum(-1),
        over=error.isfinite().flatten(2).all(-1),
    )


def shown(count: int) -> list[int]:
    """Return which of so many measurements are drawn, the last one among them.

    >>> shown(4), shown(250)[:3], shown(250)[-1]
    ([0, 1, 2, 3], [0, 3, 6], 249)
    """
    stride = math.ceil(count / MOST)
    return list(range((count - 1) % stride, count, stride))


def _norms(result: Result[TrainingSpec]) -> tuple[str, ...]:
    return result.specification.norms


def _row(result: Result[TrainingSpec], norm: str, first: Result[TrainingSpec]) -> Row:
    """The row of a norm, which is told from that of the first result if it stands otherwise."""
    head = result.specification.head
    if head == first.specification.head:
        return Row(norm, norm, label(norm))
    return Row(f"{norm} {head}", norm, f"{label(norm)}, {HEADS[head]}")


def _layers(result: Result[TrainingSpec], norm: str, kind: str, drawn: list[int]) -> Layers:
    """A kind of measurement of one norm; only the layers that its model has."""
    axis = LAYERS[kind]
    values = result.tensor(kind, SIZE, STEP, RATE, axis, norm=norm)
    has = values.isfinite().flatten(0, -2).any(0).tolist()
    along = map(str, result.axes[axis])
    names = tuple(name for name, is_there in zip(along, has, strict=True) if is_there)
    return Layers(names, values[:, 1:][:, drawn][..., has])
