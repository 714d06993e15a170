"""Norms in published models: their placement, number, and fraction of the model's cost."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from lnviz.explorable import (
    UNCOLORED,
    CellPicker,
    Chart,
    Explorable,
    Grid,
    Slider,
    SweptTensor,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import log_axis
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.placement.block_diagrams import equation
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer import PLACEMENTS, Placement
from lnviz.topics.transformer.counts import MODELS, OPERATIONS, ModelSize

SHARES = ("parameters", "operations", "traffic")
WINDOW = 4096  # tokens of Gemma 2's sliding window, in every other block
STYLES = (("soft", "dot"), ("ink", "solid"), ("accent", "dash"))
COLUMNS = ("placement", "kind of norm", "norms", *(f"% of {share}" for share in SHARES))
NAMES = tuple(model.label for model in MODELS.values())
MODEL = CellPicker("model", NAMES, COLUMNS, "", (2, 2))
_LONGEST = min(model.context for model in MODELS.values())
_COUNTS = sorted({round(2 ** (step / 8)) for step in range(8 * int(math.log2(_LONGEST)) + 1)})
CAPTIONS = load_captions(__file__)
TOKENS = Slider("tokens", tuple(map(float, _COUNTS)), float(_LONGEST), decimals=0)


def build() -> Explorable:
    """Build a table of published models, with placement and cost of the selected model's norms."""
    tensors = _tensors()
    captions = CAPTIONS.render(
        {
            "layer": OPERATIONS["layer"],
            "rms": OPERATIONS["rms"],
            "window": WINDOW,
        },
        {"model": tuple(_case(row, model) for row, model in enumerate(MODELS.values()))},
    )
    return Explorable(
        title=captions.title,
        controls=(TOKENS, MODEL),
        tensors=tensors,
        views=((_table(),), (_chart(tensors),), captions.readouts),
    )


def _tensors() -> dict[str, SweptTensor]:
    """Return the tensors of the table and of the percentages, for each sequence length."""
    shares = torch.tensor(
        [
            [
                [
                    100 * each
                    for each in (m.norm_parameters / m.parameters, *_fractions(m, int(tokens)))
                ]
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
        "table": SweptTensor(over, table.flatten(1)),
        "rows": SweptTensor((MODEL.name,), torch.arange(table[0].numel()) // len(COLUMNS), 0),
        **{name: SweptTensor(over, cells[..., i].contiguous()) for i, name in enumerate(SHARES)},
        **{
            f"log {name}": SweptTensor(over, cells[..., i].log10().contiguous(), 4)
            for i, name in enumerate(SHARES)
        },
    }


def _fractions(model: ModelSize, tokens: int) -> tuple[float, float]:
    """Return the norms' fractions of operations and of memory traffic at a sequence length."""
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
        "Placement and kind of norm by model; percentages at sequence length {tokens}",
        MODEL.name,
        UNCOLORED,
        "table",
        groups="rows",
        format="g3",
        words=words,
    )


def _placed(placement: Placement) -> str:
    return f"{placement.label}\n{equation(placement)}"


def _case(row: int, model: ModelSize) -> CaptionVariant:
    """Return the caption of one model: its norms, their placement and their parameters."""
    norm = CATALOGUE[model.norm]
    return CaptionVariant(
        {MODEL.name: MODEL.cells_in_row(row)},
        {
            "label": model.label,
            "norms": model.norms,
            "kind": norm.label,
            "placement": PLACEMENTS[model.placement].label,
            "places": "; ".join(f"{group.location}: {group.count}" for group in model.groups()),
            "learned": "gains and biases" if norm.center else "gains",
            "own": f"{model.norm_parameters:,}",
            "all": f"{model.parameters:,}",
            "source": model.source,
        },
    )


def _chart(tensors: dict[str, SweptTensor]) -> Chart:
    """Draw the norms' fractions of parameters, operations and traffic against sequence length."""
    every = torch.cat([tensors[f"log {name}"].values for name in SHARES])
    return chart(
        "Norms, as a percentage of this model",
        [
            line(name, token, TOKENS, f"log {name}", dash=dash)
            for name, (token, dash) in zip(SHARES, STYLES, strict=True)
        ],
        log_axis(TOKENS.name, math.log10(TOKENS.values[0]), math.log10(TOKENS.values[-1])),
        log_axis("percent", float(every.min()), float(every.max())),
        "What percentage of {model} its norms are, by number of tokens. At sequence length "
        "{tokens}: {parameters:g3}% of the parameters, {operations:g3}% of the operations and "
        "{traffic:g3}% of the memory traffic.",
        height=320,
    )


FIGURE = FigureSpec("count", build)
