"""Charts by layer: activations, gradients, gains and biases of trained networks."""

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
from lnviz.lessons.lab.figure_builder import RATE, SIZE, STEP, FigureBuilder
from lnviz.lessons.lab.layer_names import LAST, NORMS, WEIGHTS, layer_labels, transformer_labels
from lnviz.lessons.lab.trainings import NormRow, Trainings

OVER = (SIZE, STEP, RATE)
FAR = 4  # the ratio of a common axis to a learning rate's own range from which axes are separate
FEW = 6  # the most layers whose names fit side by side
MANY = 24  # the most layers whose names fit under one another
HALF = 0.3  # half the width of a layer's marks, in layers


@dataclass(frozen=True)
class LayerQuantity:
    """A quantity measured in every layer of trained networks, such as the RMS of its gradient.

    Attributes:
        name: its name in `lnviz.training.scales.scales`.
        title: the title of its chart, a template.
        what: its name in a sentence.
        axis: the title of the chart's axis.
        of_norms: whether it belongs to norms, or to the layers between them.
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
        """Return whether the quantity's axis is logarithmic: true for all but gains and biases."""
        return not self.of_norms


@dataclass(frozen=True, eq=False)
class LayerScale:
    """One quantity by layer for the networks with one norm, averaged over the seeds.

    Attributes:
        row: the row.
        layers: the names of the layers.
        values: the means, by batch size, step and learning rate.
    """

    row: NormRow
    layers: tuple[str, ...]
    values: Float[Tensor, "sizes points rates layers"]


def layer_scales(runs: Trainings, name: str, *, of_norms: bool) -> dict[str, LayerScale]:
    """Return one quantity by layer for every norm with measurements, keyed by norm."""
    called = (NORMS if of_norms else WEIGHTS).get(runs.experiment.name, ())
    whole = (
        "gains" if of_norms else "gradients"
    )  # biases and activations exist for some of these layers
    measured = {}
    for row in runs.rows:
        layers = runs.scales.get((row.key, name))
        if layers is None:
            continue
        every, names = (
            [layer.removesuffix(".weight") for layer in all_of]
            for all_of in (runs.scales[row.key, whole].names, layers.names)
        )
        is_transformer = bool(runs.experiment.placements)
        words = transformer_labels(every) if is_transformer else layer_labels(called, every)
        said = [words.get(layer, layer) for layer in names]
        # PyTorch lists a model's own parameters before those of its parts.
        order = [at for at, layer in enumerate(said) if layer != LAST]
        order += [at for at, layer in enumerate(said) if layer == LAST]
        measured[row.key] = LayerScale(
            row, tuple(said[at] for at in order), layers.mean[..., order]
        )
    return measured


def add_layer_tensors(desk: FigureBuilder, kinds: Sequence[LayerQuantity]) -> None:
    """Add to the figure the tensors of the charts by layer and of their captions."""
    for kind in kinds:
        for row, scale in layer_scales(desk.runs, kind.name, of_norms=kind.of_norms).items():
            values = to_log10(scale.values) if kind.is_log else scale.values
            name = f"{row} {kind.name}"
            desk.add(name, OVER, values, 3)
            zeros = (scale.values == 0).sum(-1).double()  # sizes,points,rates
            if kind.is_log and zeros.any():
                desk.add(f"{name} zeros", OVER, zeros.masked_fill(zeros == 0, torch.nan), 0)
    for row, (mean, spread) in _gains(desk.runs).items():
        desk.add(f"{row} gains band", OVER, error_bars(mean.values - spread, mean.values + spread))


def add_largest(desk: FigureBuilder) -> bool:
    """Add tensors that name the norm with the largest outputs in the last layer, if measured.

    Returns:
        Whether activations were measured.
    """
    drawn = layer_scales(desk.runs, "activations", of_norms=False)
    if not drawn:
        return False
    ends = torch.stack([scale.values[..., -1] for scale in drawn.values()])  # rows,sizes,...
    most = ends.nan_to_num(-math.inf, posinf=-math.inf).max(0)
    known = most.values.isfinite()
    labels = tuple(scale.row.label for scale in drawn.values())
    desk.add("largest", OVER, most.values.where(known, math.nan))
    desk.add("largest with", OVER, most.indices.double().where(known, math.nan), 0, labels)
    return True


