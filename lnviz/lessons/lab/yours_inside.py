"""Inside the networks of a visitor's runs: activations, gradients, gains and biases by layer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Along, Chart, Readout, Row, When
from lnviz.lessons.lab import layers as naming
from lnviz.lessons.lab.desk import INSIDE, RATE, SHOW, SIZE, STEP, Desk, Part
from lnviz.lessons.lab.drawing import layers, magnitudes, sticks
from lnviz.lessons.lab.runs import label
from lnviz.lessons.lab.trainings import Trainings
from lnviz.lessons.lab.yours_words import listed
from lnviz.lessons.plots import decades, legend, line, norm_line, stacked

OVER = (SIZE, STEP, RATE)
FAR = 4  # times as much as a learning rate's own numbers take up: it gets an axis of its own
HALF = 0.3  # of the room of a layer that the marks of its norms take up


@dataclass(frozen=True)
class Kind:
    """What is measured in every layer.

    Attributes:
        name: as `lnviz.training.scales.scales` has it.
        title: of its chart.
        what: in a sentence.
        axis: of the chart.
        of_norms: whether it is of norms, and not of the layers between.
    """

    name: str
    title: str
    what: str
    axis: str
    of_norms: bool

    @property
    def is_log(self) -> bool:
        """Whether it is drawn on a logarithmic axis; gains and biases stand near 1 and 0."""
        return not self.of_norms


KINDS = (
    Kind(
        "activations",
        "Activations",
        "root mean square of what a layer returns",
        "activations, RMS",
        of_norms=False,
    ),
    Kind(
        "gradients",
        "Gradients",
        "root mean square of the weights' gradient",
        "gradient, RMS",
        of_norms=False,
    ),
    Kind(
        "gains",
        "Gains: mean and standard deviation over the units",
        "mean gain",
        "gain",
        of_norms=True,
    ),
    Kind(
        "bias spreads",
        "Biases: standard deviation over the units",
        "standard deviation of the biases",
        "spread of biases",
        of_norms=True,
    ),
)


@dataclass(frozen=True, eq=False)
class Scale:
    """A kind of measurement of one norm's networks, mean over the seeds.

    Attributes:
        layers: what they are called.
        values: by batch size, step and learning rate.
    """

    layers: tuple[str, ...]
    values: Float[Tensor, "sizes points rates layers"]


def scales(runs: Trainings, kind: str, *, of_norms: bool) -> dict[str, Scale]:
    """What was measured of every norm that has it."""
    name = runs.experiment.name
    listed = (naming.NORMS if of_norms else naming.WEIGHTS).get(name, ())
    whole = "gains" if of_norms else "gradients"  # biases and activations are of some of these
    found = {}
    for norm in runs.norms:
        measured = runs.scales.get((norm, kind))
        if measured is None or not measured.names:
            continue
        every, names = (
            [each.removesuffix(".weight") for each in all_of]
            for all_of in (runs.scales[norm, whole].names, measured.names)
        )
        called = naming.words(listed, every)
        layers = [called.get(each, each) for each in names]
        # PyTorch lists a model's own parameters before those of its parts.
        order = [at for at, layer in enumerate(layers) if layer != naming.LAST]
        order += [at for at, layer in enumerate(layers) if layer == naming.LAST]
        values = measured.mean[..., order]
        found[norm] = Scale(tuple(layers[at] for at in order), values)
    return found


def put(desk: Desk) -> None:
    """What the charts and the sentences look up."""
    for kind in KINDS:
        for norm, scale in scales(desk.runs, kind.name, of_norms=kind.of_norms).items():
            values = decades(scale.values) if kind.is_log else scale.values
            name = f"{norm} {kind.name}"
            desk.put(name, OVER, values, 3)
            zeros = (scale.values == 0).sum(-1).double()  # sizes,points,rates
            if kind.is_log and zeros.any():
                desk.put(f"{name} zeros", OVER, zeros.masked_fill(zeros == 0, torch.nan), 0)
            whole = values[..., :1].isfinite() & values[..., -1:].isfinite()
            for end, at in (("first", 0), ("last", -1)):
                desk.put(f"{name} {end}", OVER, values[..., at].where(whole[..., 0], torch.nan))
    for norm, (mean, spread) in _gains(desk.runs).items():
        desk.put(f"{norm} gains band", OVER, sticks(mean.values - spread, mean.values + spread))


def _gains(runs: Trainings) -> dict[str, tuple[Scale, Tensor]]:
    means = scales(runs, "gains", of_norms=True)
    spreads = scales(runs, "gain spreads", of_norms=True)
    return {norm: (means[norm], spreads[norm].values) for norm in means}


def rows(desk: Desk) -> Iterator[Row]:
    """Two charts of the layers; two of the norms, where there are some."""
    for of_norms in (False, True):
        of_kinds = [_charts(desk, kind) for kind in KINDS if kind.of_norms == of_norms]
        drawn = tuple(chart for charts in of_kinds for chart in charts)
        if drawn:
            yield drawn


def _charts(desk: Desk, kind: Kind) -> Iterator[Chart]:
    """One for all learning rates, or one for each."""
    runs = desk.runs
    found = scales(runs, kind.name, of_norms=kind.of_norms)
    whole = _span(runs, kind, found, slice(None))
    if whole is None:
        return
    if not _apart(runs, kind, found):
        yield _chart(desk, kind, found, whole, {})
        return
    for at, rate in enumerate(runs.rates):
        own = _span(runs, kind, found, slice(at, at + 1)) or whole
        yield _chart(desk, kind, found, own, {RATE: (rate,)})


def _apart(runs: Trainings, kind: Kind, found: dict[str, Scale]) -> bool:
    """Whether some learning rate's numbers would be a flat row on an axis for all."""
    spans = [
        _span(runs, kind, found, at)
        for at in (slice(None), *(slice(at, at + 1) for at in range(len(runs.rates))))
    ]
    lengths = [
        math.log10(high / low) if kind.is_log else high - low
        for low, high in (span for span in spans if span)
    ]
    return bool(lengths) and lengths[0] > FAR * min(lengths)


