"""The residual stream of a published model, in front of every norm and behind it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Grid,
    Option,
    Pointer,
    Readout,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.chart_axes import categories, decades, linear, logarithmic
from lnviz.lessons.charts import chart, here, line, plotted
from lnviz.lessons.inside.reading import MODEL, PLACED, SENTENCE, named, record, tokens, walk, words
from lnviz.lessons.lesson import Figure
from lnviz.numerals import number
from lnviz.topics.pretrained import minilm, smollm2
from lnviz.topics.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.topics.pretrained.records import Record
from lnviz.topics.transformer import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.setups import Experiment
from lnviz.topics.transformer.theory import Sizes, sizes

SHOWN = Choice(
    "shown",
    (
        Option("before", "RMS in front"),
        Option("after", "RMS behind"),
        Option("mean", "mean in front, of the RMS"),
    ),
    "before",
)
EXPERIMENT = Experiment(width=64, seeds=tuple(range(5)))
WIDTHS = {SMOLLM2.key: smollm2.SHAPE.width, MINILM.key: minilm.SHAPE.width}
PLAIN = 1e12  # a reach at which a grid's numbers have no color
FLOOR = -3.0  # of the shares' logarithms
SHADES = [[0, "var(--ln-page)"], [1, "var(--ln-accent)"]]


def build(model: str = SMOLLM2.key, sentence: str = "1") -> Explorable:
    """Build the figure for a stored text in a model."""
    return explorable(record(model, sentence))


def explorable(record: Record) -> Explorable:
    """Build the figure for any text in a model, beside networks of random weights."""
    layer, token = walk(record, len(record.norms) // 2), tokens(record)
    before, after = torch.tensor(record.x_rms), torch.tensor(record.y_rms)  # S,T
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
        **_rows(record, layer.name),
        **{
            name: Swept((layer.name, token.name), values, 4)
            for name, values in (
                ("x", before),
                ("y", after),
                ("x power", decades(before)),
                ("y power", decades(after)),
            )
        },
        "median": Swept((layer.name,), before[:, 1:].median(1).values, 3)
        if before.shape[1] > 1
        else Swept((layer.name,), before[:, 0], 3),
    }
    return Explorable(
        title="The residual stream of a published model",
        controls=(SHOWN, layer, token),
        tensors=tensors,
        views=(
            tuple(_map(record, option, drawn, (layer, token)) for option, drawn in maps),
            (_grid(token.name),),
            (_words(record),),
            (_curves(layer, before, after), _random(record)),
        ),
        code=program(__file__, layers=str(_layers(record)), width=str(WIDTHS[record.model])),
    )


def _rows(record: Record, layer: str) -> dict[str, Swept]:
    """Every token's numbers at one norm."""
    listed = {
        "x rms": record.x_rms,
        "x mean": record.x_mean,
        "y rms": record.y_rms,
    }
    return {name: Swept((layer,), torch.tensor(values)) for name, values in listed.items()}


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
    every = max(1, 2 * round(len(rows) / 16))
    ticks = {row: named(record.norms[row]) for row in rows[::every]}
    return chart(
        f"{shown.label}, as a power of ten: every token at every norm",
        [plotted(shades, z=f"{shown.value} map"), here(token, layer)],
        categories("token", words(record), tickangle=-45),
        linear("", -0.5, len(rows) - 0.5, room=False, ticks=ticks),
        f"Heat map of the {shown.label}, its base-10 logarithm, by norm and token. At {{layer}} "
        "{token} has an RMS of {x:g3} in front of the norm and {y:g3} behind it.",
        height=460,
        when={SHOWN.name: (shown.value,)},
        legend=False,
    )


def _grid(token: str) -> Grid:
    return Grid(
        "{layer}: every token",
        token,
        PLAIN,
        rows=(
            ("RMS in front", "x rms"),
            ("mean in front", "x mean"),
            ("RMS behind", "y rms"),
        ),
        format="g3",
    )


def _words(record: Record) -> Readout:
    others = "; the median of the tokens behind the first is {median:g3}"
    return Readout(
        "At {layer}, {token} comes in with a root mean square of {x:g3 value}"
        f"{others if len(record.tokens) > 1 else ''}. "
        "The norm, gain included, gives it "
        "{y:g3 value}. The size of its mean is {share:2} of its root mean square. "
        f"{PACKAGES[record.model].label}: {PLACED[record.model]}."
    )


def _curves(layer: Slider, before: Tensor, after: Tensor) -> Chart:
    low, high = torch.stack([before, after]).aminmax()
    return chart(
        "{token}, in front of every norm and behind it",
        [
            line("in front of the norm", "ink", layer, "x power"),
            line("behind it", "accent", layer, "y power", dash="dash", width=2),
        ],
        linear("norms, from the first to the last", layer.values[0], layer.values[-1]),
        logarithmic("root mean square", float(low), float(high)),
        "Root mean square of {token} by norm, logarithmic. At {layer}: {x:g3} in front "
        "and {y:g3} behind.",
        height=380,
    )


def _layers(record: Record) -> int:
    return len([name for name in record.norms if name.endswith(".attention")])


@cache
def _untrained(layers: int) -> Mapping[str, Sizes]:
    return sizes((POST.key, PRE.key), layers, EXPERIMENT)


def _random(record: Record) -> Chart:
    layers = _layers(record)
    untrained = _untrained(layers)
    places = range(-1, layers)
    sizes_of = {key: each.stream.mean(1).sqrt() for key, each in untrained.items()}
    low, high = torch.stack(list(sizes_of.values())).aminmax()
    said = ", ".join(
        f"{PLACEMENTS[key].label} {number(float(c[-1]), 'g2')}" for key, c in sizes_of.items()
    )
    return chart(
        "Random weights, as many layers: the stream behind each",
        [
            line(PLACEMENTS[key].label, color, places, decades(sizes_of[key]), dash=dash)
            for key, color, dash in ((POST.key, "ink", "solid"), (PRE.key, "layer", "dash"))
        ],
        linear("behind layer; on the left, the embedding", -1.0, layers - 1.0),
        logarithmic("root mean square", float(low), float(high)),
        f"Root mean square of the residual stream of untrained Transformers by layer. Behind the "
        f"last: {said}.",
        height=380,
    )


FIGURE = Figure("stream", build, (MODEL, SENTENCE), seconds=2.0)
