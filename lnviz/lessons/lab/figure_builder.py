"""A builder for figures of training runs, which collects controls and tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.explorable import Control, Slider, SweptTensor, When
from lnviz.lessons.lab.trainings import NormRow, Trainings

STEP, SIZE, RATE, ERROR = "step", "batch size", "learning rate", "error to reach"


def size_slider(runs: Trainings, start: int, address: str = "", when: When | None = None) -> Slider:
    """Return the slider over the batch sizes."""
    sizes = tuple(map(float, runs.sizes))
    return Slider(SIZE, sizes, float(start), 0, when=when or {}, url_name=address)


def step_slider(runs: Trainings, start: int, address: str = "", when: When | None = None) -> Slider:
    """Return the slider over the training steps that charts show."""
    steps = tuple(map(float, runs.steps))
    return Slider(STEP, steps, float(start), 0, when=when or {}, url_name=address)


def rate_slider(runs: Trainings, address: str = "") -> Slider:
    """Return the slider over the learning rates."""
    names = tuple(f"{rate:g}" for rate in runs.rates)
    return Slider(RATE, runs.rates, runs.rates[0], names=names, url_name=address)


class FigureBuilder:
    """Builder of a figure of training runs: holds its controls and the tensors added so far.

    A slider with a single position is omitted, and its value is written into the captions.

    Args:
        runs: the runs.
        controls: all controls that the figure could have, in the order of the page.

    Attributes:
        controls: the controls that it has.
        tensors: the tensors added so far.
        single: the values of omitted sliders.
    """

    def __init__(self, runs: Trainings, controls: Sequence[Control]) -> None:
        self.runs = runs
        lone = [c for c in controls if isinstance(c, Slider) and c.size == 1]
        self.controls = tuple(control for control in controls if control not in lone)
        self.single = {slider.name: slider.label(0) for slider in lone}
        self.tensors: dict[str, SweptTensor] = {}

    def value_template(self, control: str) -> str:
        """Return a caption template that shows a control's value."""
        return self.single.get(control) or f"{{{control}}}"

    @property
    def at_rate(self) -> str:
        """A caption phrase that names the learning rate; empty if there is only one."""
        return "" if RATE in self.single else f" at a learning rate of {{{RATE}}}"

    def add(
        self,
        name: str,
        over: Sequence[str],
        values: Tensor,
        decimals: int = 4,
        words: tuple[str, ...] = (),
    ) -> None:
        """Add a tensor to the figure; the named controls index its leading axes."""
        for at in reversed(range(len(over))):
            values = values.squeeze(at) if over[at] in self.single else values
        there = tuple(control for control in over if control not in self.single)
        self.tensors[name] = SweptTensor(there, values, decimals, words)

    def when_size(self, size: int) -> When:
        """Return the condition that a batch size is selected; empty if there is only one size."""
        return {} if SIZE in self.single else {SIZE: (float(size),)}

    def rows_at(self, size: int, rows: Sequence[NormRow]) -> list[NormRow]:
        """Return those of the given rows whose norm is trained at this batch size."""
        return [row for row in rows if (row.key, size) in self.runs.groups]

    def add_diverged(self) -> None:
        """Add tensors of diverged run counts and of unmeasured steps, by norm and batch size."""
        runs = self.runs
        for row, size in runs.groups:
            at = runs.index(row, size)
            lost = runs.diverged[at].sum(1).double()  # rates,points
            if lost.any():
                self.add(f"{row} {size} lost", (RATE, STEP), lost.where(lost > 0, math.nan), 0)
            if (row, size) in runs.in_progress:
                missing = torch.where(runs.measured[at], math.nan, 1.0)
                self.add(f"{row} {size} unmeasured", (STEP,), missing, 0)
