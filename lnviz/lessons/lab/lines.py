"""Losses and errors as runs learn: a chart with a line for each norm, and the numbers at a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.explorable import Along, Chart, Choice, Option, Readout, When
from lnviz.lessons.lab.desk import STEP, Desk, Part
from lnviz.lessons.lab.measures import MEASURES, Measure
from lnviz.lessons.lab.trainings import Row
from lnviz.lessons.plots import band, decades, legend, logarithmic, mark, norm_line, stacked

ENDS = ("mean", "low", "high")
STEPS, SECONDS = "steps", "seconds"


def measure_choice(address: str = "", when: When | None = None) -> Choice:
    """The choice of what is drawn."""
    options = tuple(Option(m.key, m.label) for m in MEASURES)
    return Choice("measure", options, MEASURES[0].key, when or {}, address)


def against_choice(address: str = "", when: When | None = None) -> Choice:
    """The choice of what it is drawn against."""
    return Choice(
        "against", (Option(STEPS, STEPS), Option(SECONDS, SECONDS)), STEPS, when or {}, address
    )


@dataclass(frozen=True, eq=False)
class Sheet:
    """What charts draw that differ in the measure and in what it is drawn against.

    Attributes:
        name: ends with a space where names of its tensors are told from those of other sheets.
        rows: the norms.
        over: controls that the leading dimensions are; the last one is the learning rate.
        values: by measure.
        seconds: of training all runs of a group; whatever the learning rate.
        diverged: whether any run had.
    """

    name: str
    rows: Sequence[Row]
    over: tuple[str, ...]
    values: dict[str, Float[Tensor, "rows *settings rates seeds points"]]
    seconds: Float[Tensor, "rows *settings points"]
    diverged: Bool[Tensor, "rows *settings rates points"]

    def of(self, row: Row, what: str) -> str:
        """The name of a row's tensor."""
        return f"{row.key} {self.name}{what}"


def put(desk: Desk, sheet: Sheet, bands: Sequence[Row]) -> None:
    """Put what charts of a sheet look up, and the numbers at a step.

    Args:
        desk: of the figure.
        sheet: what is drawn.
        bands: rows that have a band from the lowest run to the highest.
    """
    runs, over = desk.runs, sheet.over
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    for at, row in enumerate(sheet.rows):
        seconds = sheet.seconds[at]
        desk.put(sheet.of(row, "seconds"), over[:-1], seconds, 2)
        for measure in MEASURES:
            name, floor = sheet.of(row, measure.key), math.log10(runs.ends[measure.name][0])
            values = sheet.values[measure.name][at].movedim(-2, -1)  # over,points,seeds
            low, high, mean = values.amin(-1), values.amax(-1), values.mean(-1)
            desk.put(name, over, decades(mean, floor))
            for end, value in zip(ENDS, (mean, low, high), strict=True):
                desk.put(f"{name} {end}", (*over, STEP), measure.said(value))
            if row in bands:
                kept = until_lost(mean)
                outline = there_and_back(*(decades(v.gather(-1, kept), floor) for v in (high, low)))
                desk.put(f"{name} band", over, outline, 3)
                for axis, places in ((STEPS, steps), (SECONDS, seconds[..., None, :])):
                    x = places.expand_as(mean).gather(-1, kept)
                    x = x.where(mean[..., :1].isfinite(), torch.nan)
                    desk.put(f"{name} band {axis}", over, there_and_back(x, x), 2)


def put_marks(desk: Desk, sheet: Sheet, rows: Sequence[Row], name: str) -> None:
    """Put where the marks of a chart stand, one on the curve of each row.

    Args:
        desk: of the figure.
        sheet: what is drawn.
        rows: those that the chart shows.
        name: of the chart's tensors, before a space.
    """
    runs, over = desk.runs, sheet.over
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    own = [list(sheet.rows).index(row) for row in rows]
    seconds, diverged = sheet.seconds[own], sheet.diverged[own]
    desk.put(f"{name} at steps", (STEP,), steps[:, None].expand(-1, len(rows)), 0)
    desk.put(f"{name} at seconds", (*over[:-1], STEP), seconds.movedim(0, -1), 2)
    for measure in MEASURES:
        floor = math.log10(runs.ends[measure.name][0])
        means = sheet.values[measure.name][own].mean(-2)  # rows,over,points
        desk.put(f"{name} {measure.key} on", (*over, STEP), decades(means.movedim(0, -1), floor))
        if not runs.diverged.any():
            continue
        last = until_lost(means)[..., -1:]
        lost = diverged.any(-1, keepdim=True)
        ending = decades(means.gather(-1, last), floor).where(lost, torch.nan)
        desk.put(f"{name} {measure.key} lost", over, ending[..., 0].movedim(0, -1))
        for axis, places in ((STEPS, steps), (SECONDS, seconds[..., None, :])):
            x = places.expand_as(means).gather(-1, last).where(ending.isfinite(), torch.nan)
            desk.put(f"{name} {measure.key} lost {axis}", over, x[..., 0].movedim(0, -1), 2)


