"""The block-share figure of /cost: the norms' percentage of a block's time and operations."""

from __future__ import annotations

import torch

from lnviz.explorable import (
    Chart,
    Choice,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import short_log_axis
from lnviz.lessons.charts import chart, line
from lnviz.lessons.cost.shared import machine_note, machine_phrase, widths_axis
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.block import HEAD, INNER, KINDS, NONE, BlockTimes, operations
from lnviz.topics.cost.costs import Costs, stored_costs

START = 512.0
PASS = Choice(
    "gradients",
    (
        Option("none", "forward", code="False"),
        Option("both", "forward and backward", code="True"),
    ),
    "both",
)
MACHINE = EnumParameter(
    "host",
    "Measured on",
    tuple(Option(kind, each.blocks.machine.words) for kind, each in stored_costs().items()),
    next(iter(stored_costs())),
)
DASHES = {"written": "dash", "function": "solid"}
SAID = "layer function"
"""The kind of norm whose numbers are in the captions."""
HEIGHT = 300
CAPTIONS = load_captions(__file__)


def build(host: str = MACHINE.start) -> Explorable:
    """Build a chart of the norms' percentage of a block's time and operations, against width."""
    costs = stored_costs()[host]
    blocks = costs.blocks
    widths = tuple(map(float, blocks.specification.widths))
    width = Slider("width", widths, START, decimals=0, url_name="block width")
    tensors = _tensors(blocks, width)
    said = _render_captions(costs)
    return Explorable(
        title=said.title,
        controls=(width, PASS),
        tensors=tensors,
        views=((_curves(blocks, width),), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def _tensors(blocks: BlockTimes, width: Slider) -> dict[str, SweptTensor]:
    """Return times and percentages of a block, by pass (forward, or with backward) and width."""
    s = blocks.specification
    over = (PASS.name, width.name)
    shares = {kind: 100 * torch.tensor(blocks.shares[kind]) for kind in KINDS}  # P,W,3
    low, middle, high = (100 * torch.tensor(blocks.differences[SAID])).unbind(-1)  # P,W
    numbers = {
        "ms": 1e3 * torch.tensor(blocks.whole[SAID])[..., 1],
        "ms without": 1e3 * torch.tensor(blocks.whole[NONE])[..., 1],
        "saved": middle.where(middle >= 0, torch.nan),
        "lost": (-middle).where(middle < 0, torch.nan),
        "unsure": (high - low).where((low < 0) & (high > 0), torch.nan),
        "share low": shares[SAID][..., 0],
        "share": shares[SAID][..., 1],
        "share high": shares[SAID][..., 2],
    }
    tensors = {name: SweptTensor(over, values.float()) for name, values in numbers.items()}
    counted = 100 * operations(s.tokens, s.widths).share(SAID.split()[0])  # W
    tensors["operations"] = SweptTensor((width.name,), counted.float())
    for kind, values in shares.items():
        tensors[f"{kind} curve"] = SweptTensor(over, values[..., 1].log10().float(), 4)
    return tensors


def _legend_label(kind: str) -> str:
    """Return the legend label for a `kind` such as "layer written": norm and implementation."""
    norm, way = kind.split()
    return CATALOGUE[norm].label + (", written out" if way == "written" else "")


def _curves(blocks: BlockTimes, width: Slider) -> Chart:
    s = blocks.specification
    counted = operations(s.tokens, s.widths)
    shares = {norm: 100 * counted.share(norm) for norm in ("layer", "rms")}
    times = torch.tensor([blocks.shares[kind] for kind in KINDS])[..., 1]
    low = min(100 * float(times.min()), *(float(share.min()) for share in shares.values()))
    drawn = []
    for kind in KINDS:
        norm, way = kind.split()
        curve = f"{kind} curve"
        drawn.append(line(_legend_label(kind), norm, width, curve, dash=DASHES[way], width=2.5))
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
        "Norms’ percentage of a block’s time, {gradients}",
        drawn,
        widths_axis(s.widths),
        short_log_axis("% of the block", low, 100 * float(times.max())),
        "What percentage of a block’s time its two norms take, {gradients}, and what percentage "
        "of its operations they do, by width. At width {width}, two LayerNorms (PyTorch’s "
        "function) take {share:g2}% of the time and do {operations:g2}% of the operations. "
        "Logarithmic.",
        height=HEIGHT,
    )


def _render_captions(costs: Costs) -> RenderedCaptions:
    blocks = costs.blocks
    s = blocks.specification
    return CAPTIONS.render(
        {
            "machine": machine_phrase(blocks.machine),
            "tokens": s.tokens,
            "head": HEAD,
            "inner": INNER,
            "rounds": s.rounds,
            "made": costs.made_with + machine_note(blocks.machine, blocks.own),
        }
    )


FIGURE = FigureSpec("block-share", build, (MACHINE,))