def _chart(
    desk: Desk, kind: Kind, found: dict[str, Scale], span: tuple[float, float], when: When
) -> Chart:
    names = _places(found)
    figure, bind = go.Figure(), dict[int, dict[str, str | Along]]()
    norms = list(found) if kind.of_norms else stacked(found)
    for at, norm in enumerate(norms):
        offset = _offset(at, len(norms)) if kind.of_norms else 0.0
        places = [names.index(layer) + offset for layer in found[norm].layers]
        if kind.name == "gains":
            ends = [x for x in places for _ in range(3)]
            bind[len(figure.data)] = {"y": f"{norm} gains band"}
            figure.add_trace(line(label(norm), norm, ends, showlegend=False))
        mode = "markers" if kind.of_norms else "lines+markers"
        bind[len(figure.data)] = {"y": f"{norm} {kind.name}"}
        figure.add_trace(norm_line(norm, places).update(mode=mode, marker={"size": 9}))
        figure.data[-1].marker.color = f"var(--ln-{norm})"
    layers(figure, names)
    low, high = span
    if kind.is_log:
        magnitudes(figure, kind.axis, low, high)
    else:
        room = 0.05 * (high - low) or 0.05
        figure.update_yaxes(range=[low - room, high + room], title=kind.axis, zeroline=False)
    legend(figure)
    scale = ", logarithmic" if kind.is_log else ""
    return Chart(
        kind.title,
        figure,
        bind,
        f"{kind.title} by layer{scale}, at step {desk.said(STEP)} in batches of "
        f"{desk.said(SIZE)}{desk.at_rate}, of each norm.",
        height=380,
        when={SHOW.name: (INSIDE,), **when},
    )


def _offset(at: int, count: int) -> float:
    """Where the marks of a norm stand beside those of the others."""
    return HALF * (2 * at / (count - 1) - 1) if count > 1 else 0.0


