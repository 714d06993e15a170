"""Five norms, DyT and neither learn digits with batches of four sizes: what falls, and how fast."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Along, Chart, Choice, Explorable, Option, Readout, Swept, When, program
from lnviz.lessons.lab.drawing import MEASURES, Measure, there_and_back
from lnviz.lessons.lab.runs import (
    HEADS,
    NORMS,
    POINTS,
    SEEDS,
    SIZES,
    label,
    measured,
    size_slider,
    specification,
    step_slider,
)
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import band, decades, legend, logarithmic, mark, norm_line, stacked
from lnviz.topics.lab.comparison import stored
from lnviz.topics.lab.digits import PAPER, PLAIN

SETS = {"paper": ("none", "batch", "layer"), "all": NORMS}
SHOWN = Choice(
    "norms",
    (Option("paper", "those of the paper"), Option("all", f"all {len(NORMS)}, means only")),
    "paper",
)
MEASURE = Choice("measure", tuple(Option(m.key, m.label) for m in MEASURES), MEASURES[0].key)
AGAINST = Choice("against", (Option("steps", "steps"), Option("seconds", "seconds")), "steps")
HEAD = Choice(
    "BatchNorm stands",
    (
        Option(PLAIN, "BatchNorm where the others are", code="False"),
        Option(PAPER, "BatchNorm as in the paper", code="True"),
    ),
    PLAIN,
)
SIZE, STEP = size_slider("batch-size"), step_slider("step", 300)


def build() -> Explorable:
    """A line for each norm, with a band over the seeds, and the numbers at one step."""
    return Explorable(
        title="Digits learned under several norms, by batch size",
        controls=(SIZE, STEP, SHOWN, HEAD, MEASURE, AGAINST),
        tensors=_tensors(),
        views=(
            tuple(
                _chart(measure, against.value, shown)
                for measure, against, shown in product(MEASURES, AGAINST.options, SETS)
            ),
            (*_numbers(), *_verdicts(), _passes(), *_remarks(), *_shrunk(), *specification()),
        ),
        code=program(__file__),
    )


def _values(norm: str, measure: Measure) -> Float[Tensor, "sizes heads seeds points"]:
    """In the unit shown; only BatchNorm differs by its heads."""
    heads = HEADS if norm == "batch" else (PLAIN, PLAIN)
    found = [measured(norm, measure.attribute, head) for head in heads]
    return measure.factor * torch.stack(found, 1)


def _seconds(norm: str) -> Float[Tensor, "sizes heads points"]:
    heads = HEADS if norm == "batch" else (PLAIN, PLAIN)
    return torch.stack([measured(norm, "seconds", head) for head in heads], 1)


def _tensors() -> dict[str, Swept]:
    """Means over the seeds with the lowest and the highest, by batch size and BatchNorm's place."""
    tensors: dict[str, Swept] = {}
    at = (SIZE.name, HEAD.name)
    for norm in NORMS:
        seconds = _seconds(norm)
        tensors[f"{norm} seconds"] = Swept(at, seconds, 2)
        tensors[f"{norm} seconds there and back"] = Swept(at, there_and_back(seconds, seconds), 2)
        for measure in MEASURES:
            values, name = _values(norm, measure), f"{norm} {measure.key}"
            low, high = values.aminmax(dim=2)
            band_of = decades(there_and_back(high, low), _floor(measure))
            tensors[name] = Swept(at, decades(values.mean(2), _floor(measure)), 3)
            tensors[f"{name} band"] = Swept(at, band_of, 3)
            ends = {"mean": values.mean(2), "low": low, "high": high}
            for end, value in ends.items():
                tensors[f"{name} {end}"] = Swept((*at, STEP.name), measure.said(value), 4)
    for measure in MEASURES:
        layer, batch = (_values(norm, measure) for norm in ("layer", "batch"))
        ahead = (layer < batch).sum(2).float()
        tensors[f"{measure.key} ahead"] = Swept((*at, STEP.name), ahead, 0)
    for shown, norms in SETS.items():
        rows = torch.stack([_seconds(norm) for norm in norms], -1)  # sizes,heads,points,norms
        tensors[f"{shown} at seconds"] = Swept((*at, STEP.name), rows, 2)
        steps = torch.tensor(STEP.values)[:, None].expand(-1, len(norms))
        tensors[f"{shown} at steps"] = Swept((STEP.name,), steps, 0)
        for measure in MEASURES:
            means = torch.stack([_values(norm, measure).mean(2) for norm in norms], -1)
            tensors[f"{shown} {measure.key} on"] = Swept(
                (*at, STEP.name), decades(means, _floor(measure)), 3
            )
    passes = torch.tensor(SIZE.values)[:, None] * torch.tensor(STEP.values) / stored().train
    return tensors | {"passes": Swept((SIZE.name, STEP.name), passes, 2)}


def _ends(measure: Measure) -> tuple[float, float]:
    """The smallest number above 0 of any run, and the largest."""
    values = torch.cat([_values(norm, measure).flatten() for norm in NORMS])
    values = values[values.isfinite()]
    return float(values[values > 0].min()), float(values.max())


def _floor(measure: Measure) -> float:
    """Logarithm of what stands for 0 on a logarithmic axis: the smallest number above it."""
    return math.log10(_ends(measure)[0])


