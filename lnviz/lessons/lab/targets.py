"""What runs have reached: steps to an error that the reader names, lowest errors, test errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import CellPicker, Grid, Readout, Slider, When
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.lab.figure_builder import ERROR, RATE, Desk
from lnviz.lessons.lab.measures import known
from lnviz.lessons.lab.trainings import Group, Trainings

CAPTIONS = load_captions(__file__)


def cells_of(
    runs: Trainings, name: str, sizes: Sequence[int], start: Group, codes: tuple[str, ...] = ()
) -> CellPicker:
    """Return the pointer over the groups, a row for each norm and a column for each batch size."""
    labels = tuple(row.label for row in runs.rows)
    at = (runs.norms.index(start[0]), sizes.index(start[1]))
    return CellPicker(name, labels, tuple(map(str, sizes)), "batches of", at, codes=codes)


class Targets:
    """The part of a figure that shows what its runs have reached.

    Args:
        desk: of the figure.
        wanted: the error to reach, in %.
        cells: the pointer over the groups, as `cells_of` makes it.
        when: where this part is shown.
    """

    def __init__(
        self, desk: Desk, wanted: Slider, cells: CellPicker, when: When | None = None
    ) -> None:
        self.desk, self.wanted, self.cells, self.when = desk, wanted, cells, when or {}
        runs, self.sizes = desk.runs, tuple(map(int, cells.columns))
        columns = [runs.sizes.index(size) for size in self.sizes]
        self.errors: Float[Tensor, "rows sizes rates seeds looked"] = runs.errors[:, columns]
        self.tested: Float[Tensor, "rows sizes rates seeds"] = runs.tested[:, columns]
        targets = torch.tensor(wanted.values, dtype=self.errors.dtype)
        # targets,rates,rows,sizes,seeds
        self.steps = steps_to(self.errors, targets, runs.looked).movedim(3, 1)
        self._of_all: dict[str, tuple[Sequence[str], Tensor, int]] = {}  # what tables may show
        self.best = known(self.errors.nan_to_num(math.inf).amin(-1))  # rows,sizes,rates,seeds

    @property
    def groups(self) -> list[Group]:
        """The group of each cell."""
        return [(row, size) for row in self.desk.runs.norms for size in self.sizes]

    def put(self) -> None:
        """Put what the tables and the sentences look up, rows x batch sizes."""
        desk, over = self.desk, (ERROR, RATE, self.cells.name)
        slowest = self.steps.where(self.steps.isfinite(), -math.inf).amax(-1)
        middle = median(self.steps)
        kinds = {"median": middle, "fastest": self.steps.amin(-1), "slowest": slowest}
        for name, values in kinds.items():
            desk.put(name, over, known(values).flatten(2), 1)
        desk.put("missing", over, self.steps.isinf().sum(-1).double().flatten(2), 0)
        self._of_all["median of all"] = (over[:2], known(middle).flatten(2), 1)
        for name, values in (("best", self.best), ("tested", self.tested)):
            by_rate = values.movedim(2, 0)  # rates,rows,sizes,seeds
            low, high = by_rate.aminmax(dim=-1)
            for end, value in (("", by_rate.mean(-1)), (" low", low), (" high", high)):
                desk.put(f"{name}{end}", over[1:], value.flatten(1), 2)
            self._of_all[f"{name} of all"] = (over[1:2], by_rate.mean(-1).flatten(1), 2)

    def table(
        self, title: str, tensor: str, there: Sequence[Group], form: str, reach: float = 0.0
    ) -> Grid:
        """Return a table of all groups.

        Args:
            title: a template.
            tensor: the tensor that its cells show.
            there: the groups that have numbers; the others have a dash.
            form: the format of the numbers.
            reach: the number at which its colors end; by default the largest number.
        """
        self.desk.put(tensor, *self._of_all[tensor])
        largest = float(self.desk.tensors[tensor].values.nan_to_num().max()) or 1.0
        dashes = tuple("" if group in there else "–" for group in self.groups)
        words = dashes if any(dashes) else ()
        name = self.cells.name
        return Grid(title, name, reach or largest, tensor, words=words, format=form, when=self.when)

    def at(self, groups: Sequence[Group]) -> When:
        """Return where one of these groups is pointed at."""
        cells = self.groups
        places = tuple(divmod(cells.index(group), len(self.sizes)) for group in groups)
        return {**self.when, self.cells.name: places}

    def words(self) -> tuple[Readout, ...]:
        """Return what is said of the group pointed at."""
        runs, which = self.desk.runs, f"{{{self.cells.name}}}"

        def shown(groups: Sequence[Group], **values: str) -> tuple[CaptionVariant, ...]:
            return (CaptionVariant(self.at(groups), values),) if groups else ()

        def split(
            name: str, cases: tuple[CaptionVariant, ...]
        ) -> dict[str, tuple[CaptionVariant, ...]]:
            several = runs.seeds > 1
            return {
                f"{name}several": cases if several else (),
                f"{name}single": () if several else cases,
            }

        measured = shown(runs.ended, **{"so-far": ""}) + shown(runs.begun, **{"so-far": " so far"})
        nowhere = tuple(group for group in self.groups if group not in runs.groups)
        said = CAPTIONS.render(
            {
                "which": which,
                "whose": f"{which}{self.desk.at_rate}",
                "wanted": f"{{{ERROR}}} %",
                "seeds": runs.seeds,
            },
            {
                **split("", measured),
                **split("tested ", shown(runs.ended)),
                "tested": shown(runs.ended),
                "begun": shown(runs.begun),
                "waiting": shown(runs.waiting),
                "nowhere": shown(nowhere),
            },
        )
        return said.readouts


def steps_to(
    error: Float[Tensor, "*runs points"], wanted: Float[Tensor, " targets"], points: Sequence[int]
) -> Float[Tensor, "targets *runs"]:
    """Return after how many steps a run has first been measured at an error, or below it.

    Args:
        error: the error of each run, at every point.
        wanted: the errors to reach.
        points: after how many steps the error was measured.

    Returns:
        Steps; infinite where a run never was.
    """
    reached = error <= wanted.view(-1, *[1] * error.dim()) + 1e-9  # targets,*runs,points
    first = torch.tensor(points, dtype=error.dtype)[reached.int().argmax(-1)]
    return first.where(reached.any(-1), torch.inf)


def median(values: Float[Tensor, "*of runs"]) -> Float[Tensor, "*of"]:
    """Return the one in the middle, or the mean of the two there; infinite where one of them is.

    >>> median(torch.tensor([3.0, 1.0, torch.inf, 2.0])), median(torch.tensor([1.0, torch.inf]))
    (tensor(2.5000), tensor(inf))
    """
    ordered, count = values.sort(-1).values, values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