def _span(
    runs: Trainings, kind: Kind, found: dict[str, Scale], rates: slice
) -> tuple[float, float] | None:
    """The ends of all that a chart ever draws at some learning rates, and of where a norm rests."""
    values = [scale.values for scale in found.values()]
    if kind.name == "gains":
        both = _gains(runs).values()
        values = [mean.values + sign * spread for mean, spread in both for sign in (-1, 1)]
    every = torch.cat([torch.empty(0), *(each[:, :, rates].flatten() for each in values)])
    every = every[every.isfinite() & ((every > 0) | kind.of_norms)]
    if not len(every):
        return None
    rest = {"gains": [1.0], "bias spreads": [0.0]}.get(kind.name, [])
    ends = [*rest, float(every.min()), float(every.max())]
    return min(ends), max(ends)


def _places(found: dict[str, Scale]) -> list[str]:
    """All layers, from the first to the last."""
    longest = max(found.values(), key=lambda scale: len(scale.layers)).layers
    return list(dict.fromkeys([*longest, *(n for each in found.values() for n in each.layers)]))


def words(desk: Desk) -> Iterator[Readout]:
    """The numbers of the first layer and of the last, of all norms in order."""
    runs = desk.runs
    over = f", mean of {runs.seeds} seeds" if runs.seeds > 1 else ", one run each"
    for kind in KINDS:
        found = scales(runs, kind.name, of_norms=kind.of_norms)
        if not found:
            continue
        form, places = "d2" if kind.is_log else "2", _places(found)
        for at, size in enumerate(runs.sizes):
            parts, whole = [], {}
            for norm in (n for n in found if (n, size) in runs.groups):
                name = f"{norm} {kind.name}"
                text = _ends(found[norm].layers, places, name, form)
                parts.append(Part((norm, size), f"{label(norm)} {text}", f"{name} first"))
                values = found[norm].values[at]
                values = decades(values) if kind.is_log else values
                whole[norm, size] = bool(values[..., [0, -1]].isfinite().all())
            where: When = {SHOW.name: (INSIDE,), **desk.at(size)}
            head = (
                f"{kind.what[0].upper()}{kind.what[1:]} at step {desk.said(STEP)} in batches "
                f"of {size}{desk.at_rate}, {_which(places)}{over}"
            )
            yield from desk.sentences(head, parts, whole, where)
        for norm in found:
            zeros = f"{norm} {kind.name} zeros"
            if zeros in desk.tensors:
                name, count = label(norm), len(found[norm].layers)
                yield Readout(
                    f"{name[0].upper()}{name[1:]}, {kind.name} at step {desk.said(STEP)} in "
                    f"batches of {desk.said(SIZE)}{desk.at_rate}: exactly 0 in {{{zeros}:0 value}} "
                    f"of {count} layers, which a logarithmic axis does not show.",
                    when={SHOW.name: (INSIDE,)},
                    given=zeros,
                )
    apart = [k.name for k in KINDS if _apart(runs, k, scales(runs, k.name, of_norms=k.of_norms))]
    if apart:
        of = listed(apart)
        yield Readout(
            f"{of[0].upper()}{of[1:]}: learning rates differ much, so each has an axis of its own. "
            "Heights at one are not those at another.",
            when={SHOW.name: (INSIDE,)},
        )
    for size in runs.sizes:
        yield from desk.losses(size, {SHOW.name: (INSIDE,), **desk.at(size)})
    yield Readout(
        "Activations are measured at evaluation, on up to 128 validation cases; gradients on the "
        "last batch alone, so they jump. Gains and biases have gradients of their own, which are "
        "not shown.",
        when={SHOW.name: (INSIDE,)},
    )


def _ends(layers: Sequence[str], places: Sequence[str], name: str, form: str) -> str:
    """The numbers of the first layer and of the last, which are named where they are others."""
    ends = ("first", "last") if len(layers) > 1 else ("first",)
    said = " and ".join(f"{{{name} {end}:{form} value}}" for end in ends)
    return said if _which(layers) == _which(places) else f"{said} ({_which(layers)})"


def _which(places: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys((places[0], places[-1])))
