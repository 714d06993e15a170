"""Tables of results of training runs: steps to a chosen error, lowest errors, test errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import CellPicker, Grid, Readout, Slider, When
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.lab.figure_builder import ERROR, RATE, FigureBuilder
from lnviz.lessons.lab.measures import finite_or_nan
from lnviz.lessons.lab.trainings import Group, Trainings

CAPTIONS = load_captions(__file__)


def group_picker(
    runs: Trainings, name: str, sizes: Sequence[int], start: Group, codes: tuple[str, ...] = ()
) -> CellPicker:
    """Return the control that selects a cell of a table: a norm and a batch size."""
    labels = tuple(row.label for row in runs.rows)
    at = (runs.norms.index(start[0]), sizes.index(start[1]))
    return CellPicker(name, labels, tuple(map(str, sizes)), "batches of", at, codes=codes)


class Targets:
    """Tables and captions on the results of training runs, for combinations of norm and batch size.

    Args:
        desk: the builder of the figure.
        wanted: the slider of the error to reach, in %.
        cells: the cell picker over the groups, by `group_picker`.
        when: the control values at which this part is shown.
    """

    def __init__(
        self, desk: FigureBuilder, wanted: Slider, cells: CellPicker, when: When | None = None
    ) -> None:
        self.desk, self.wanted, self.cells, self.when = desk, wanted, cells, when or {}
        runs, self.sizes = desk.runs, tuple(map(int, cells.columns))
        columns = [runs.sizes.index(size) for size in self.sizes]
        self.errors: Float[Tensor, "rows sizes rates seeds looked"] = runs.errors[:, columns]
        self.tested: Float[Tensor, "rows sizes rates seeds"] = runs.tested[:, columns]
        targets = torch.tensor(wanted.values, dtype=self.errors.dtype)
        # targets,rates,rows,sizes,seeds
        self.steps = steps_to(self.errors, targets, runs.evaluated_steps).movedim(3, 1)
        self._of_all: dict[
            str, tuple[Sequence[str], Tensor, int]
        ] = {}  # arguments of `FigureBuilder.add` for tables
        self.best = finite_or_nan(
            self.errors.nan_to_num(math.inf).amin(-1)
        )  # rows,sizes,rates,seeds

    @property
    def groups(self) -> list[Group]:
        """The norm and batch size of each table cell, in order."""
        return [(row, size) for row in self.desk.runs.norms for size in self.sizes]

    def add_tensors(self) -> None:
        """Add the tensors of the tables and captions, indexed by norm and batch size."""
        desk, over = self.desk, (ERROR, RATE, self.cells.name)
        slowest = self.steps.where(self.steps.isfinite(), -math.inf).amax(-1)
        middle = median(self.steps)
        kinds = {"median": middle, "fastest": self.steps.amin(-1), "slowest": slowest}
        for name, values in kinds.items():
            desk.add(name, over, finite_or_nan(values).flatten(2), 1)
        desk.add("missing", over, self.steps.isinf().sum(-1).double().flatten(2), 0)
        self._of_all["median of all"] = (over[:2], finite_or_nan(middle).flatten(2), 1)
        for name, values in (("best", self.best), ("tested", self.tested)):
            by_rate = values.movedim(2, 0)  # rates,rows,sizes,seeds
            low, high = by_rate.aminmax(dim=-1)
            for end, value in (("", by_rate.mean(-1)), (" low", low), (" high", high)):
                desk.add(f"{name}{end}", over[1:], value.flatten(1), 2)
            self._of_all[f"{name} of all"] = (over[1:2], by_rate.mean(-1).flatten(1), 2)

    def table(
        self, title: str, tensor: str, there: Sequence[Group], form: str, reach: float = 0.0
    ) -> Grid:
        """Return a table of one result for every combination of norm and batch size.

        Args:
            title: a template.
            tensor: the tensor of its cells.
            there: the groups with values; the others have a dash.
            form: the format of the numbers.
            reach: the value at which the color scale ends; by default the largest one.
        """
        self.desk.add(tensor, *self._of_all[tensor])
        largest = float(self.desk.tensors[tensor].values.nan_to_num().max()) or 1.0
        dashes = tuple("" if group in there else "–" for group in self.groups)
        words = dashes if any(dashes) else ()
        name = self.cells.name
        return Grid(title, name, reach or largest, tensor, words=words, format=form, when=self.when)

    def when_groups(self, groups: Sequence[Group]) -> When:
        """Return the condition that one of these pairs of norm and batch size is selected."""
        cells = self.groups
        places = tuple(divmod(cells.index(group), len(self.sizes)) for group in groups)
        return {**self.when, self.cells.name: places}

    def readouts(self) -> tuple[Readout, ...]:
        """Return the captions on the selected norm and batch size."""
        runs, which = self.desk.runs, f"{{{self.cells.name}}}"

        def shown(groups: Sequence[Group], **values: str) -> tuple[CaptionVariant, ...]:
            return (CaptionVariant(self.when_groups(groups), values),) if groups else ()

        def split(
            name: str, cases: tuple[CaptionVariant, ...]
        ) -> dict[str, tuple[CaptionVariant, ...]]:
            several = runs.seeds > 1
            return {
                f"{name}several": cases if several else (),
                f"{name}single": () if several else cases,
            }

        measured = shown(runs.ended, **{"so-far": ""}) + shown(
            runs.in_progress, **{"so-far": " so far"}
        )
        nowhere = tuple(group for group in self.groups if group not in runs.groups)
        said = CAPTIONS.render(
            {
                "which": which,
                "whose": f"{which}{self.desk.at_rate}",
                "wanted": f"{{{ERROR}}}%",
                "seeds": runs.seeds,
            },
            {
                **split("", measured),
                **split("tested ", shown(runs.ended)),
                "tested": shown(runs.ended),
                "begun": shown(runs.in_progress),
                "waiting": shown(runs.waiting),
                "nowhere": shown(nowhere),
            },
        )
        return said.readouts


def steps_to(
    error: Float[Tensor, "*runs points"], wanted: Float[Tensor, " targets"], points: Sequence[int]
) -> Float[Tensor, "targets *runs"]:
    """Return the number of steps after which each run's error was first at or below each target.

    Args:
        error: the error of each run, at every point.
        wanted: the errors to reach.
        points: the number of steps at every point.

    Returns:
        Steps; infinite if a run never reached it.
    """
    reached = error <= wanted.view(-1, *[1] * error.dim()) + 1e-9  # targets,*runs,points
    first = torch.tensor(points, dtype=error.dtype)[reached.int().argmax(-1)]
    return first.where(reached.any(-1), torch.inf)


def median(values: Float[Tensor, "*of runs"]) -> Float[Tensor, "*of"]:
    """Return the median over runs; infinite if either of the two middle values is infinite.

    >>> median(torch.tensor([3.0, 1.0, torch.inf, 2.0])), median(torch.tensor([1.0, torch.inf]))
    (tensor(2.5000), tensor(inf))
    """
    ordered, count = values.sort(-1).values, values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
