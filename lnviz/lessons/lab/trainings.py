"""Results of training runs, finished or in progress, as tensors in the units that pages show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.lessons.lab.measures import RUN_METRICS, finite_or_nan, norm_label
from lnviz.results.stored import Result
from lnviz.topics.lab.run_arrays import LAYERS, NORM, RATE, RUNS, SIZE, STEP
from lnviz.training.experiment import Experiment, TrainingSpec

HEADS = {"paper": "on all layers"}
"""Suffixes for labels of norms that are placed differently from the other norms."""
MOST = 100  # the most measurements of a run that are drawn
NOTHING = (0.1, 1.0)  # range of an empty axis
Group = tuple[str, int]
"""A norm and a batch size, which training runs have in common that are trained as one stack."""


@dataclass(frozen=True)
class NormRow:
    """One norm in one placement, as a row of a table of training runs.

    Attributes:
        key: its name in the names of tensors.
        norm: the norm's key in the catalogue.
        label: its label on a page.
    """

    key: str
    norm: str
    label: str


@dataclass(frozen=True, eq=False)
class LayerMeans:
    """One quantity by layer for the networks with one norm, averaged over the seeds.

    Attributes:
        names: the names of the layers in the model.
        mean: the means; NaN where nothing was measured.
    """

    names: tuple[str, ...]
    mean: Float[Tensor, "sizes points rates layers"]


@dataclass(frozen=True, eq=False)
class Trainings:
    """Several training runs to compare, in ascending order of batch size and learning rate.

    Tensors are NaN where nothing was measured, and where a value is not finite.

    Attributes:
        results: the results; their specifications differ only in norms and heads.
        experiment: the experiment of the specifications.
        rows: the norms of the results, in order; a norm with another placement than in the first
            result has its own row.
        evaluated_steps: the steps at which runs are evaluated, without step 0.
        steps: the steps that are drawn.
        seconds: seconds of training all runs of a group.
        values: the values of each metric, by its name, in its unit.
        errors: errors on the validation split, at all evaluated steps, in %.
        diverged: where a loss was measured and is not finite.
        tested: errors on the test split, in %; NaN if a run has diverged or not ended.
        scales: sizes in every layer, by row and name of `lnviz.training.scales.scales`; rows that
            have not begun are missing.
        times: the number of measurements of each group, including that before the first step.
        is_tested: the groups that have been tested.
    """

    results: tuple[Result[TrainingSpec], ...]
    experiment: Experiment
    rows: tuple[NormRow, ...]
    evaluated_steps: tuple[int, ...]
    steps: tuple[int, ...]
    seconds: Float[Tensor, "rows sizes points"]
    values: dict[str, Float[Tensor, "rows sizes rates seeds points"]]
    errors: Float[Tensor, "rows sizes rates seeds looked"]
    diverged: Bool[Tensor, "rows sizes rates seeds points"]
    tested: Float[Tensor, "rows sizes rates seeds"]
    scales: dict[tuple[str, str], LayerMeans]
    times: Int[Tensor, "rows sizes"]
    is_tested: Bool[Tensor, "rows sizes"]

    @property
    def specification(self) -> TrainingSpec:
        """The settings of the first result."""
        return self.results[0].specification

    @cached_property
    def norms(self) -> tuple[str, ...]:
        """The keys of the norms, one for each row."""
        return tuple(row.key for row in self.rows)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The batch sizes."""
        return tuple(sorted(self.specification.batch_sizes))

    @cached_property
    def rates(self) -> tuple[float, ...]:
        """The learning rates of the Adam optimizer."""
        return tuple(sorted(self.specification.rates))

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return len(self.specification.seeds)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The combinations of norm and batch size that can be trained, in the order of training."""
        return tuple(
            (_row(result, norm, self.results[0]).key, size)
            for result in self.results
            for norm, size in self.experiment.groups(result.specification)
        )

    @cached_property
    def measured(self) -> Bool[Tensor, "rows sizes points"]:
        """Return whether each norm and batch size was measured at each step."""
        return self.seconds.isfinite()

    @cached_property
    def ends(self) -> dict[str, tuple[float, float]]:
        """The smallest positive value and the largest value of any run, keyed by metric."""
        shown = {name: v[v.isfinite() & (v > 0)] for name, v in self.values.items()}
        return {
            name: (float(v.min()), float(v.max())) if len(v) else NOTHING
            for name, v in shown.items()
        }

    @cached_property
    def reached(self) -> dict[Group, int]:
        """The last measured step of each norm and batch size whose training has begun."""
        times = {group: int(self.times[self.index(*group)]) for group in self.groups}
        return {
            group: (0, *self.evaluated_steps)[count - 1] for group, count in times.items() if count
        }

    @cached_property
    def ended(self) -> tuple[Group, ...]:
        """The combinations of norm and batch size whose networks have been tested."""
        return tuple(group for group in self.groups if self.is_tested[self.index(*group)])

    @cached_property
    def in_progress(self) -> tuple[Group, ...]:
        """The combinations of norm and batch size whose training has begun and not ended."""
        return tuple(g for g in self.groups if g in self.reached and g not in self.ended)

    @cached_property
    def waiting(self) -> tuple[Group, ...]:
        """The combinations of norm and batch size whose training has not begun."""
        return tuple(g for g in self.groups if g not in (*self.ended, *self.in_progress))

    @cached_property
    def latest(self) -> int:
        """The last step with a measurement for any norm and batch size, or else the first step."""
        reached = self.measured.flatten(0, 1).any(0)
        return self.steps[max(0, int(reached.sum()) - 1)]

    def index(self, row: str, size: int) -> tuple[int, int]:
        """Return the indices of a norm and a batch size in the tensors."""
        return self.norms.index(row), self.sizes.index(size)


def load_trainings(results: Sequence[Result[TrainingSpec]], experiment: Experiment) -> Trainings:
    """Return the results of training runs as tensors.

    Args:
        results: the results; their specifications differ only in norms and heads.
        experiment: the experiment of the specifications.
    """

    def of_all(name: str, *over: str) -> Tensor:
        return torch.cat([result.tensor(name, *over) for result in results])

    looked = tuple(map(int, results[0].axes[STEP][1:]))  # without step 0
    drawn = drawn_steps(len(looked))
    raw = {m.name: of_all(m.name, *RUNS, STEP)[..., 1:] for m in RUN_METRICS}
    seconds, error = of_all("seconds", NORM, SIZE, STEP), of_all("test_error", *RUNS)
    there = seconds[..., 1:].isfinite()
    is_finite = raw["loss"].isfinite() & raw["validation_loss"].isfinite()
    diverged = there[:, :, None, None] & ~is_finite
    values = {
        m.name: m.factor * finite_or_nan(raw[m.name]).masked_fill(diverged, math.nan)
        for m in RUN_METRICS
    }
    return Trainings(
        results=tuple(results),
        experiment=experiment,
        rows=tuple(_row(result, norm, results[0]) for result in results for norm in _norms(result)),
        evaluated_steps=looked,
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
        is_tested=error.isfinite().flatten(2).all(-1),
    )


def drawn_steps(count: int) -> list[int]:
    """Return the indices of the measurements that charts show, including the last one.

    >>> drawn_steps(4), drawn_steps(250)[:3], drawn_steps(250)[-1]
    ([0, 1, 2, 3], [0, 3, 6], 249)
    """
    stride = math.ceil(count / MOST)
    return list(range((count - 1) % stride, count, stride))


def _norms(result: Result[TrainingSpec]) -> tuple[str, ...]:
    return result.specification.norms


def _row(result: Result[TrainingSpec], norm: str, first: Result[TrainingSpec]) -> NormRow:
    """Return a norm's row, with a key of its own if placed differently than in the first result."""
    head = result.specification.head
    if head == first.specification.head:
        return NormRow(norm, norm, norm_label(norm))
    return NormRow(f"{norm} {head}", norm, f"{norm_label(norm)}, {HEADS[head]}")


def _layers(result: Result[TrainingSpec], norm: str, kind: str, drawn: list[int]) -> LayerMeans:
    """Return one quantity by layer, for the layers that the model with one norm has."""
    axis = LAYERS[kind]
    values = result.tensor(kind, SIZE, STEP, RATE, axis, norm=norm)
    has = values.isfinite().flatten(0, -2).any(0).tolist()
    along = map(str, result.axes[axis])
    names = tuple(name for name, is_there in zip(along, has, strict=True) if is_there)
    return LayerMeans(names, values[:, 1:][:, drawn][..., has])
