"""Recurrent networks trained on real digits: what came out, and on longer sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Readout, Row, Slider, Swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, line, mark, note
from lnviz.recurrence.comparison import RESULT, Comparison, Numbers, from_json
from lnviz.recurrence.sequences import CLASSES

STYLES = {
    "lstm": ("none", "solid"),
    "lstm-layer": ("layer", "solid"),
    "lstm-batch": ("batch", "solid"),
    "lstm-batch-gain-1": ("group", "dash"),
    "gru": ("none", "solid"),
    "gru-layer": ("layer", "solid"),
}
FAMILIES = {"lstm": "LSTM", "gru": "GRU"}


@cache
def compared() -> Comparison:
    """The comparison that ships with the lesson."""
    return from_json(RESULT.read_text(encoding="utf-8"))


def members(family: str) -> tuple[str, ...]:
    """The kinds of network whose cell is this."""
    return tuple(key for key in compared().kinds if key.split("-")[0] == family)


def task_figure() -> Explorable:
    """Loss and accuracy on the test images while the networks train, with a band over seeds."""
    result = compared()
    points = tuple(float(p) for p in result.points)
    start = min(points, key=lambda p: abs(p - 0.4 * points[-1]))
    seen = Slider("batches seen", points, start, decimals=0)
    family = _families("cells")
    tensors = {}
    for what, name in (("test_loss", "loss"), ("accuracy", "accuracy")):
        for each in FAMILIES:
            rows = _means(each, what)  # kinds,points
            tensors[f"all {each} {name}"] = Swept((seen.name,), rows.T, 4)
            place = torch.tensor(seen.values)[:, None].repeat(1, len(rows))
            tensors[f"all {each} at"] = Swept((seen.name,), place, 0)
        for key in result.kinds:
            values = _runs(getattr(result.kinds[key], what)).mean(0)
            tensors[f"{key} {name}"] = Swept((seen.name,), values, 4)
    for each in FAMILIES:
        plain, layer = (_runs(result.kinds[key].test_loss) for key in (each, f"{each}-layer"))
        tensors[f"{each} ahead"] = Swept((seen.name,), (layer < plain).sum(0).float(), 0)
    charts: Row = tuple(
        _bands(
            title,
            name,
            each,
            family.name,
            seen.name,
            "batches seen",
            result.points,
            [getattr(result.kinds[key], what) for key in members(each)],
        )
        for each in FAMILIES
        for title, name, what in (
            ("Test loss", "loss", "test_loss"),
            ("Share named right", "accuracy", "accuracy"),
        )
    )
    count = len(result.specification.seeds)
    return Explorable(
        title="Recurrent networks learning to read digits",
        controls=(family, seen),
        tensors=tensors,
        views=(
            charts,
            (
                *(
                    Readout(
                        f"After {{batches seen}} batches, mean over {count} seeds: "
                        + "; ".join(
                            f"{result.kinds[key].label}: loss {{{key} loss:2 value}}, right "
                            f"{{{key} accuracy:2 value}}"
                            for key in members(each)
                        )
                        + ".",
                        when={family.name: (each,)},
                    )
                    for each in FAMILIES
                ),
                *(
                    Readout(
                        f"Here the {name} with LayerNorm has the lower loss in {{{each} ahead:0 "
                        f"value}} of {count} pairs that saw the same batches.",
                        "verdict",
                        {family.name: (each,)},
                    )
                    for each, name in FAMILIES.items()
                ),
                *_specification(result),
            ),
        ),
    )


def length_figure() -> Explorable:
    """Accuracy of the trained networks on sequences longer than any they were trained on."""
    result = compared()
    lengths = tuple(float(length) for length in result.lengths)
    length = Slider("sequence length", lengths, lengths[-4], log=True)
    family = _families("network")
    tensors = {}
    for each in FAMILIES:
        rows = _means(each, "accuracy_after")
        tensors[f"all {each} right"] = Swept((length.name,), rows.T, 4)
        place = torch.tensor(lengths)[:, None].repeat(1, len(rows))
        tensors[f"all {each} at"] = Swept((length.name,), place, 0)
        for key, values in zip(members(each), rows, strict=True):
            tensors[f"{key} right"] = Swept((length.name,), values, 4)
    charts = []
    for each in FAMILIES:
        chart = _bands(
            "Share named right after the last step",
            "right",
            each,
            family.name,
            length.name,
            "steps of the sequence",
            result.lengths,
            [result.kinds[key].accuracy_after for key in members(each)],
        )
        chart.figure.add_vline(
            result.longest, line={"color": "var(--ln-ink)", "width": 1.5, "dash": "dot"}
        )
        note(chart.figure, result.longest, 0.01, " longest in training", anchor="left")
        chart.figure.layout.annotations[-1].update(xref="x")
        charts.append(chart)
    longer = tuple(value for value in lengths if value > result.longest)
    return Explorable(
        title="Sequences longer than any in training",
        controls=(family, length),
        tensors=tensors,
        views=(
            tuple(charts),
            (
                *(
                    Readout(
                        "Sequences of {sequence length} steps, share named right: "
                        + "; ".join(
                            f"{result.kinds[key].label} {{{key} right:2 value}}"
                            for key in members(each)
                        )
                        + f". Guessing is right in {1 / CLASSES:.2f}.",
                        when={family.name: (each,)},
                    )
                    for each in FAMILIES
                ),
                Readout(
                    f"Longer than the {result.longest} steps of training: {result.read} steps show "
                    "the digit, the rest are empty, and what was read has to be kept.",
                    "verdict",
                    {length.name: longer},
                ),
            ),
        ),
    )


def _families(name: str) -> Choice:
    return Choice(name, tuple(Option(key, label) for key, label in FAMILIES.items()), "gru")


def _runs(rows: Sequence[Numbers]) -> Float[Tensor, "runs points"]:
    return torch.tensor(rows)


def _means(family: str, what: str) -> Float[Tensor, "kinds points"]:
    kinds = [compared().kinds[key] for key in members(family)]
    return torch.stack([_runs(getattr(kind, what)).mean(0) for kind in kinds])


def _bands(
    title: str,
    name: str,
    family: str,
    choice: str,
    along: str,
    label: str,
    x: Sequence[int],
    found: Sequence[Sequence[Numbers]],
) -> Chart:
    """A mean over seeds for each kind of network, in a band from the lowest to the highest."""
    keys, places = members(family), [float(each) for each in x]
    figure = go.Figure()
    for key, rows in zip(keys, found, strict=True):
        low, high = (end.tolist() for end in _runs(rows).aminmax(dim=0))
        figure.add_scatter(
            x=places + places[::-1],
            y=high + low[::-1],
            fill="toself",
            mode="lines",
            line={"width": 0, "color": f"var(--ln-{STYLES[key][0]})"},
            opacity=0.25,
            showlegend=False,
        )
    for key, rows in zip(keys, found, strict=True):
        token, dash = STYLES[key]
        trace = line(compared().kinds[key].label, token, places, dash=dash)
        trace.y = _runs(rows).mean(0).tolist()
        figure.add_trace(trace)
    figure.add_trace(mark(token=[STYLES[key][0] for key in keys]))
    top = max(float(_runs(rows).max()) for rows in found) if name == "loss" else 1.0
    figure.update_xaxes(range=[0, 1.03 * places[-1]], title=label)
    figure.update_yaxes(range=[0, 1.04 * top], title="loss, nats" if name == "loss" else "share")
    legend(figure)
    numbers = ", ".join(f"{compared().kinds[key].label} {{{key} {name}:2}}" for key in keys)
    return Chart(
        f"{title}: mean and range of {len(compared().specification.seeds)} seeds",
        figure,
        {2 * len(keys): {"x": f"all {family} at", "y": f"all {family} {name}"}},
        f"{title}, against {label}. At {{{along}}}: {numbers}.",
        height=300 + 24 * len(keys),
        when={choice: (family,)},
    )


def _specification(result: Comparison) -> tuple[Readout, ...]:
    """What was trained, from the result itself."""
    s = result.specification
    shape = {"rows": "a row of pixels at each step", "pixels": "a pixel at each step"}[s.reading]
    parts = "; ".join(f"{kind.label}: {kind.parameters:,}" for kind in result.kinds.values())
    made = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    return (
        Readout(
            f"The task: read a handwritten digit, {shape}, {result.read} steps; wait for 0 to "
            f"{s.longest_wait} empty steps; say which digit it was. {result.train:,} images to "
            f"train on, {result.test} others to test with, after the longest wait. {s.units} "
            f"units, batches of {s.batch}, {s.steps:,} batches, Adam with a learning rate of "
            f"{s.rate:g} for all, tuned for none; seeds {s.seeds[0]} to {s.seeds[-1]}. Numbers "
            f"learned: {parts}."
        ),
        Readout(f"Made with {made} on {result.device}."),
    )


FIGURES = (Figure("task", task_figure), Figure("length", length_figure))
