"""What norms take of a Transformer block's time, and of its operations."""

from __future__ import annotations

import math
from dataclasses import replace

import plotly.graph_objects as go
import torch

from lnviz.explorable import (
    Along,
    Chart,
    Choice,
    Explorable,
    Option,
    Pick,
    Readout,
    Row,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.cost.axes import widths_axis
from lnviz.lessons.cost.words import undisturbed
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, line, logarithmic, mark
from lnviz.norms import CATALOGUE
from lnviz.results.making import made_with
from lnviz.topics.cost.block import HEAD, INNER, KINDS, NONE, Blocks, operations
from lnviz.topics.cost.costs import Costs, stored
from lnviz.topics.cost.kernels import PASSES
from lnviz.topics.cost.ways import WAYS

START = 512.0
KIND = Choice(
    "norms of the block",
    tuple(
        Option(kind.replace(" ", "-"), f"{CATALOGUE[norm].label}, {WAYS[way]}", code=repr(norm))
        for kind in KINDS
        for norm, way in [kind.split()]
    ),
    "layer-function",
)
PASS = Choice(
    "gradients",
    (
        Option("none", "forward", code="False"),
        Option("both", "forward and backward", code="True"),
    ),
    "both",
)
MACHINE = Pick(
    "host",
    "Measured on",
    tuple(Option(kind, each.blocks.machine.words) for kind, each in stored().items()),
    next(iter(stored())),
)
DASHES = {"written": "dash", "function": "solid"}
BARS = ("of the time", "of the operations")


def build(host: str = MACHINE.start) -> Explorable:
    """Shares of time and of operations over the width."""
    found = stored()[host]
    blocks = found.blocks
    widths = tuple(map(float, blocks.specification.widths))
    width = Slider("width", widths, START, decimals=0, address="block width")
    tensors = _tensors(blocks, width)
    return Explorable(
        title="The norms' share of a Transformer block",
        controls=(width, PASS, KIND),
        tensors=tensors,
        views=((_curves(blocks), _bars(tensors)), (*_words(), *_specification(found))),
        code=program(__file__),
    )


def _tensors(found: Blocks, width: Slider) -> dict[str, Swept]:
    """Percentages of a block's time, over passes, kinds of norm and widths."""
    s = found.specification

    def stacked(curves: object) -> torch.Tensor:
        return torch.tensor([curves[kind] for kind in KINDS]).movedim(0, 1)  # type: ignore[index]

    shares, differences = 100 * stacked(found.shares), 100 * stacked(found.differences)  # P,K,W,3
    counted = operations(s.tokens, s.widths)
    ops = 100 * torch.stack([counted.share(kind.split()[0]) for kind in KINDS])  # K,W
    over, each = (PASS.name, KIND.name, width.name), (KIND.name, width.name)
    none = torch.tensor(found.whole[NONE])[..., 1]  # P,W
    tensors = {
        "ms": Swept(over, 1e3 * stacked(found.whole)[..., 1]),
        "ms without": Swept((PASS.name, width.name), 1e3 * none),
        "operations": Swept(each, ops),
        "times as much": Swept(over, shares[..., 1] / ops),
    }
    for name, values in (("share", shares), ("difference", differences)):
        for end, what in enumerate(("low", "", "high")):
            tensors[f"{name} {what}".strip()] = Swept(over, values[..., end])
    for at, kind in enumerate(KINDS):
        curve = (PASS.name, width.name)
        tensors[f"{kind} curve"] = Swept(curve, shares[:, at, :, 1].log10(), 4)
        bars = torch.stack([shares[:, at, :, 1], ops[at].expand(len(PASSES), -1)], -1)
        tensors[f"{kind} bars"] = Swept(curve, bars, 3)
    tensors["at"] = Swept(
        (width.name,), torch.tensor(s.widths).log10()[:, None].expand(-1, len(KINDS)), 4
    )
    tensors["marks"] = Swept((PASS.name, width.name), shares[..., 1].log10().movedim(1, 2), 4)
    return {name: replace(each, values=each.values.float()) for name, each in tensors.items()}


def _short(kind: str) -> str:
    """A kind in a legend."""
    norm, way = kind.split()
    return CATALOGUE[norm].label + (", written out" if way == "written" else "")


def _curves(found: Blocks) -> Chart:
    s = found.specification
    places = [math.log10(width) for width in s.widths]
    figure = go.Figure()
    for kind in KINDS:
        norm, way = kind.split()
        figure.add_trace(line(_short(kind), norm, places, dash=DASHES[way], width=2.5))
    counted = operations(s.tokens, s.widths)
    for norm in ("layer", "rms"):
        figure.add_trace(
            line(
                "operations",
                norm,
                places,
                y=(100 * counted.share(norm)).log10().tolist(),
                dash="dot",
                width=1.5,
                showlegend=norm == "layer",
            )
        )
    figure.add_trace(mark(token=[kind.split()[0] for kind in KINDS]))
    times = torch.tensor([found.shares[kind] for kind in KINDS])[..., 1]
    low = min(float(times.min()), *(float(counted.share(norm).min()) for norm in ("layer", "rms")))
    logarithmic(figure, "% of the block", 100 * low, 100 * float(times.max()))
    widths_axis(figure, s.widths)
    legend(figure)
    return Chart(
        "The norms' share of the block's time, {gradients}, and of its operations",
        figure,
        {
            **{at: {"y": Along(f"{kind} curve", "width")} for at, kind in enumerate(KINDS)},
            len(KINDS) + 2: {"x": "at", "y": "marks"},
        },
        "The time of both norms by themselves as a share of the block's time, {gradients}, and "
        "their share of its operations, in percent, logarithmic, against the width. At width "
        "{width}, {norms of the block}: {share:g2} percent of the time, {operations:g2} percent "
        "of the operations.",
        height=400,
    )


def _bars(tensors: dict[str, Swept]) -> Chart:
    figure = go.Figure()
    for kind in KINDS:
        norm, way = kind.split()
        figure.add_trace(
            go.Bar(
                x=list(BARS),
                y=[0.0] * len(BARS),
                name=_short(kind),
                marker={"color": f"var(--ln-{norm})"},
                opacity=1.0 if way == "function" else 0.5,
            )
        )
    values = torch.stack([tensors[f"{kind} bars"].values for kind in KINDS])
    figure.update_yaxes(range=[0, 1.05 * float(values.max())], title="% of the block")
    figure.update_xaxes(type="category")
    figure.update_layout(bargap=0.25, barmode="group")
    legend(figure)
    return Chart(
        "The same at width {width}",
        figure,
        {at: {"y": f"{kind} bars"} for at, kind in enumerate(KINDS)},
        "Percent of a block of width {width}, {gradients}, in two groups of four bars: the time "
        "of the norms, and their operations. For {norms of the block}: {share:g2} and "
        "{operations:g2}.",
        height=400,
    )


def _words() -> Row:
    return (
        Readout(
            "{norms of the block}, width {width}, {gradients}: the two norms take "
            "{share:g2 value} % of the block's time. Of its operations, which are counted forward, "
            "they have {operations:g2 value} %. Their share of the time is "
            "{times as much:g2 stat} times as large.",
            "verdict",
        ),
        Readout(
            "The block takes {ms:g3 value} ms with its norms and {ms without:g3 value} ms with "
            "none. Compared within each round, leaving them out saves {difference:g2} % of its "
            "time ({difference low:g2} to {difference high:g2} %; below 0 the block without norms "
            "was the slower one). The norms by themselves take {share low:g2} to {share high:g2} "
            "% of it. The charts show these: what is saved is a difference of two long times, and "
            "less certain."
        ),
    )


def _specification(found: Costs) -> Row:
    blocks = found.blocks
    s = blocks.specification
    return (
        Readout(
            f"A Pre-LN block on one sequence of {s.tokens} tokens: causal attention with heads of "
            f"{HEAD} units, {INNER} times as many hidden units as units, GELU, biases; float32. "
            f"Medians of {s.rounds} rounds; ranges are the middle half of the rounds. Operations "
            "are additions and multiplications of one forward pass, without softmax, GELU and the "
            "sums."
        ),
        Readout(
            made_with(found.versions, blocks.machine.words)
            + undisturbed(blocks.machine, blocks.own)
        ),
    )


FIGURE = Figure("block-share", build, (MACHINE,))
