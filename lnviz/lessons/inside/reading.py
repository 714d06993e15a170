"""Models, texts, and labels of tokens and norms: helpers shared by the figures of /inside."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.explorable import CellPicker, EnumParameter, Explorable, Option, Slider, SweptTensor
from lnviz.lessons.chart_axes import MAX_TICKS, ChartAxis, linear_axis
from lnviz.pretrained.packages import MINILM, PACKAGES, SMOLLM2
from lnviz.pretrained.records import TextRecord
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.stored_records import stored_records

LONGEST = 42  # letters of a sentence in a list
PAGE = "page"
PARTS = {"attention": "attention", "feedforward": "feed-forward"}
"""The label of each sublayer, keyed by the last component of its norms' names."""
_NUMBER = re.compile(r"\d{1,6}")
SPECIAL = "(special)"
"""The label of a special token that stands for no text, such as the end-of-text token."""
NEAR_ZERO = 0.1
"""A gain counts as near zero below this fraction of its norm's median absolute gain."""

MODEL = EnumParameter(
    "model",
    "Model",
    tuple(Option(key, package.label) for key, package in PACKAGES.items()),
    SMOLLM2.key,
)
NORM_PLACEMENTS = {SMOLLM2.key: "Pre-LN with RMSNorm", MINILM.key: "Post-LN with LayerNorm"}
"""The placement and type of each model's norms, as text."""


def shortened(text: str, letters: int = LONGEST) -> str:
    r"""Return a text as an entry of a list: on one line, and truncated.

    >>> shortened("a\n  b")
    'a b'
    """
    line = " ".join(text.split())
    return line if len(line) <= letters else line[: letters - 1].rstrip() + "…"


SENTENCE = EnumParameter(
    "sentence",
    "Text",
    tuple(Option(str(n), shortened(text)) for n, text in enumerate(SENTENCES, 1)),
    "1",
)
TEXT = EnumParameter(
    "passage",
    "Text",
    (Option(PAGE, "a page of Darwin"), *SENTENCE.options),
    PAGE,
)
"""The choice of a text, including the page on which losses are measured."""


def stored_record(model: str, sentence: str) -> TextRecord:
    """Return the stored activations of a text in a model, given the figure's parameters."""
    of = stored_records(model)
    return of.passage_record if sentence == PAGE else of.sentence_records[int(sentence) - 1]


def printable(token: str) -> str:
    r"""Return a token as visible text: spaces stripped, line breaks and tabs as symbols.

    >>> printable(" mat"), printable(" "), printable("\r\n")
    ('mat', '␣', '↵')
    """
    drawn = token.replace("\r", "").replace("\n", "↵").replace("\t", "⇥")
    return drawn.strip(" ") or "␣"


def guessed_token(token: str) -> str:
    """Return a token that the model predicted, as visible text."""
    return printable(token) if token else SPECIAL


def token_tensor(words: list[str] | list[list[str]], *over: str) -> SweptTensor:
    """Return tokens as a tensor of words, indexed by the named controls."""
    texts = np.vectorize(guessed_token, otypes=[object])(np.array(words, dtype=object))
    known, numbers = np.unique(texts.astype(str), return_inverse=True)
    values = torch.from_numpy(numbers.reshape(texts.shape)).float()
    return SweptTensor(over, values, 0, tuple(known.tolist()))


def printable_tokens(record: TextRecord) -> tuple[str, ...]:
    """Return the tokens of a recorded text as visible text."""
    return tuple(map(printable, record.tokens))


def token_picker(record: TextRecord, start: int = 0) -> CellPicker:
    """Return a cell picker over the tokens of a recorded text."""
    return CellPicker("token", ("",), printable_tokens(record), "", (0, start))


