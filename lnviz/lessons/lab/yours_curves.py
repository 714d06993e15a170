"""Runs of a visitor by batch size: a chart of each, side by side, and the numbers at a step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import plotly.graph_objects as go
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.explorable import Along, Chart, Readout, When
from lnviz.lessons.lab.desk import (
    AGAINST,
    CURVES,
    MEASURE,
    RATE,
    SHOW,
    STEP,
    Desk,
    Part,
)
from lnviz.lessons.lab.drawing import MEASURES, Measure, there_and_back
from lnviz.lessons.lab.runs import label
from lnviz.lessons.lab.trainings import Trainings
from lnviz.lessons.plots import band, decades, legend, logarithmic, mark, norm_line, stacked

ENDS = ("mean", "low", "high")


def put(desk: Desk) -> None:
    """What the charts and the sentences look up."""
    runs = desk.runs
    steps = torch.tensor(runs.steps, dtype=torch.float64)
    for norm, size in runs.groups:
        name, at = f"{norm} {size}", runs.of(norm, size)
        seconds = runs.seconds[at]
        desk.put(f"{name} seconds", (), seconds, 2)
        for measure in MEASURES:
            values = runs.values[measure.attribute][at].movedim(1, -1)  # rates,points,seeds
            low, high = values.amin(-1), values.amax(-1)
            mean, floor = values.mean(-1), math.log10(runs.ends[measure.attribute][0])
            desk.put(f"{name} {measure.key}", (RATE,), decades(mean, floor))
            kept = until_lost(mean)
            outline = there_and_back(*(decades(v.gather(-1, kept), floor) for v in (high, low)))
            desk.put(f"{name} {measure.key} band", (RATE,), outline, 3)
            for axis, places in (("steps", steps), ("seconds", seconds)):
                x = places.expand_as(mean).gather(-1, kept).where(mean[:, :1].isfinite(), torch.nan)
                desk.put(f"{name} {measure.key} band {axis}", (RATE,), there_and_back(x, x), 2)
            for end, value in zip(ENDS, (mean, low, high), strict=True):
                desk.put(f"{name} {measure.key} {end}", (RATE, STEP), measure.said(value))
    desk.put("at steps", (STEP,), steps[:, None].expand(-1, len(runs.norms)), 0)
    for place, size in enumerate(runs.sizes):
        desk.put(f"{size} at seconds", (STEP,), runs.seconds[:, place].T, 2)
        for measure in MEASURES:
            floor = math.log10(runs.ends[measure.attribute][0])
            means = runs.values[measure.attribute][:, place].mean(2)  # norms,rates,points
            desk.put(f"{size} {measure.key} on", (RATE, STEP), decades(means.movedim(0, -1), floor))
            last = until_lost(means)[..., -1:]
            lost = runs.diverged[:, place].any(2).any(-1, keepdim=True)  # norms,rates,1
            ending = decades(means.gather(-1, last), floor).where(lost, torch.nan)
            desk.put(f"{size} {measure.key} lost", (RATE,), ending[..., 0].T)
            for axis, places in (("steps", steps), ("seconds", runs.seconds[:, place, None])):
                x = places.expand_as(means).gather(-1, last).where(ending.isfinite(), torch.nan)
                desk.put(f"{size} {measure.key} lost {axis}", (RATE,), x[..., 0].T, 2)


def until_lost(mean: Float[Tensor, "*at points"]) -> Int[Tensor, "*at points"]:
    """For each point its own place; from where a curve has ended on, its last one."""
    length = mean.isfinite().int().cumprod(-1).sum(-1, keepdim=True)
    return torch.arange(mean.shape[-1]).expand(mean.shape).minimum((length - 1).clamp(min=0))


def charts(desk: Desk) -> Iterator[Chart]:
    """One for each batch size, measure and axis."""
    for measure, against, size in product(MEASURES, AGAINST.options, desk.runs.sizes):
        yield _chart(desk, measure, against.value, size)


def _chart(desk: Desk, measure: Measure, against: str, size: int) -> Chart:
    runs = desk.runs
    norms = [norm for norm in stacked(runs.norms) if (norm, size) in runs.groups]
    steps, blank = [float(step) for step in runs.steps], [0.0] * len(runs.steps)
    figure, bind = go.Figure(), dict[int, dict[str, str | Along]]()

    def add(trace: go.Scatter, x: str, y: str) -> None:
        bind[len(figure.data)] = {"x": x, "y": y}
        figure.add_trace(trace)

    key = measure.key
    for norm in norms if runs.seeds > 1 else []:
        name = f"{norm} {size} {key} band"
        add(band(norm, steps, blank, blank), f"{name} {against}", name)
    for norm in norms:
        add(norm_line(norm, steps), f"{norm} {size} seconds", f"{norm} {size} {key}")
        if against == "steps":
            del bind[len(figure.data) - 1]["x"]
    tokens = list(runs.norms)
    at = "at steps" if against == "steps" else f"{size} at seconds"
    if runs.diverged.any():
        crosses = mark("x", tokens)
        add(crosses, f"{size} {key} lost {against}", f"{size} {key} lost")
    add(mark(token=tokens), at, f"{size} {key} on")
    last = steps[-1] if against == "steps" else float(runs.seconds.nan_to_num().max())
    title = "steps" if against == "steps" else "seconds of training, all runs of a norm"
    figure.update_xaxes(range=[0, 1.03 * last], title=title)
    logarithmic(figure, f"{measure.label}, {measure.unit}", *runs.ends[measure.attribute])
    legend(figure)
    lost = "; a cross where the first run of a norm diverges" if runs.diverged.any() else ""
    return Chart(
        f"Batches of {size}{desk.at_rate}",
        figure,
        bind,
        f"{measure.label.capitalize()} against {title}, logarithmic, in batches of "
        f"{size}{desk.at_rate}: {_what(runs)} for each norm, with marks at step "
        f"{desk.said(STEP)}{lost}.",
        height=380,
        when={SHOW.name: (CURVES,), MEASURE.name: (key,), AGAINST.name: (against,)},
    )


def _what(runs: Trainings) -> str:
    return f"mean and range of {runs.seeds} seeds" if runs.seeds > 1 else "one run"


def words(desk: Desk) -> Iterator[Readout]:
    """The numbers at the step, of all norms in order."""
    runs = desk.runs
    several = f", mean of {runs.seeds} seeds (lowest to highest)"
    mean = several if runs.seeds > 1 else ", one run each"
    for measure, size in product(MEASURES, runs.sizes):
        when: When = {SHOW.name: (CURVES,), MEASURE.name: (measure.key,)}
        parts, whole = [], {}
        for norm in (norm for norm, batch in runs.groups if batch == size):
            name = f"{norm} {size} {measure.key}"
            form = measure.format.replace("d2", "d3")
            spread = f" ({{{name} low:{form}}} to {{{name} high:{form}}})" if runs.seeds > 1 else ""
            text = f"{label(norm)} {{{name} mean:{form} value}}{spread}"
            parts.append(Part((norm, size), text, f"{name} low"))
            whole[norm, size] = all(desk.is_whole(f"{name} {end}") for end in ENDS)
        head = f"Batches of {size}, {measure.label} in {measure.unit} at step {desk.said(STEP)}"
        yield from desk.sentences(f"{head}{desk.at_rate}{mean}", parts, whole, when)
    for size in runs.sizes:
        yield from desk.losses(size, {SHOW.name: (CURVES,)})
    if runs.diverged.any():
        yield Readout(
            "A cross ends the line of a norm: from there on one of its runs or more has diverged, "
            "and a mean of those left would tell of the lucky ones alone.",
            when={SHOW.name: (CURVES,)},
        )
    looked, drawn = len(runs.looked), len(runs.steps)
    if drawn < looked:
        yield Readout(
            f"Of {looked:,} measurements of a whole run, {drawn} are drawn, evenly spread.",
            when={SHOW.name: (CURVES,)},
        )
    yield Readout(
        "Seconds are of training all runs of a norm at once, without measuring. A machine that has "
        "other work as well takes longer: small differences mean nothing.",
        when={SHOW.name: (CURVES,), AGAINST.name: ("seconds",)},
    )
