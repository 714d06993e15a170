"""The residual stream of a published model, before every norm and after it."""

from __future__ import annotations

from functools import cache

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Pointer,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.chart_axes import categories, decades, linear, logarithmic
from lnviz.lessons.charts import chart, here, line, plotted
from lnviz.lessons.inside.reading import (
    MODEL,
    PLACED,
    SENTENCE,
    depth,
    layer_ticks,
    of,
    pieces,
    record,
    tokens,
    walk,
)
from lnviz.lessons.lesson import Figure
from lnviz.lessons.words import words
from lnviz.numerals import number
from lnviz.topics.pretrained import minilm, smollm2
from lnviz.topics.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.topics.pretrained.records import Record
from lnviz.topics.transformer import POST, PRE
from lnviz.topics.transformer.setups import Experiment
from lnviz.topics.transformer.theory import sizes

SHOWN = Choice(
    "shown",
    (
        Option("before", "size before"),
        Option("after", "size after"),
        Option("mean", "mean before, of the size"),
    ),
    "before",
)
EXPERIMENT = Experiment(width=64, seeds=tuple(range(5)))
WIDTHS = {SMOLLM2.key: smollm2.SHAPE.width, MINILM.key: minilm.SHAPE.width}
HEIGHT = 330
PLACEMENT = {SMOLLM2.key: PRE.key, MINILM.key: POST.key}
WORDS = words(__file__)
FLOOR = -3.0  # of the shares' logarithms
SHADES = [[0, "var(--ln-page)"], [1, "var(--ln-accent)"]]


def build(model: str = SMOLLM2.key, sentence: str = "1") -> Explorable:
    """Build the figure for a stored text in a model."""
    return explorable(record(model, sentence))


def explorable(record: Record) -> Explorable:
    """Build the figure for any text in a model, beside networks of random weights."""
    layer, token = walk(record, len(record.norms) - 1), tokens(record, len(record.tokens) - 1)
    before, after = torch.tensor(record.x_rms), torch.tensor(record.y_rms)  # S,T
    said = WORDS.said({"model": PACKAGES[record.model].label, "placed": PLACED[record.model]})
    share = torch.tensor(record.x_mean).abs() / before
    maps = tuple(
        zip(
            SHOWN.options,
            (decades(before), decades(after), decades(share, FLOOR)),
            strict=True,
        )
    )
    tensors = {
        **{f"{option.value} map": Swept((), drawn.flatten(), 3) for option, drawn in maps},
        "share": Swept((layer.name, token.name), share, 4),
        **{
            name: Swept((layer.name, token.name), values, 4)
            for name, values in (
                ("x", before),
                ("times", before / before[0]),
                ("y", after),
                ("x power", decades(before)),
                ("y power", decades(after)),
            )
        },
    }
    return Explorable(
        title=said.title,
        controls=(SHOWN, layer, token),
        tensors=tensors,
        views=(
            (
                *(_map(record, option, drawn, (layer, token)) for option, drawn in maps),
                _curves(record, layer, before, after),
            ),
            said.readouts,
        ),
        code=program(__file__, layers=str(_layers(record)), width=str(WIDTHS[record.model])),
    )


def _map(record: Record, shown: Option, drawn: Tensor, at: tuple[Slider, Pointer]) -> Chart:
    """One of the heat maps: they are of different quantities, each with a scale of its own."""
    columns, rows = range(len(record.tokens)), range(len(record.norms))
    shades = go.Heatmap(
        x=[column for _ in rows for column in columns],
        y=[row for row in rows for _ in columns],
        colorscale=SHADES,
        zmin=float(drawn.nan_to_num(FLOOR).min()),
        zmax=float(drawn.nan_to_num(FLOOR).max()),
        colorbar={"thickness": 12, "len": 1.0, "outlinewidth": 0},
    )
    layer, token = at
    ticks = layer_ticks(record.norms)
    return chart(
        f"{shown.label.capitalize()}, as a power of ten: every token at every norm",
        [plotted(shades, z=f"{shown.value} map"), here(token, layer)],
        categories("token", pieces(record), tickangle=-45),
        linear("layer", -0.5, len(rows) - 0.5, room=False, ticks=ticks),
        f"Heat map of the {shown.label}, its base-10 logarithm, by norm and token. At {{layer}} "
        "{token} has a root mean square of {x:g3} before the norm and {y:g3} after it.",
        height=HEIGHT,
        when={SHOWN.name: (shown.value,)},
        legend=False,
    )


def _curves(record: Record, layer: Slider, before: Tensor, after: Tensor) -> Chart:
    places = [*of(record.norms, "attention"), len(record.norms)]
    if record.model == SMOLLM2.key:
        places[-1] -= 1  # the final norm reads what the last layer leaves
    untrained = _untrained(_layers(record), PLACEMENT[record.model])
    low, high = torch.cat([before.flatten(), after.flatten(), untrained]).aminmax()
    return chart(
        "“{token}”: size of the stream at every norm",
        [
            line("before the norm", "ink", layer, "x power"),
            line("after it", "accent", layer, "y power", dash="dash", width=2),
            line(
                "stream, untrained network",
                "soft",
                places[: len(untrained)],
                decades(untrained),
                width=1.5,
                dash="dot",
            ),
        ],
        depth(record.norms),
        logarithmic("root mean square", float(low), float(high)),
        "Root mean square of {token} by norm, logarithmic. At {layer}: {x:g3} before it and "
        "{y:g3} after it. An untrained network of as many layers: "
        f"{number(float(untrained[0]), 'g2')} at the start, {number(float(untrained[-1]), 'g2')} "
        "at the end.",
        height=HEIGHT,
    )


def _layers(record: Record) -> int:
    return len([name for name in record.norms if name.endswith(".attention")])


@cache
def _untrained(layers: int, placement: str) -> Tensor:
    """Return the stream's size in a network of random weights, before its layers and after."""
    return sizes((placement,), layers, EXPERIMENT)[placement].stream.mean(1).sqrt()


FIGURE = Figure("stream", build, (MODEL, SENTENCE), seconds=2.0)
