"""Norms in models that people use: placement, kind, number, parameters, operations, traffic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from lnviz.explorable import (
    Chart,
    Explorable,
    Grid,
    Pointer,
    Readout,
    Slider,
    Swept,
    View,
    When,
)
from lnviz.lessons.chart_axes import powers
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import Figure
from lnviz.lessons.placement.block_diagrams import equation
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import PLACEMENTS, Placement
from lnviz.topics.transformer.counts import MODELS, OPERATIONS, Model

SHARES = ("parameters", "operations", "traffic")
STYLES = (("soft", "dot"), ("ink", "solid"), ("accent", "dash"))
COLUMNS = ("placement", "kind of norm", "norms", *(f"% of {share}" for share in SHARES))
NAMES = tuple(model.label for model in MODELS.values())
MODEL = Pointer("model", NAMES, COLUMNS, "", (2, 2))
_LONGEST = min(model.context for model in MODELS.values())
_COUNTS = sorted({round(2 ** (step / 8)) for step in range(8 * int(math.log2(_LONGEST)) + 1)})
TOKENS = Slider("tokens", tuple(map(float, _COUNTS)), float(_LONGEST), decimals=0)


def build() -> Explorable:
    """Build a table over all models; of the one pointed at, where its norms are and their cost."""
    tensors = _tensors()
    return Explorable(
        title="Norms in models that people use",
        controls=(TOKENS, MODEL),
        tensors=tensors,
        views=((_table(),), (*_details(), *_shares()), (_chart(tensors),), _assumptions()),
    )


def _tensors() -> dict[str, Swept]:
    """Shares in percent, over tokens and the table's cells: all cells of a row are one model."""
    shares = torch.tensor(
        [
            [
                [100 * each for each in (m.norm_parameters / m.parameters, *_of(m, int(tokens)))]
                for m in MODELS.values()
            ]
            for tokens in TOKENS.values
        ]
    )  # tokens, models, 3
    words = torch.full((*shares.shape[:2], 2), torch.nan)
    counts = torch.tensor([float(model.norms) for model in MODELS.values()])
    table = torch.cat([words, counts.expand(len(shares), -1)[..., None], shares], -1)
    over = (TOKENS.name, MODEL.name)
    cells = shares[:, :, None].expand(-1, -1, len(COLUMNS), -1).flatten(1, 2)  # tokens, cells, 3
    return {
        "table": Swept(over, table.flatten(1)),
        "rows": Swept((MODEL.name,), torch.arange(table[0].numel()) // len(COLUMNS), 0),
        **{name: Swept(over, cells[..., i].contiguous()) for i, name in enumerate(SHARES)},
        **{
            f"log {name}": Swept(over, cells[..., i].log10().contiguous(), 4)
            for i, name in enumerate(SHARES)
        },
    }


def _of(model: Model, tokens: int) -> tuple[float, float]:
    """The norms' shares of operations and of traffic, with sequences of this length."""
    reading = replace(model, context=tokens)
    return reading.flops.share, reading.traffic.share


def _table() -> Grid:
    words = tuple(
        word
        for model in MODELS.values()
        for word in (
            _placed(PLACEMENTS[model.placement]),
            CATALOGUE[model.norm].label,
            *("" for _ in COLUMNS[2:]),
        )
    )
    return Grid(
        "Placement and kind of norm are two choices; shares at sequence length {tokens}",
        MODEL.name,
        1e9,  # numbers of several kinds: no color
        "table",
        groups="rows",
        format="g3",
        words=words,
    )


def _placed(placement: Placement) -> str:
    return f"{placement.label}\n{equation(placement)}"


def _details() -> Iterator[View]:
    """Each model in words: where its norms stand, which they are, and what is in them."""
    for row, model in enumerate(MODELS.values()):
        here: When = {MODEL.name: tuple((row, column) for column in range(len(COLUMNS)))}
        norm = CATALOGUE[model.norm]
        places = "; ".join(f"{group.where}: {group.count}" for group in model.groups())
        learned = "gains and biases" if norm.center else "gains"
        yield Readout(f"{model.label}: {model.norms} × {norm.label}", "formula", here)
        yield Readout(
            f"{PLACEMENTS[model.placement].label}. Norms {places}. Their {learned} are "
            f"{model.norm_parameters:,} of {model.parameters:,} parameters. {model.source}.",
            when=here,
        )


def _shares() -> Iterator[View]:
    yield Readout(
        "At sequence length {tokens} its norms are {operations:g3} percent of the operations and "
        "{traffic:g3} percent of what is read from memory and written to it.",
        "verdict",
    )


def _chart(tensors: dict[str, Swept]) -> Chart:
    """The shares of the model pointed at, over the number of tokens."""
    every = torch.cat([tensors[f"log {name}"].values for name in SHARES])
    return chart(
        "The norms' share of this model",
        [
            line(name, token, TOKENS, f"log {name}", dash=dash)
            for name, (token, dash) in zip(SHARES, STYLES, strict=True)
        ],
        powers(TOKENS.name, math.log10(TOKENS.values[0]), math.log10(TOKENS.values[-1])),
        powers("percent", float(every.min()), float(every.max())),
        "The norms' share of the parameters, the operations and the memory traffic of a model "
        "({model}), in percent, against the number of tokens. At {tokens} they are "
        "{parameters:g3}, {operations:g3} and {traffic:g3} percent.",
        height=320,
    )


def _assumptions() -> tuple[View, ...]:
    layer, rms = OPERATIONS["layer"], OPERATIONS["rms"]
    return (
        Readout(
            "Parameters are those of linear maps, of the tokens' embeddings and of norms; biases "
            "of linear maps and what encodes positions are left out."
        ),
        Readout(
            "Sizes that a paper leaves out or rounds, such as the vocabularies of BERT, T5, LLaMA "
            "and OLMo 2, are those of the published weights; GPT-3's vocabulary is taken to be "
            "GPT-2's."
        ),
        Readout(
            "An operation is an addition or a multiplication of one forward pass over one "
            "sequence. A weight of a linear map takes two for each token, the read-out's too; "
            "attention takes four for each pair of tokens and unit of a head, masked or not; a "
            f"norm {layer} for each number (LayerNorm) or {rms} (RMSNorm). Softmax, nonlinearities "
            "and additions to the stream are left out."
        ),
        Readout(
            "Traffic counts numbers, not bytes. Each step reads what it needs once and writes its "
            "result once: each norm, each linear map with its weights, each nonlinearity, each "
            "addition to the stream; attention is one step that keeps its scores to itself. A "
            "program that joins a norm with the step before it saves the norm's reading or more. "
            "With few tokens nearly all that is read are weights."
        ),
        Readout(
            "A decoder beside an encoder has a third sublayer in each block; both read as many "
            "tokens. In every other block Gemma 2 looks back at most 4,096 tokens; no sequence "
            "here is longer. The head that BERT was pre-trained with, and its norm, are left "
            "out."
        ),
    )


FIGURE = Figure("count", build)
