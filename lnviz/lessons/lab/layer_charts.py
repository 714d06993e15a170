"""Inside the networks: activations, gradients, gains and biases, layer by layer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, When
from lnviz.lessons.chart_axes import (
    ChartAxis,
    category_axis,
    linear_axis,
    log_axis,
    short_log_axis,
    to_log10,
)
from lnviz.lessons.charts import Layer, chart, drawing_order, line, norm_line
from lnviz.lessons.lab.figure_builder import RATE, SIZE, STEP, Desk
from lnviz.lessons.lab.layer_names import LAST, NORMS, WEIGHTS, words_of
from lnviz.lessons.lab.trainings import Row, Trainings

OVER = (SIZE, STEP, RATE)
FAR = 4  # times as much as a learning rate's own numbers take up: it gets an axis of its own
FEW = 6  # layers whose names stand side by side
HALF = 0.3  # of the room of a layer that the marks of its norms take up


@dataclass(frozen=True)
class Kind:
    """What is measured in every layer.

    Attributes:
        name: its name in `lnviz.training.scales.scales`.
        title: the title of its chart, a template.
        what: its name in a sentence.
        axis: the title of the chart's axis.
        of_norms: whether it is of norms, and not of the layers between.
        height: the height of the chart, in CSS pixels.
        size: the size of a mark, in CSS pixels.
    """

    name: str
    title: str
    what: str
    axis: str
    of_norms: bool
    height: int = 380
    size: int = 9

    @property
    def is_log(self) -> bool:
        """Whether it is drawn on a logarithmic axis; gains and biases stand near 1 and 0."""
        return not self.of_norms


@dataclass(frozen=True, eq=False)
class Scale:
    """A kind of measurement of one row's networks, mean over the seeds.

    Attributes:
        row: the row whose networks were measured.
        layers: the names of the layers.
        values: what was measured, by batch size, step and learning rate.
    """

    row: Row
    layers: tuple[str, ...]
    values: Float[Tensor, "sizes points rates layers"]


def scales(runs: Trainings, name: str, *, of_norms: bool) -> dict[str, Scale]:
    """Return what was measured of every row that has it."""
    called = (NORMS if of_norms else WEIGHTS).get(runs.experiment.name, ())
    whole = "gains" if of_norms else "gradients"  # biases and activations are of some of these
    measured = {}
    for row in runs.rows:
        layers = runs.scales.get((row.key, name))
        if layers is None:
            continue
        every, names = (
            [layer.removesuffix(".weight") for layer in all_of]
            for all_of in (runs.scales[row.key, whole].names, layers.names)
        )
        words = words_of(called, every)
        said = [words.get(layer, layer) for layer in names]
        # PyTorch lists a model's own parameters before those of its parts.
        order = [at for at, layer in enumerate(said) if layer != LAST]
        order += [at for at, layer in enumerate(said) if layer == LAST]
        measured[row.key] = Scale(row, tuple(said[at] for at in order), layers.mean[..., order])
    return measured


def put(desk: Desk, kinds: Sequence[Kind]) -> None:
    """Put what the charts and the sentences look up."""
    for kind in kinds:
        for row, scale in scales(desk.runs, kind.name, of_norms=kind.of_norms).items():
            values = to_log10(scale.values) if kind.is_log else scale.values
            name = f"{row} {kind.name}"
            desk.put(name, OVER, values, 3)
            zeros = (scale.values == 0).sum(-1).double()  # sizes,points,rates
            if kind.is_log and zeros.any():
                desk.put(f"{name} zeros", OVER, zeros.masked_fill(zeros == 0, torch.nan), 0)
    for row, (mean, spread) in _gains(desk.runs).items():
        desk.put(f"{row} gains band", OVER, sticks(mean.values - spread, mean.values + spread))


def put_largest(desk: Desk) -> bool:
    """Put under which norm the last layer returns the largest numbers, and their size, if measured.

    Returns:
        Whether activations were measured.
    """
    drawn = scales(desk.runs, "activations", of_norms=False)
    if not drawn:
        return False
    ends = torch.stack([scale.values[..., -1] for scale in drawn.values()])  # rows,sizes,...
    most = ends.nan_to_num(-math.inf, posinf=-math.inf).max(0)
    known = most.values.isfinite()
    labels = tuple(scale.row.label for scale in drawn.values())
    desk.put("largest", OVER, most.values.where(known, math.nan))
    desk.put("largest with", OVER, most.indices.double().where(known, math.nan), 0, labels)
    return True


def _gains(runs: Trainings) -> dict[str, tuple[Scale, Tensor]]:
    means = scales(runs, "gains", of_norms=True)
    spreads = scales(runs, "gain_spreads", of_norms=True)
    return {row: (means[row], spreads[row].values) for row in means}


def charts(desk: Desk, kind: Kind, when: When) -> Iterator[Chart]:
    """Yield one chart for all learning rates, or one for each."""
    runs = desk.runs
    drawn = scales(runs, kind.name, of_norms=kind.of_norms)
    whole = _span(runs, kind, drawn, slice(None))
    if whole is None:
        return
    if not are_apart(runs, kind, drawn):
        yield _chart(desk, kind, drawn, whole, when)
        return
    for at, rate in enumerate(runs.rates):
        own = _span(runs, kind, drawn, slice(at, at + 1)) or whole
        yield _chart(desk, kind, drawn, own, {**when, RATE: (rate,)})


def are_apart(runs: Trainings, kind: Kind, drawn: Mapping[str, Scale]) -> bool:
    """Return whether some learning rate's numbers would be a flat row on an axis for all."""
    spans = [
        _span(runs, kind, drawn, at)
        for at in (slice(None), *(slice(at, at + 1) for at in range(len(runs.rates))))
    ]
    lengths = [
        math.log10(high / low) if kind.is_log else high - low
        for low, high in (span for span in spans if span)
    ]
    return bool(lengths) and lengths[0] > FAR * min(lengths)