def norm_name(norm: str) -> str:
    """Return a norm's name as readers see it.

    >>> norm_name("layers.3.feedforward"), norm_name("final")
    ('layer 3’s feed-forward norm', 'the final norm')
    """
    if "." not in norm:
        return f"the {norm} norm"
    _, layer, part = norm.split(".")
    return f"layer {layer}’s {PARTS[part]} norm"


def norm_slider(record: TextRecord, start: int = 0) -> Slider:
    """Return a slider over all norms of a recorded model."""
    places = tuple(float(n) for n in range(len(record.norms)))
    names = tuple(map(norm_name, record.norms))
    return Slider("layer", places, places[start], 0, names=names)


def sublayer_norms(norms: Sequence[str], part: str) -> list[int]:
    """Return the indices of the norms before (or after) one kind of sublayer.

    Args:
        norms: the names of all norms.
        part: one of `PARTS`.
    """
    return [place for place, norm in enumerate(norms) if norm.endswith(part)]


def depth_axis(norms: Sequence[str]) -> ChartAxis:
    """Return a chart axis of norms in order of depth, with each layer's number at its first norm.

    Args:
        norms: the names of the norms, in the order of the forward pass.
    """
    ticks = layer_ticks(norms)
    return linear_axis(
        depth_axis_title(norms), 0.0, len(norms) - 1.0, ticks=ticks or None, zeroline=False
    )


def depth_axis_title(norms: Sequence[str]) -> str:
    """Return the title of a chart axis of norms in order of depth."""
    return "layer" if layer_ticks(norms) else "norm, in the order of the calls"


def layer_ticks(norms: Sequence[str]) -> dict[float, str]:
    """Return layer numbers keyed by the position of each layer's first norm; empty if unnumbered.

    Args:
        norms: the names of the norms, in the order of the forward pass.

    >>> layer_ticks(["layers.0.attention", "layers.0.feedforward", "layers.1.attention", "final"])
    {0.0: '0', 2.0: '1'}
    """
    found = [(place, int(at[0])) for place, n in enumerate(norms) if (at := _NUMBER.search(n))]
    starts = {layer: float(place) for place, layer in reversed(found)}
    layers = [layer for _, layer in found]
    if len(starts) < 2 or layers != sorted(layers):
        return {}
    every = next(n for n in (1, 5, 10, 50, 100, 1000) if len(starts) <= MAX_TICKS * n)
    ordered = sorted(starts.items())
    return {place: str(layer) for layer, place in ordered if layer % every == 0}


def log_range(values: Float[Tensor, "..."], rare: float) -> tuple[float, float]:
    """Return the ends of a base-10 logarithmic axis for values, disregarding rare small values.

    Smaller values are drawn at the lower end.

    Args:
        values: the values; 0, infinity and NaN are ignored.
        rare: the fraction of them that may be smaller than ten times the lower end.
    """
    sizes = values[values.isfinite() & (values != 0)].abs()
    if not len(sizes):
        return -1.0, 0.0
    low, high = sizes.quantile(torch.tensor([rare, 1.0])).log10().tolist()
    return math.floor(low) - 1.0, high


def median_size(values: Float[Tensor, "S D"]) -> Float[Tensor, " S"]:
    """Return the median absolute gain (or bias) of each norm, ignoring NaN."""
    return values.abs().nanquantile(0.5, -1)


def near_zero_gains(model: str) -> Bool[Tensor, "S D"]:
    """Return a mask of a model's near-zero gains: below `NEAR_ZERO` times their norm's median."""
    gains = stored_records(model).gains
    return gains.abs() < NEAR_ZERO * median_size(gains)[:, None]


def with_url_prefix(figure: Explorable, word: str) -> Explorable:
    """Return a figure whose controls have prefixed URL names, distinct from other figures' names.

    Its steps, which speak of the texts of the lists, are left out.

    Args:
        figure: the figure.
        word: the prefix.
    """
    controls = (replace(c, url_name=f"{word} {c.url_name or c.name}") for c in figure.controls)
    return replace(figure, controls=tuple(controls), steps=())