def until_lost(mean: Float[Tensor, "*at points"]) -> Int[Tensor, "*at points"]:
    """Return for each point its own place; from where a curve has ended on, its last one."""
    length = mean.isfinite().int().cumprod(-1).sum(-1, keepdim=True)
    return torch.arange(mean.shape[-1]).expand(mean.shape).minimum((length - 1).clamp(min=0))


def there_and_back(
    there: Float[Tensor, "*at points"], back: Float[Tensor, "*at points"]
) -> Float[Tensor, "*at both"]:
    """Return the outline of a band: along one end and back along the other."""
    return torch.cat([there, back.flip(-1)], -1)


@dataclass(frozen=True)
class Words:
    """What is said of one chart.

    Attributes:
        title: a template.
        alt: a template that goes on where what is drawn against what has been said.
        height: in CSS pixels.
        when: where the chart is shown.
    """

    title: str
    alt: str
    height: int
    when: When


def chart(
    desk: Desk,
    sheet: Sheet,
    rows: Sequence[Row],
    bands: Sequence[Row],
    marks: str,
    measure: Measure,
    against: str,
    longest: float,
    words: Words,
) -> Chart:
    """Return a chart with a line for each norm, a band where it has one, and marks at the step.

    Args:
        desk: of the figure.
        sheet: what is drawn.
        rows: those that the chart shows.
        bands: those that have a band.
        marks: the name of the marks' tensors.
        measure: what is drawn.
        against: the axis, steps or seconds.
        longest: seconds that the axis reaches.
        words: what is said of it.
    """
    runs = desk.runs
    steps, blank = [float(step) for step in runs.steps], [0.0] * len(runs.steps)
    figure, bind = go.Figure(), dict[int, dict[str, str | Along]]()

    def add(trace: go.Scatter, **sources: str) -> None:
        bind[len(figure.data)] = dict(sources)
        figure.add_trace(trace)

    order = stacked([row.norm for row in rows])
    for row in sorted((row for row in rows if row in bands), key=lambda row: order.index(row.norm)):
        name = sheet.of(row, f"{measure.key} band")
        add(band(row.norm, steps, blank, blank), x=f"{name} {against}", y=name)
    for row in sorted(rows, key=lambda row: order.index(row.norm)):
        x = {"x": sheet.of(row, "seconds")} if against == SECONDS else {}
        add(norm_line(row.norm, steps), **x, y=sheet.of(row, measure.key))
    tokens = [row.norm for row in rows]
    if runs.diverged.any():
        lost = f"{marks} {measure.key} lost"
        add(mark("x", tokens), x=f"{lost} {against}", y=lost)
    add(mark(token=tokens), x=f"{marks} at {against}", y=f"{marks} {measure.key} on")
    last = steps[-1] if against == STEPS else longest
    title = STEPS if against == STEPS else "seconds of training, all runs of a norm"
    figure.update_xaxes(range=[0, 1.03 * last], title=title)
    logarithmic(figure, f"{measure.label}, {measure.unit}", *runs.ends[measure.name])
    legend(figure)
    return Chart(
        words.title,
        figure,
        bind,
        f"{measure.label.capitalize()} against {title}, logarithmic, {words.alt}",
        height=words.height,
        when=words.when,
    )


def numbers(
    desk: Desk, sheet: Sheet, rows: Sequence[Row], size: int, measure: Measure, when: When
) -> Iterator[Readout]:
    """Yield the numbers of all rows at the step in batches of one size, in order."""
    runs, parts, whole = desk.runs, [], {}
    several = f", mean of {runs.seeds} seeds (lowest to highest)"
    mean = several if runs.seeds > 1 else ", one run each"
    head = f"Batches of {size}, {measure.label} in {measure.unit} at step {desk.said(STEP)}"
    for row in desk.rows_at(size, rows):
        name, group = sheet.of(row, measure.key), (row.key, size)
        form = measure.format
        spread = f" ({{{name} low:{form}}} to {{{name} high:{form}}})" if runs.seeds > 1 else ""
        text = f"{row.label} {{{name} mean:{form} value}}{spread}"
        parts.append(Part(group, text, f"{name} low"))
        values = measure.said(runs.values[measure.name][runs.of(*group)])
        whole[group] = bool(values.isfinite().all())
    yield from desk.sentences(f"{head}{desk.at_rate}{mean}", parts, whole, when)


def seconds_note(when: When) -> Readout:
    """Return what seconds are, where they are drawn against."""
    return Readout(
        "Seconds are of training all runs of a norm at once, without measuring. A machine that has "
        "other work as well takes longer: small differences mean nothing.",
        when=when,
    )