def _gains(runs: Trainings) -> dict[str, tuple[LayerScale, Tensor]]:
    means = layer_scales(runs, "gains", of_norms=True)
    spreads = layer_scales(runs, "gain_spreads", of_norms=True)
    return {row: (means[row], spreads[row].values) for row in means}


def layer_charts(desk: FigureBuilder, kind: LayerQuantity, when: When) -> Iterator[Chart]:
    """Yield the charts of one quantity: one for all learning rates, or one for each rate."""
    runs = desk.runs
    drawn = layer_scales(runs, kind.name, of_norms=kind.of_norms)
    whole = _span(runs, kind, drawn, slice(None))
    if whole is None:
        return
    if not need_own_axes(runs, kind, drawn):
        yield _chart(desk, kind, drawn, whole, when)
        return
    for at, rate in enumerate(runs.rates):
        own = _span(runs, kind, drawn, slice(at, at + 1)) or whole
        yield _chart(desk, kind, drawn, own, {**when, RATE: (rate,)})


def need_own_axes(runs: Trainings, kind: LayerQuantity, drawn: Mapping[str, LayerScale]) -> bool:
    """Return whether each learning rate needs its own axis, as curves look flat on a shared one."""
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
    desk: FigureBuilder,
    kind: LayerQuantity,
    drawn: Mapping[str, LayerScale],
    span: tuple[float, float],
    when: When,
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
        category_axis("layer", _thinned(names), tickangle=-90 if len(names) > FEW else 0),
        _axis(kind, *span),
        f"{_begun(kind.what)} by layer{axis}, at step {desk.value_template(STEP)} with batches of "
        f"{desk.value_template(SIZE)}{desk.at_rate}, of each norm.",
        height=kind.height,
        when=when,
    )


def _axis(kind: LayerQuantity, low: float, high: float) -> ChartAxis:
    """Return the axis of a quantity, with ticks that suit its range if it is logarithmic."""
    if not kind.is_log:
        room = 0.05 * (high - low) or 0.05
        return linear_axis(kind.axis, low - room, high + room, padded=False, zeroline=False)
    if high > 1000 * low:
        return log_axis(kind.axis, math.log10(low), math.log10(high))
    return short_log_axis(kind.axis, low, high)


def _offset(at: int, count: int) -> float:
    """Return the horizontal offset that keeps one norm's marks from covering the others' marks."""
    return HALF * (2 * at / (count - 1) - 1) if count > 1 else 0.0


def _span(
    runs: Trainings, kind: LayerQuantity, drawn: Mapping[str, LayerScale], rates: slice
) -> tuple[float, float] | None:
    """Return the lowest and highest value in a chart for some learning rates, including step 0."""
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


def _places(drawn: Mapping[str, LayerScale]) -> list[str]:
    """Return the names of all layers in any of the networks, in order."""
    longest = max(drawn.values(), key=lambda scale: len(scale.layers)).layers
    others = (layer for scale in drawn.values() for layer in scale.layers)
    return list(dict.fromkeys([*longest, *others]))


def _thinned(names: Sequence[str]) -> list[str]:
    """Return an axis's tick labels; if there are too many, only every n-th is not blank."""
    stride = math.ceil(len(names) / MANY)
    return [name if at % stride == 0 else "" for at, name in enumerate(names)]


def _begun(words: str) -> str:
    """Return text with its first letter capitalized."""
    return f"{words[0].upper()}{words[1:]}"


def error_bars(
    low: Float[Tensor, "*at places"], high: Float[Tensor, "*at places"]
) -> Float[Tensor, "*at corners"]:
    """Return polylines for error bars: from low to high at each position, separated by NaN."""
    gap = torch.full_like(low, torch.nan)
    return torch.stack([low, high, gap], -1).flatten(-2)
