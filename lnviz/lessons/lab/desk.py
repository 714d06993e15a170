"""What the parts of the figure `yours` share: its controls, and sentences about its groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from lnviz.explorable import Choice, Control, Option, Pointer, Readout, Slider, Swept, When, slug
from lnviz.lessons.lab.drawing import MEASURES
from lnviz.lessons.lab.runs import label
from lnviz.lessons.lab.trainings import Group, Trainings
from lnviz.lessons.lab.yours_words import listed
from lnviz.results import LAB_RUNS
from lnviz.topics.lab.jobs import stored

CURVES, REACHED, INSIDE = "curves", "reached", "inside"
SHOW = Choice(
    "show",
    (
        Option(CURVES, "how losses and errors fall"),
        Option(REACHED, "steps to an error"),
        Option(INSIDE, "inside the networks"),
    ),
    CURVES,
)
IN_CURVES: When = {SHOW.name: (CURVES,)}
MEASURE = Choice(
    "measure",
    tuple(Option(m.key, m.label) for m in MEASURES),
    MEASURES[0].key,
    IN_CURVES,
    "your-measure",
)
AGAINST = Choice(
    "against",
    (Option("steps", "steps"), Option("seconds", "seconds")),
    "steps",
    IN_CURVES,
    "your-against",
)
STEP, SIZE, RATE, ERROR, GROUP = "step", "batch size", "learning rate", "error to reach", "group"


@dataclass(frozen=True, eq=False)
class Part:
    """What a sentence says of one group.

    Attributes:
        group: which.
        text: a template.
        tensor: without a value wherever the template lacks one.
    """

    group: Group
    text: str
    tensor: str


@dataclass(eq=False)
class Desk:
    """The controls of a record, and the tensors that its views look up.

    A control that would have one position is left out: its value stands in the sentences.

    Attributes:
        runs: what is shown.
        tensors: what has been put here.
        controls: all that there are.
        errors: the positions of the error to reach, in %.
        single: the values of controls that are left out.
    """

    runs: Trainings
    tensors: dict[str, Swept] = field(default_factory=dict)

    def __post_init__(self) -> None:
        runs = self.runs
        walked: When = {SHOW.name: (CURVES, INSIDE)}
        steps, sizes = (tuple(map(float, each)) for each in (runs.steps, runs.sizes))
        rates = tuple(f"{rate:g}" for rate in runs.rates)
        latest, measured = float(runs.latest), float(_measured(runs))
        wanted = Slider.decades(ERROR, 0, 2, 100, _start(runs))
        sliders = (
            replace(wanted, when={SHOW.name: (REACHED,)}),
            Slider(RATE, runs.rates, runs.rates[0], names=rates),
            Slider(STEP, steps, latest, 0, when=walked, walks=True),
            Slider(SIZE, sizes, measured, 0, when={SHOW.name: (INSIDE,)}),
        )
        self.errors = wanted.values
        self.single = {c.name: c.label(0) for c in sliders if c.size == 1}
        self.controls: tuple[Control, ...] = (
            *(SHOW, MEASURE, AGAINST),
            *(replace(c, address=f"your-{slug(c.name)}") for c in sliders if c.size > 1),
            self._pointer(),
        )

    def _pointer(self) -> Pointer:
        runs = self.runs
        norm = runs.norms.index("layer") if "layer" in runs.norms else 0
        norms, sizes = tuple(map(label, runs.norms)), tuple(map(str, runs.sizes))
        return Pointer(GROUP, norms, sizes, "batches of", (norm, 0))

    def said(self, control: str) -> str:
        """A control's value in a template."""
        return self.single.get(control) or f"{{{control}}}"

    @property
    def at_rate(self) -> str:
        """The learning rate as the end of a phrase, if there are several."""
        return "" if RATE in self.single else f" at a learning rate of {{{RATE}}}"

    def put(self, name: str, over: tuple[str, ...], values: Tensor, decimals: int = 4) -> None:
        """Have a tensor looked up; its leading dimensions are these controls."""
        for at in reversed(range(len(over))):
            values = values.squeeze(at) if over[at] in self.single else values
        there = tuple(control for control in over if control not in self.single)
        self.tensors[name] = Swept(there, values, decimals)

    def at(self, size: int) -> When:
        """Where a batch size is shown, in a part of the figure that has a slider for it."""
        return {} if SIZE in self.single else {SIZE: (float(size),)}

    def is_whole(self, name: str) -> bool:
        """Whether a tensor has a value everywhere."""
        return bool(self.tensors[name].values.isfinite().all())

    def sentences(
        self, head: str, parts: list[Part], whole: Mapping[Group, bool], when: When
    ) -> Iterator[Readout]:
        """One sentence of all groups that have values everywhere, and one of each other one."""
        together = [part for part in parts if whole[part.group]]
        if together:
            yield Readout(f"{head}: {'; '.join(p.text for p in together)}.", when=when)
        for part in parts:
            if not whole[part.group]:
                yield Readout(f"{head}: {part.text}.", when=when, given=part.tensor)

    def put_lost(self) -> None:
        """Where runs of a group had diverged, and where none were measured."""
        runs = self.runs
        for norm, size in runs.groups:
            at = runs.of(norm, size)
            lost = runs.diverged[at].sum(1).double()  # rates,points
            lost = lost.masked_fill(lost == 0, math.nan)
            self.put(f"{norm} {size} lost", (RATE, STEP), lost, 0)
            missing = torch.where(runs.measured[at], math.nan, 1.0)
            self.put(f"{norm} {size} unmeasured", (STEP,), missing, 0)

    def losses(self, size: int, when: When) -> Iterator[Readout]:
        """What is said of groups that have no numbers at a step."""
        runs, at_step = self.runs, f"at step {self.said(STEP)}"
        for norm, batch in runs.groups:
            if batch != size:
                continue
            name, group = f"{norm} {size}", named(norm, size)
            if not self.tensors[f"{name} lost"].values.isnan().all():
                lost = f"{{{name} lost:0 value}} of {runs.seeds} runs"
                yield Readout(
                    f"{group}: {at_step}{self.at_rate}, "
                    f"{lost if runs.seeds > 1 else 'the one run'} had diverged, "
                    "so that there are no numbers: a loss was not finite.",
                    when=when,
                    given=f"{name} lost",
                )
            if (norm, size) in runs.begun:
                yield Readout(
                    f"{group}: nothing was measured {at_step} so far.",
                    when=when,
                    given=f"{name} unmeasured",
                )
        waiting = [label(norm) for norm, batch in runs.waiting if batch == size]
        if waiting:
            yield Readout(
                f"Nothing is known so far in batches of {size} of: {listed(waiting)}.", when=when
            )


def named(norm: str, size: int) -> str:
    """A group, at the beginning of a sentence."""
    name = label(norm)
    return f"{name[0].upper()}{name[1:]} in batches of {size}"


def _measured(runs: Trainings) -> int:
    """The largest batch size at which something was measured at the latest step."""
    there = runs.measured[..., runs.steps.index(runs.latest)].any(0)
    return max(size for size, is_there in zip(runs.sizes, there, strict=True) if is_there)


def _start(runs: Trainings) -> float:
    """An error, in %, that every norm of the experiment's stored runs has reached."""
    name = runs.experiment.name
    positions = Slider.decades(ERROR, 0, 2, 100, 1.0)
    if name not in LAB_RUNS:
        return positions.start
    lowest: dict[Group, float] = {}
    for point in stored(name).points:
        errors = [1.0 if error is None else error for error in point.values["validation error"]]
        mean, group = sum(errors) / len(errors), (point.norm, point.batch_size)
        lowest[group] = min(mean, lowest.get(group, 1.0))
    return positions.values[positions.index(100 * max(lowest.values()))]
