"""What norms take of a Transformer block's time, and of its operations."""

from __future__ import annotations

from dataclasses import replace

import torch

from lnviz.explorable import (
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
from lnviz.lessons.chart_axes import linear, logarithmic
from lnviz.lessons.charts import bars, chart, line
from lnviz.lessons.cost.shared import undisturbed, widths_axis
from lnviz.lessons.lesson import Figure
from lnviz.norms import CATALOGUE
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
    """Build shares of time and of operations over the width."""
    costs = stored()[host]
    blocks = costs.blocks
    widths = tuple(map(float, blocks.specification.widths))
    width = Slider("width", widths, START, decimals=0, address="block width")
    tensors = _tensors(blocks, width)
    return Explorable(
        title="The norms' share of a Transformer block",
        controls=(width, PASS, KIND),
        tensors=tensors,
        views=((_curves(blocks, width), _bars(tensors)), (*_words(), *_specification(costs))),
        code=program(__file__),
    )


def _tensors(blocks: Blocks, width: Slider) -> dict[str, Swept]:
    """Percentages of a block's time, over passes, kinds of norm and widths."""
    s = blocks.specification

    def stacked(curves: object) -> torch.Tensor:
        return torch.tensor([curves[kind] for kind in KINDS]).movedim(0, 1)  # type: ignore[index]

    shares, differences = 100 * stacked(blocks.shares), 100 * stacked(blocks.differences)  # P,K,W,3
    counted = operations(s.tokens, s.widths)
    ops = 100 * torch.stack([counted.share(kind.split()[0]) for kind in KINDS])  # K,W
    over, each = (PASS.name, KIND.name, width.name), (KIND.name, width.name)
    none = torch.tensor(blocks.whole[NONE])[..., 1]  # P,W
    tensors = {
        "ms": Swept(over, 1e3 * stacked(blocks.whole)[..., 1]),
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
    return {name: replace(each, values=each.values.float()) for name, each in tensors.items()}


def _short(kind: str) -> str:
    """The name of a kind in a legend."""
    norm, way = kind.split()
    return CATALOGUE[norm].label + (", written out" if way == "written" else "")


def _curves(blocks: Blocks, width: Slider) -> Chart:
    s = blocks.specification
    counted = operations(s.tokens, s.widths)
    shares = {norm: 100 * counted.share(norm) for norm in ("layer", "rms")}
    times = torch.tensor([blocks.shares[kind] for kind in KINDS])[..., 1]
    low = min(100 * float(times.min()), *(float(share.min()) for share in shares.values()))
    drawn = []
    for kind in KINDS:
        norm, way = kind.split()
        curve = f"{kind} curve"
        drawn.append(line(_short(kind), norm, width, curve, dash=DASHES[way], width=2.5))
    for norm, share in shares.items():
        drawn.append(
            line(
                "operations",
                norm,
                width,
                share.log10(),
                dash="dot",
                width=1.5,
                mark=None,
                showlegend=norm == "layer",
            )
        )
    return chart(
        "The norms' share of the block's time, {gradients}, and of its operations",
        drawn,
        widths_axis(s.widths),
        logarithmic("% of the block", low, 100 * float(times.max())),
        "The time of both norms by themselves as a share of the block's time, {gradients}, and "
        "their share of its operations, in percent, logarithmic, against the width. At width "
        "{width}, {norms of the block}: {share:g2} percent of the time, {operations:g2} percent "
        "of the operations.",
        height=400,
    )


def _bars(tensors: dict[str, Swept]) -> Chart:
    drawn = []
    for kind in KINDS:
        norm, way = kind.split()
        opacity = 1.0 if way == "function" else 0.5
        drawn.append(bars(_short(kind), norm, BARS, f"{kind} bars", opacity=opacity))
    values = torch.stack([tensors[f"{kind} bars"].values for kind in KINDS])
    return chart(
        "The same at width {width}",
        drawn,
        linear("", type="category"),
        linear("% of the block", 0, 1.05 * float(values.max()), room=False),
        "Percent of a block of width {width}, {gradients}, in two groups of four bars: the time "
        "of the norms, and their operations. For {norms of the block}: {share:g2} and "
        "{operations:g2}.",
        height=400,
        bargap=0.25,
        barmode="group",
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


def _specification(costs: Costs) -> Row:
    blocks = costs.blocks
    s = blocks.specification
    return (
        Readout(
            f"A Pre-LN block on one sequence of {s.tokens} tokens: causal attention with heads of "
            f"{HEAD} units, {INNER} times as many hidden units as units, GELU, biases; float32. "
            f"Medians of {s.rounds} rounds; ranges are the middle half of the rounds. Operations "
            "are additions and multiplications of one forward pass, without softmax, GELU and the "
            "sums."
        ),
        Readout(costs.made_with + undisturbed(blocks.machine, blocks.own)),
    )


FIGURE = Figure("block-share", build, (MACHINE,))
