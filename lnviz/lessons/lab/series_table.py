"""Losses and errors as runs learn: a chart with a line for each norm, and the numbers at a step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.explorable import Chart, Choice, Option, When
from lnviz.lessons.chart_axes import linear_axis, short_log_axis, to_log10
from lnviz.lessons.charts import Layer, chart, drawing_order, fill_between, markers, norm_line
from lnviz.lessons.lab.figure_builder import STEP, Desk
from lnviz.lessons.lab.measures import MEASURES, Measure
from lnviz.lessons.lab.trainings import Row

HIGH, LOW = "upper edge", "lower edge"
STEPS, SECONDS = "steps", "seconds"


def measure_choice(address: str = "", when: When | None = None) -> Choice:
    """Return the choice of what is drawn."""
    options = tuple(Option(m.key, m.label) for m in MEASURES)
    return Choice("measure", options, MEASURES[0].key, when or {}, address)


@dataclass(frozen=True, eq=False)
class Sheet:
    """What charts draw that differ in the measure and in what it is drawn against.

    Attributes:
        name: ends with a space where names of its tensors are told from those of other sheets.
        rows: the norms.
        over: the controls of the leading dimensions; the last one is the learning rate.
        values: the numbers by measure.
        seconds: seconds of training all runs of a group, whatever the learning rate.
        diverged: whether any run had.
    """

    name: str
    rows: Sequence[Row]
    over: tuple[str, ...]
    values: dict[str, Float[Tensor, "rows *settings rates seeds points"]]
    seconds: Float[Tensor, "rows *settings points"]
    diverged: Bool[Tensor, "rows *settings rates points"]

    def of(self, row: Row, what: str) -> str:
        """Return the name of a row's tensor."""
        return f"{row.key} {self.name}{what}"


def put(
    desk: Desk, sheet: Sheet, bands: Sequence[Row], axes: Sequence[str] = (STEPS, SECONDS)
) -> None:
    """Put what charts of a sheet look up.

    Args:
        desk: the desk of the figure.
        sheet: what is drawn.
        bands: rows that have a band from the lowest run to the highest.
        axes: what it is drawn against.
    """
    runs, over = desk.runs, sheet.over
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    for at, row in enumerate(sheet.rows):
        seconds = sheet.seconds[at]
        if SECONDS in axes:
            desk.put(sheet.of(row, "seconds"), over[:-1], seconds, 2)
        for measure in MEASURES:
            name, floor = sheet.of(row, measure.key), math.log10(runs.ends[measure.name][0])
            values = sheet.values[measure.name][at].movedim(-2, -1)  # over,points,seeds
            low, high, mean = values.amin(-1), values.amax(-1), values.mean(-1)
            desk.put(name, over, to_log10(mean, floor))
            if row in bands:
                # From where a curve has ended on, the band stays where it has got to.
                kept = until_lost(mean)
                for edge, value in ((HIGH, high), (LOW, low)):
                    desk.put(f"{name} {edge}", over, to_log10(value.gather(-1, kept), floor), 3)
                places = {STEPS: steps, SECONDS: seconds[..., None, :]}
                for axis in axes:
                    x = places[axis].expand_as(mean).gather(-1, kept)
                    x = x.where(mean[..., :1].isfinite(), torch.nan)
                    desk.put(f"{name} until {axis}", over, x, 2)


def put_lost(desk: Desk, sheet: Sheet, rows: Sequence[Row]) -> None:
    """Put after which step the curve of each row ends since a run has diverged, if any has.

    Args:
        desk: the desk of the figure.
        sheet: what is drawn.
        rows: the rows that the chart shows.
    """
    runs, over = desk.runs, sheet.over
    if not runs.diverged.any():
        return
    own = [list(sheet.rows).index(row) for row in rows]
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    lost = sheet.diverged[own].any(-1, keepdim=True)
    for measure in MEASURES:
        name = f"{sheet.name}{measure.key} lost"
        means = sheet.values[measure.name][own].mean(-2)  # rows,over,points
        last = until_lost(means)[..., -1:]
        floor = math.log10(runs.ends[measure.name][0])
        ending = to_log10(means.gather(-1, last), floor).where(lost, torch.nan)
        desk.put(name, over, ending[..., 0].movedim(0, -1))
        x = steps.expand_as(means).gather(-1, last).where(ending.isfinite(), torch.nan)
        desk.put(f"{name} {STEPS}", over, x[..., 0].movedim(0, -1), 2)


def until_lost(mean: Float[Tensor, "*at points"]) -> Int[Tensor, "*at points"]:
    """Return for each point its own place; from where a curve has ended on, its last one."""
    length = mean.isfinite().int().cumprod(-1).sum(-1, keepdim=True)
    return torch.arange(mean.shape[-1]).expand(mean.shape).minimum((length - 1).clamp(min=0))


@dataclass(frozen=True)
class Words:
    """What is said of one chart.

    Attributes:
        title: a template.
        alt: a template that goes on where what is drawn against what has been said.
        height: the height in CSS pixels.
        when: where the chart is shown.
    """

    title: str
    alt: str
    height: int
    when: When


def drawn(
    desk: Desk,
    sheet: Sheet,
    rows: Sequence[Row],
    bands: Sequence[Row],
    measure: Measure,
    against: str,
    longest: float,
    words: Words,
) -> Chart:
    """Return a chart with a line for each norm, a band where it has one, and marks at the step.

    Args:
        desk: the desk of the figure.
        sheet: what is drawn.
        rows: the rows that the chart shows.
        bands: the rows that have a band.
        measure: what is drawn.
        against: the axis, steps or seconds.
        longest: seconds that the axis reaches.
        words: what is said of it.
    """
    runs, steps = desk.runs, [float(step) for step in desk.runs.steps]
    order = drawing_order([row.norm for row in rows])
    in_order = sorted(rows, key=lambda row: order.index(row.norm))
    parts: list[Iterable[Layer]] = []
    for row in (row for row in in_order if row in bands):
        name = sheet.of(row, measure.key)
        parts.append(
            fill_between(row.norm, f"{name} until {against}", f"{name} {LOW}", f"{name} {HIGH}")
        )
    stepper = next((control for control in desk.controls if control.name == STEP), None)
    for row in in_order:
        x = sheet.of(row, "seconds") if against == SECONDS else steps
        parts.append(norm_line(row.norm, x, sheet.of(row, measure.key), at=stepper))
        if stepper is None:  # a line of one point
            parts.append(markers(row.norm, x, sheet.of(row, measure.key)))
    if runs.diverged.any():
        lost = f"{sheet.name}{measure.key} lost"
        tokens = [row.norm for row in rows]
        parts.append(markers(tokens, f"{lost} {against}", lost, symbol="x"))
    title = STEPS if against == STEPS else "seconds of training, all runs of a norm"
    return chart(
        words.title,
        parts,
        linear_axis(title, 0, 1.03 * (steps[-1] if against == STEPS else longest), padded=False),
        short_log_axis(f"{measure.label}, {measure.unit}", *runs.ends[measure.name]),
        f"{measure.label.capitalize()} against {title}, logarithmic, {words.alt}",
        height=words.height,
        when=words.when,
    )
