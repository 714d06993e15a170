"""The logit lens: next tokens predicted by unembedding the outputs of a model's earlier layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    CellPicker,
    Chart,
    Explorable,
    Grid,
    Slider,
    SweptTensor,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, markers
from lnviz.lessons.inside.reading import (
    SENTENCE,
    guessed_token,
    stored_record,
    token_picker,
    token_tensor,
)
from lnviz.lessons.lesson import FigureSpec
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.records import LensTokens, TextRecord

CONTINUED = replace(SENTENCE, name="continued")
CAPTIONS = load_captions(__file__)
RANKS = ("1st", "2nd", "3rd")
NORMED, BARE = "with the final norm", "without it"
"""Keys of the two logit lenses, with and without the final norm; captions use them too."""
EVERY = 5  # layers from tick to tick


def build(continued: str = "1") -> Explorable:
    """Build the logit-lens figure of the language model for a stored text."""
    return lens_figure(stored_record(SMOLLM2.key, continued))


def lens_figure(record: TextRecord) -> Explorable:
    """Build the logit-lens figure of the language model for any text."""
    assert record.normed is not None
    assert record.bare is not None
    layer, token = _layers(len(record.normed.words)), _places(record)
    guesses = {NORMED: record.normed, BARE: record.bare}
    tensors = dict(_reference_tokens(record, token))
    for way, guess in guesses.items():
        tensors |= dict(_guessed(way, guess, layer, token))
        tensors |= dict(_leading(way, guess, record.normed, layer, token))
    captions = CAPTIONS.render()
    return Explorable(
        title=captions.title,
        controls=(layer, token),
        tensors=tensors,
        views=(
            *((_grid(way, token),) for way in guesses),
            captions.readouts,
            (_chart(layer),),
        ),
    )


def _layers(streams: int) -> Slider:
    """Return the slider over the layers at whose outputs the logit lens is applied."""
    numbers = tuple(float(n) for n in range(-1, streams - 1))
    names = ("the embedding", *(f"layer {n}" for n in range(streams - 1)))
    return Slider(
        "layer", numbers, numbers[-1], 0, has_step_buttons=True, names=names, url_name="behind"
    )


def _places(record: TextRecord) -> CellPicker:
    """Return the cell picker over the text's tokens, each shown with the tokens before it."""
    return replace(token_picker(record, len(record.tokens) - 1), name="up to")


def _reference_tokens(record: TextRecord, token: CellPicker) -> Iterator[tuple[str, SweptTensor]]:
    """Yield the tokens that guesses are compared with: final guesses, and actual next tokens."""
    assert record.normed is not None
    yield "in the end", token_tensor([row[0] for row in record.normed.words[-1]], token.name)
    following = token_tensor([*record.tokens[1:], ""], token.name)
    following.values[-1] = torch.nan  # nothing follows the last token
    yield "in the text", following


def _guessed(
    way: str, guesses: LensTokens, layer: Slider, token: CellPicker
) -> Iterator[tuple[str, SweptTensor]]:
    """Yield tensors of the likeliest next tokens and their probabilities, by layer and token."""
    chances = _chances(guesses)  # L,T,K
    over = (layer.name, token.name)
    for rank, name in enumerate(RANKS):
        yield f"{name} {way}", SweptTensor(over, chances[..., rank], 4)
        words = [[place[rank] for place in row] for row in guesses.words]
        yield f"{name} word {way}", token_tensor(words, *over)


def _chances(guesses: LensTokens) -> Float[Tensor, "layers T K"]:
    return torch.from_numpy(np.array(guesses.probabilities, dtype=np.float32))


def _leading(
    way: str, guesses: LensTokens, final: LensTokens, layer: Slider, token: CellPicker
) -> Iterator[tuple[str, SweptTensor]]:
    """Yield tensors of the first layer from which on the final guess is on top; NaN if none."""
    last = [guessed_token(row[0]) for row in final.words[-1]]
    same = torch.tensor(
        [
            [guessed_token(place[0]) == last[t] for t, place in enumerate(row)]
            for row in guesses.words
        ]
    )  # L,T
    ever_since = same.flip(0).cumprod(0).sum(0)  # T: the number of last layers that agree
    start = len(same) - ever_since.float()
    start = start.where(ever_since > 0, torch.nan)
    yield f"since {way}", SweptTensor((token.name,), start, 0, layer.names)
    at = start.nan_to_num().long().clamp(max=len(same) - 1)
    height = _chances(guesses)[at, torch.arange(len(at)), 0].where(ever_since > 0, torch.nan)
    yield f"start {way}", SweptTensor((token.name,), start - 1, 0)
    yield f"start height {way}", SweptTensor((token.name,), height, 4)


def _grid(way: str, token: CellPicker) -> Grid:
    return Grid(
        f"After {{layer}}, {way}: the likeliest next tokens",
        token.name,
        1.0,
        rows=tuple((rank, f"{rank} {way}") for rank in RANKS),
        row_words=tuple(f"{rank} word {way}" for rank in RANKS),
    )


def _chart(layer: Slider) -> Chart:
    first = RANKS[0]
    ticks = {-1.0: ""} | {float(n): str(n) for n in range(0, layer.size - 1, EVERY)}
    return chart(
        "After “{up to}”: probability of the likeliest token, layer by layer",
        [
            line(NORMED, "rms", layer, f"{first} {NORMED}"),
            line(BARE, "soft", layer, f"{first} {BARE}", dash="dash", width=2),
            markers(
                "rms",
                f"start {NORMED}",
                f"start height {NORMED}",
                symbol="diamond",
                name="the final guess leads from here on",
            ),
        ],
        linear_axis(
            "after layer; on the left, the embedding",
            layer.values[0],
            layer.values[-1],
            ticks=ticks,
            zeroline=False,
        ),
        linear_axis("probability", 0.0, 1.0, zeroline=False),
        "How probable the likeliest token after “{up to}” is, layer by layer. After {layer}, it is "
        f"{{{first} {NORMED}:2}} {NORMED} and {{{first} {BARE}:2}} {BARE}.",
        height=320,
    )


FIGURE = FigureSpec("lens", build, (CONTINUED,))
