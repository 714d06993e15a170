"""The desk that a figure of runs is put together on: its controls and tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.explorable import Control, Slider, SweptTensor, When
from lnviz.lessons.lab.trainings import Row, Trainings

STEP, SIZE, RATE, ERROR = "step", "batch size", "learning rate", "error to reach"


def sizes_of(runs: Trainings, start: int, address: str = "", when: When | None = None) -> Slider:
    """Return the slider over the batch sizes."""
    sizes = tuple(map(float, runs.sizes))
    return Slider(SIZE, sizes, float(start), 0, when=when or {}, url_name=address)


def steps_of(runs: Trainings, start: int, address: str = "", when: When | None = None) -> Slider:
    """Return the slider over the steps that are drawn."""
    steps = tuple(map(float, runs.steps))
    return Slider(STEP, steps, float(start), 0, when=when or {}, url_name=address)


def rates_of(runs: Trainings, address: str = "") -> Slider:
    """Return the slider over the learning rates."""
    names = tuple(f"{rate:g}" for rate in runs.rates)
    return Slider(RATE, runs.rates, runs.rates[0], names=names, url_name=address)


class Desk:
    """The controls of a figure of runs, and the tensors that its views look up.

    A slider that would have one position is left out: its value stands in the sentences.

    Args:
        runs: the runs that are shown.
        controls: all that the figure could have, in their order on the page.

    Attributes:
        controls: the controls that it has.
        tensors: the tensors that have been put here.
        single: the values of sliders that are left out.
    """

    def __init__(self, runs: Trainings, controls: Sequence[Control]) -> None:
        self.runs = runs
        lone = [c for c in controls if isinstance(c, Slider) and c.size == 1]
        self.controls = tuple(control for control in controls if control not in lone)
        self.single = {slider.name: slider.label(0) for slider in lone}
        self.tensors: dict[str, SweptTensor] = {}

    def said(self, control: str) -> str:
        """Return a control's value in a template."""
        return self.single.get(control) or f"{{{control}}}"

    @property
    def at_rate(self) -> str:
        """The learning rate as the end of a phrase, if there are several."""
        return "" if RATE in self.single else f" at a learning rate of {{{RATE}}}"

    def put(
        self,
        name: str,
        over: Sequence[str],
        values: Tensor,
        decimals: int = 4,
        words: tuple[str, ...] = (),
    ) -> None:
        """Have a tensor looked up; its leading dimensions are these controls."""
        for at in reversed(range(len(over))):
            values = values.squeeze(at) if over[at] in self.single else values
        there = tuple(control for control in over if control not in self.single)
        self.tensors[name] = SweptTensor(there, values, decimals, words)

    def at(self, size: int) -> When:
        """Return where a batch size is shown, in a part of the figure that has a slider for it."""
        return {} if SIZE in self.single else {SIZE: (float(size),)}

    def rows_at(self, size: int, rows: Sequence[Row]) -> list[Row]:
        """Return the rows that are trained in batches of this size."""
        return [row for row in rows if (row.key, size) in self.runs.groups]

    def put_lost(self) -> None:
        """Put where runs of a group had diverged, and where none were measured."""
        runs = self.runs
        for row, size in runs.groups:
            at = runs.of(row, size)
            lost = runs.diverged[at].sum(1).double()  # rates,points
            if lost.any():
                self.put(f"{row} {size} lost", (RATE, STEP), lost.where(lost > 0, math.nan), 0)
            if (row, size) in runs.begun:
                missing = torch.where(runs.measured[at], math.nan, 1.0)
                self.put(f"{row} {size} unmeasured", (STEP,), missing, 0)
