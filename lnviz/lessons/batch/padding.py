"""The padding figure of /batch: how padding a batch of texts changes BatchNorm's statistics."""

from __future__ import annotations

import torch

from lnviz.data.examples import MAX_SEED
from lnviz.explorable import (
    CellPicker,
    Chart,
    Explorable,
    Grid,
    IntParameter,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import Mark, bars, chart, line
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.batch.padding import LENGTHS, WIDTH, PaddedBatches, Text, padded_batches, text

EPS = 1e-5
SHOWN = 6
MOST = 96
LONGEST = Slider(
    "longest sequence", tuple(map(float, range(max(LENGTHS), MOST + 1))), 32.0, decimals=0
)
DRAW = IntParameter("vectors", "Seed", 0, MAX_SEED, 0, reroll_label="New vectors")
CAPTIONS = load_captions(__file__)


def build(vectors: int = 0) -> Explorable:
    """Build charts of statistics with and without padding, and a table of one word's outputs."""
    batches = padded_batches(to_tensor(LONGEST.values).long(), seed=vectors, eps=EPS)
    words = text(MOST)
    pointer = CellPicker("feature", ("",), tuple(str(n) for n in range(1, SHOWN + 1)), "unit")
    tensors = _tensors(batches)
    said = _render_captions(words)
    return Explorable(
        title=said.title,
        controls=(LONGEST, pointer),
        tensors=tensors,
        views=(
            (_picture(),),
            (_chart(tensors, "mean", "mean"), _chart(tensors, "std", "standard deviation")),
            (_table(words),),
            said.readouts,
        ),
        code=load_program(__file__),
    )


def _tensors(batches: PaddedBatches) -> dict[str, SweptTensor]:
    over = (LONGEST.name,)
    filled, lengths = batches.inside.sum(2), batches.real.sum(2)  # P,N
    share = lengths.sum(1) / filled.sum(1)
    tensors = {
        "lengths": SweptTensor(over, lengths, 0),
        "filled": SweptTensor(over, filled, 0),
        "percent": SweptTensor(over, 100 * (1 - share), 0),
        "share": SweptTensor(over, share, 3),
        "word": SweptTensor(("feature",), batches.word[:SHOWN], 2),
    }
    for name, statistics in (("padded", batches.padded), ("masked", batches.masked)):
        for what, values in (("mean", statistics.mean), ("std", statistics.var.sqrt())):
            tensors[f"{name} {what}"] = SweptTensor((*over, "feature"), values[:, :SHOWN], 3)
    for name, y in (
        ("with padding", batches.with_padding),
        ("with mask", batches.with_mask),
        ("layer", batches.layer),
    ):
        moved = (y - y[0]).square().mean(-1).sqrt()
        tensors[name] = SweptTensor((*over, "feature"), y[:, :SHOWN], 2)
        tensors[f"{name} moved"] = SweptTensor(over, moved, 2)
    return tensors


def _picture() -> Chart:
    sequences = list(range(1, len(LENGTHS) + 2))
    return chart(
        "The batch: words and padding",
        [
            bars("padding", "line", sequences, "filled", draggable=LONGEST),
            bars("words", "batch", sequences, "lengths"),
        ],
        linear_axis("sequence", 0.4, sequences[-1] + 0.6, padded=False, ticks=sequences),
        linear_axis("positions", 0, MOST, padded=False),
        f"A batch of {len(LENGTHS) + 1} sequences, padded to {{longest sequence}} positions: "
        "{percent} percent of the positions are padding.",
        height=260,
        barmode="overlay",
        bargap=0.15,
    )


def _chart(tensors: dict[str, SweptTensor], what: str, words: str) -> Chart:
    padded, masked = f"padded {what}", f"masked {what}"
    drawn = torch.cat([tensors[name].values.flatten() for name in (padded, masked)])
    hollow = Mark("circle-open")
    return chart(
        f"BatchNorm’s {words} of {{feature}}",
        [
            line("all positions", "batch", LONGEST, padded),
            line("real positions only", "batch", LONGEST, masked, width=2, dash="dot", mark=hollow),
        ],
        linear_axis(LONGEST.name, LONGEST.values[0], LONGEST.values[-1]),
        linear_axis(words, min(0.0, float(drawn.min())), max(0.0, float(drawn.max()))),
        f"BatchNorm’s {words} of {{feature}} by the length of the longest sequence: at "
        f"{{longest sequence}}, {{{padded}:2}} over all positions and {{{masked}:2}} over the real "
        "ones.",
        height=280,
    )


def _table(words: Text) -> Grid:
    return Grid(
        f"“{words.phrases[0][0]}” in sequence 2, longest sequence {{longest sequence}}",
        "feature",
        3.0,
        rows=(
            ("pre-activation", "word"),
            ("BatchNorm, all positions", "with padding"),
            ("BatchNorm, with a mask", "with mask"),
            ("LayerNorm", "layer"),
        ),
        color="batch",
    )


def _render_captions(words: Text) -> RenderedCaptions:
    return CAPTIONS.render(
        {"word": words.phrases[0][0], "first": LONGEST.values[0], "units": WIDTH},
        {"longer": (CaptionVariant({LONGEST.name: LONGEST.values[1:]}),)},
    )


FIGURE = FigureSpec("padding", build, (DRAW,), cpu_seconds=0.5)
