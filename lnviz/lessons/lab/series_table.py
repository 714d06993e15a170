"""Charts of training curves: a line for each norm, and its values at the selected step."""

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
from lnviz.lessons.lab.figure_builder import STEP, FigureBuilder
from lnviz.lessons.lab.measures import RUN_METRICS, RunMetric
from lnviz.lessons.lab.trainings import NormRow

HIGH, LOW = "upper edge", "lower edge"
STEPS, SECONDS = "steps", "seconds"


def metric_choice(address: str = "", when: When | None = None) -> Choice:
    """Return the control that selects the metric."""
    options = tuple(Option(m.key, m.label) for m in RUN_METRICS)
    return Choice("measure", options, RUN_METRICS[0].key, when or {}, address)


@dataclass(frozen=True, eq=False)
class SeriesTable:
    """The training curves of all norms, in every metric, for charts that differ in metric or axis.

    Attributes:
        name: a prefix of its tensors' names, which ends with a space unless it is empty.
        rows: the norms.
        over: the controls of the leading dimensions; the last one is the learning rate.
        values: the values, by metric.
        seconds: seconds of training all runs of a group, at any learning rate.
        diverged: whether any run had diverged.
    """

    name: str
    rows: Sequence[NormRow]
    over: tuple[str, ...]
    values: dict[str, Float[Tensor, "rows *settings rates seeds points"]]
    seconds: Float[Tensor, "rows *settings points"]
    diverged: Bool[Tensor, "rows *settings rates points"]

    def tensor_name(self, row: NormRow, what: str) -> str:
        """Return the name of the tensor with one norm's curve."""
        return f"{row.key} {self.name}{what}"


def add_series(
    desk: FigureBuilder,
    sheet: SeriesTable,
    bands: Sequence[NormRow],
    axes: Sequence[str] = (STEPS, SECONDS),
) -> None:
    """Add to the figure the tensors of its charts of training curves.

    Args:
        desk: the builder of the figure.
        sheet: the values of the curves, by row.
        bands: the rows with a band from the lowest run to the highest.
        axes: the horizontal axes, steps or seconds.
    """
    runs, over = desk.runs, sheet.over
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    for at, row in enumerate(sheet.rows):
        seconds = sheet.seconds[at]
        if SECONDS in axes:
            desk.add(sheet.tensor_name(row, "seconds"), over[:-1], seconds, 2)
        for measure in RUN_METRICS:
            name, floor = (
                sheet.tensor_name(row, measure.key),
                math.log10(runs.ends[measure.name][0]),
            )
            values = sheet.values[measure.name][at].movedim(-2, -1)  # over,points,seeds
            low, high, mean = values.amin(-1), values.amax(-1), values.mean(-1)
            desk.add(name, over, to_log10(mean, floor))
            if row in bands:
                # After the end of a curve, the band stays at its last point.
                kept = last_finite_index(mean)
                for edge, value in ((HIGH, high), (LOW, low)):
                    desk.add(f"{name} {edge}", over, to_log10(value.gather(-1, kept), floor), 3)
                places = {STEPS: steps, SECONDS: seconds[..., None, :]}
                for axis in axes:
                    x = places[axis].expand_as(mean).gather(-1, kept)
                    x = x.where(mean[..., :1].isfinite(), torch.nan)
                    desk.add(f"{name} until {axis}", over, x, 2)


def add_curve_ends(desk: FigureBuilder, sheet: SeriesTable, rows: Sequence[NormRow]) -> None:
    """Add tensors of the last point of each norm's curve that ends because a run diverged.

    Args:
        desk: the builder of the figure.
        sheet: the values of the curves, by row.
        rows: the rows that the chart shows.
    """
    runs, over = desk.runs, sheet.over
    if not runs.diverged.any():
        return
    own = [list(sheet.rows).index(row) for row in rows]
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    lost = sheet.diverged[own].any(-1, keepdim=True)
    for measure in RUN_METRICS:
        name = f"{sheet.name}{measure.key} lost"
        means = sheet.values[measure.name][own].mean(-2)  # rows,over,points
        last = last_finite_index(means)[..., -1:]
        floor = math.log10(runs.ends[measure.name][0])
        ending = to_log10(means.gather(-1, last), floor).where(lost, torch.nan)
        desk.add(name, over, ending[..., 0].movedim(0, -1))
        x = steps.expand_as(means).gather(-1, last).where(ending.isfinite(), torch.nan)
        desk.add(f"{name} {STEPS}", over, x[..., 0].movedim(0, -1), 2)


def last_finite_index(mean: Float[Tensor, "*at points"]) -> Int[Tensor, "*at points"]:
    """Return each point's index, held at the last one before the first non-finite value."""
    length = mean.isfinite().int().cumprod(-1).sum(-1, keepdim=True)
    return torch.arange(mean.shape[-1]).expand(mean.shape).minimum((length - 1).clamp(min=0))


@dataclass(frozen=True)
class SeriesChartText:
    """The texts and settings of one chart of training curves.

    Attributes:
        title: a template.
        alt: the rest of the alternative text, after the names of the axes; a template.
        height: the height in CSS pixels.
        when: the control values at which the chart is shown.
    """

    title: str
    alt: str
    height: int
    when: When


def draw_series(
    desk: FigureBuilder,
    sheet: SeriesTable,
    rows: Sequence[NormRow],
    bands: Sequence[NormRow],
    measure: RunMetric,
    against: str,
    longest: float,
    words: SeriesChartText,
) -> Chart:
    """Return a chart of training curves: a line for each row, bands, a mark at the slider.

    Args:
        desk: the builder of the figure.
        sheet: the values of the curves, by row.
        rows: the rows that the chart shows.
        bands: the rows that have a band.
        measure: the metric.
        against: the horizontal axis, steps or seconds.
        longest: the greatest number of seconds on the axis.
        words: the texts of the chart.
    """
    runs, steps = desk.runs, [float(step) for step in desk.runs.steps]
    order = drawing_order([row.norm for row in rows])
    in_order = sorted(rows, key=lambda row: order.index(row.norm))
    parts: list[Iterable[Layer]] = []
    for row in (row for row in in_order if row in bands):
        name = sheet.tensor_name(row, measure.key)
        parts.append(
            fill_between(row.norm, f"{name} until {against}", f"{name} {LOW}", f"{name} {HIGH}")
        )
    stepper = next((control for control in desk.controls if control.name == STEP), None)
    for row in in_order:
        x = sheet.tensor_name(row, "seconds") if against == SECONDS else steps
        parts.append(norm_line(row.norm, x, sheet.tensor_name(row, measure.key), at=stepper))
        if stepper is None:  # a single point, which a line would not show
            parts.append(markers(row.norm, x, sheet.tensor_name(row, measure.key)))
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