def _chart(
    desk: Desk, kind: Kind, drawn: Mapping[str, Scale], span: tuple[float, float], when: When
) -> Chart:
    names, parts = _places(drawn), list[Iterable[Layer]]()
    order = drawing_order([scale.row.norm for scale in drawn.values()])
    in_order = sorted(drawn.values(), key=lambda scale: order.index(scale.row.norm))
    for at, scale in enumerate(drawn.values() if kind.of_norms else in_order):
        row, offset = scale.row, _offset(at, len(drawn)) if kind.of_norms else 0.0
        places = [names.index(layer) + offset for layer in scale.layers]
        if kind.name == "gains":
            ends = [x for x in places for _ in range(3)]
            spread = f"{row.key} gains band"
            parts.append(line(row.label, row.norm, ends, spread, showlegend=False))
        mode = "markers" if kind.of_norms else "lines+markers"
        marker = {"size": kind.size, "color": f"var(--ln-{row.norm})"}
        name = f"{row.key} {kind.name}"
        parts.append(norm_line(row.norm, places, name, mode=mode, marker=marker))
    axis = ", logarithmic" if kind.is_log else ""
    return chart(
        kind.title,
        parts,
        category_axis("layer", names, tickangle=-90 if len(names) > FEW else 0),
        _axis(kind, *span),
        f"{_begun(kind.what)} by layer{axis}, at step {desk.said(STEP)} in batches of "
        f"{desk.said(SIZE)}{desk.at_rate}, of each norm.",
        height=kind.height,
        when=when,
    )


def _axis(kind: Kind, low: float, high: float) -> ChartAxis:
    """Return an axis for what is measured, a logarithmic one for few decades or for many."""
    if not kind.is_log:
        room = 0.05 * (high - low) or 0.05
        return linear_axis(kind.axis, low - room, high + room, padded=False, zeroline=False)
    if high > 1000 * low:
        return log_axis(kind.axis, math.log10(low), math.log10(high))
    return short_log_axis(kind.axis, low, high)


def _offset(at: int, count: int) -> float:
    """Return where the marks of a norm stand beside those of the others."""
    return HALF * (2 * at / (count - 1) - 1) if count > 1 else 0.0


def _span(
    runs: Trainings, kind: Kind, drawn: Mapping[str, Scale], rates: slice
) -> tuple[float, float] | None:
    """Return the ends of what a chart draws at some learning rates, and of where a norm rests."""
    values = [scale.values for scale in drawn.values()]
    if kind.name == "gains":
        both = _gains(runs).values()
        values = [mean.values + sign * spread for mean, spread in both for sign in (-1, 1)]
    every = torch.cat([torch.empty(0), *(value[:, :, rates].flatten() for value in values)])
    every = every[every.isfinite() & ((every > 0) | kind.of_norms)]
    if not len(every):
        return None
    rest = {"gains": [1.0], "bias_spreads": [0.0]}.get(kind.name, [])
    ends = [*rest, float(every.min()), float(every.max())]
    return min(ends), max(ends)


def _places(drawn: Mapping[str, Scale]) -> list[str]:
    """Return all layers, from the first to the last."""
    longest = max(drawn.values(), key=lambda scale: len(scale.layers)).layers
    others = (layer for scale in drawn.values() for layer in scale.layers)
    return list(dict.fromkeys([*longest, *others]))


def _begun(words: str) -> str:
    """Return words as a sentence begins with them."""
    return f"{words[0].upper()}{words[1:]}"


def sticks(
    low: Float[Tensor, "*at places"], high: Float[Tensor, "*at places"]
) -> Float[Tensor, "*at corners"]:
    """Return a line from one end to the other at each place, with a gap before the next one."""
    gap = torch.full_like(low, torch.nan)
    return torch.stack([low, high, gap], -1).flatten(-2)