def _chart(measure: Measure, against: str, shown: str) -> Chart:
    norms = stacked(SETS[shown])
    steps, blank = [float(point) for point in POINTS], [0.0] * len(POINTS)
    last = steps[-1] if against == "steps" else max(_longest(norm) for norm in SETS[shown])
    figure, bind = go.Figure(), dict[int, dict[str, str | Along]]()
    bands = norms if shown == "paper" else []
    for at, norm in enumerate(bands):
        figure.add_trace(band(norm, steps, blank, blank))
        bind[at] = {"y": f"{norm} {measure.key} band"}
        if against == "seconds":
            bind[at]["x"] = f"{norm} seconds there and back"
    for at, norm in enumerate(norms, len(bands)):
        figure.add_trace(norm_line(norm, steps))
        bind[at] = {"y": f"{norm} {measure.key}"}
        if against == "seconds":
            bind[at]["x"] = f"{norm} seconds"
    figure.add_trace(mark(token=list(SETS[shown])))
    bind[len(bands) + len(norms)] = {
        "x": f"{shown} at {against}",
        "y": f"{shown} {measure.key} on",
    }
    unit = "seconds of training, all seeds" if against == "seconds" else against
    figure.update_xaxes(range=[0, 1.03 * last], title=unit)
    logarithmic(figure, f"{measure.label}, {measure.unit}", *_ends(measure))
    legend(figure)
    return Chart(
        f"{measure.label.capitalize()} in batches of {{batch size}}: mean"
        + (f" and range of {SEEDS} seeds" if bands else f" of {SEEDS} seeds"),
        figure,
        bind,
        f"{measure.label.capitalize()} against {unit}, logarithmic, in batches of {{batch size}}; "
        "{BatchNorm stands}. After {step} steps "
        + " and ".join(
            f"{{{norm} {measure.key} mean:{measure.format}}} {measure.unit} under {label(norm)}"
            for norm in ("layer", "none")
        )
        + ".",
        height=400,
        when={MEASURE.name: (measure.key,), AGAINST.name: (against,), SHOWN.name: (shown,)},
    )


def _longest(norm: str) -> float:
    return float(_seconds(norm).nan_to_num().max())


def _numbers() -> Iterator[Readout]:
    """The numbers of all norms at the step, in order."""
    for measure, (shown, norms) in product(MEASURES, SETS.items()):
        for when, there in _by_size(norms):
            said = "; ".join(
                f"{label(norm)} {{{norm} {measure.key} mean:{measure.format} value}} "
                f"({{{norm} {measure.key} low:{measure.format}}} to "
                f"{{{norm} {measure.key} high:{measure.format}}})"
                for norm in there
            )
            yield Readout(
                f"After {{step}} steps in batches of {{batch size}}, {measure.label} in "
                f"{measure.unit}, mean of {SEEDS} seeds (lowest to highest): {said}.",
                when={**when, MEASURE.name: (measure.key,), SHOWN.name: (shown,)},
            )


def _by_size(norms: tuple[str, ...]) -> Iterator[tuple[When, tuple[str, ...]]]:
    """Where all norms have been trained; and where BatchNorm has not."""
    yield {SIZE.name: SIZE.values[1:]}, norms
    yield {SIZE.name: SIZE.values[:1]}, tuple(norm for norm in norms if norm != "batch")


def _verdicts() -> Iterator[Readout]:
    for measure in MEASURES:
        yield Readout(
            f"LayerNorm has the lower {measure.label} than BatchNorm here in "
            f"{{{measure.key} ahead:0 value}} of {SEEDS} seeds; with the same seed, both have seen "
            "the same images.",
            "verdict",
            {MEASURE.name: (measure.key,), SIZE.name: SIZE.values[1:]},
        )


def _passes() -> Readout:
    return Readout(
        "By this step a run has drawn {passes:2} times as many images as there are to learn from, "
        f"{stored().train:,}: with small batches the same number of steps is much less to learn "
        "from."
    )


def _shrunk() -> Iterator[Readout]:
    """What the runs show of batches that shrink, at the end and over all measured steps."""
    large, small = (SIZES.index(size) for size in (128, 4))
    ends = {norm: _values(norm, MEASURES[0])[..., -1].mean(-1) for norm in SETS["paper"]}
    said = "; ".join(
        f"{label(norm)} {error[large, 0]:.1f}\u00a0% and {error[small, 0]:.1f}\u00a0%"
        for norm, error in ends.items()
    )
    yield Readout(
        f"From {SIZES[large]} to {SIZES[small]}. Mean validation error after {POINTS[-1]:,} steps "
        f"in batches of {SIZES[large]} and of {SIZES[small]}, BatchNorm where the others are: "
        f"{said}."
    )
    means = {norm: _values(norm, MEASURES[0]).mean(2) for norm in SETS["paper"]}
    ahead = (means["layer"] < means["batch"]).sum(-1).tolist()  # sizes,heads
    yield Readout(
        f"Of the {len(POINTS)} times that the runs were measured, LayerNorm has the lower mean "
        f"error than BatchNorm on hidden layers {ahead[large][0]} times in batches of "
        f"{SIZES[large]} and {ahead[small][0]} times in batches of {SIZES[small]}. Against "
        f"BatchNorm on all layers it is {ahead[large][1]} and {ahead[small][1]} times."
    )


def _remarks() -> Iterator[Readout]:
    yield Readout(
        f"BatchNorm is missing in batches of {SIZES[0]}: one case has no spread about its own "
        "mean, so each unit would put out its bias, whatever it has read. PyTorch refuses to train "
        "like that.",
        when={SIZE.name: SIZE.values[:1]},
    )
    yield Readout(
        "As in the paper: BatchNorm stands on the summed inputs of the softmax, too, and LayerNorm "
        "does not.",
        when={HEAD.name: (PAPER,)},
    )
    yield Readout(
        f"Seconds are of training all {SEEDS} seeds at once, without measuring. The groups ran one "
        "after another on a machine that had other work as well: small differences mean nothing.",
        when={AGAINST.name: ("seconds",)},
    )


FIGURE = Figure("curves", build)
