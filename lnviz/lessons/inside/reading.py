"""Models, texts, and names of tokens and norms, shared by the lesson's figures."""

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
"""The sublayers, by the last part of their norms' names."""
_NUMBER = re.compile(r"\d{1,6}")
SPECIAL = "(special)"
"""The label of a token that is no text, such as the end of one."""
NEAR_ZERO = 0.1
"""The fraction of its norm's median below which a gain counts as near zero."""

MODEL = EnumParameter(
    "model",
    "Model",
    tuple(Option(key, package.label) for key, package in PACKAGES.items()),
    SMOLLM2.key,
)
NORM_PLACEMENTS = {SMOLLM2.key: "Pre-LN with RMSNorm", MINILM.key: "Post-LN with LayerNorm"}
"""The norm of each model and its placement."""


def shortened(text: str, letters: int = LONGEST) -> str:
    r"""Return a text for a list: on one line, and truncated.

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
"""The texts, including the page whose loss is measured."""


def stored_record(model: str, sentence: str) -> TextRecord:
    """Return the stored record of a text in a model, by values of the parameters."""
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
    """Return a guessed token as visible text."""
    return printable(token) if token else SPECIAL


def token_tensor(words: list[str] | list[list[str]], *over: str) -> SweptTensor:
    """Return tokens over the positions of controls, as a tensor of words."""
    texts = np.vectorize(guessed_token, otypes=[object])(np.array(words, dtype=object))
    known, numbers = np.unique(texts.astype(str), return_inverse=True)
    values = torch.from_numpy(numbers.reshape(texts.shape)).float()
    return SweptTensor(over, values, 0, tuple(known.tolist()))


def printable_tokens(record: TextRecord) -> tuple[str, ...]:
    """Return a record's tokens as visible text."""
    return tuple(map(printable, record.tokens))


def token_picker(record: TextRecord, start: int = 0) -> CellPicker:
    """Return a cell picker over the tokens of a record."""
    return CellPicker("token", ("",), printable_tokens(record), "", (0, start))


def norm_name(norm: str) -> str:
    """Return a norm's name in words.

    >>> norm_name("layers.3.feedforward"), norm_name("final")
    ('layer 3, feed-forward', 'the final norm')
    """
    if "." not in norm:
        return f"the {norm} norm"
    _, layer, part = norm.split(".")
    return f"layer {layer}, {PARTS[part]}"


def norm_slider(record: TextRecord, start: int = 0) -> Slider:
    """Return a slider over the norms of a record's model."""
    places = tuple(float(n) for n in range(len(record.norms)))
    names = tuple(map(norm_name, record.norms))
    return Slider("layer", places, places[start], 0, names=names)


def sublayer_norms(norms: Sequence[str], part: str) -> list[int]:
    """Return the indices of the norms of one kind of sublayer.

    Args:
        norms: the names of all norms.
        part: one of `PARTS`.
    """
    return [place for place, norm in enumerate(norms) if norm.endswith(part)]


def depth_axis(norms: Sequence[str]) -> ChartAxis:
    """Return an axis along the norms of a model, with layer numbers at each layer's first norm.

    Args:
        norms: the names of the norms, in the order of the forward pass.
    """
    ticks = layer_ticks(norms)
    return linear_axis(
        depth_axis_title(norms), 0.0, len(norms) - 1.0, ticks=ticks or None, zeroline=False
    )


def depth_axis_title(norms: Sequence[str]) -> str:
    """Return the title of an axis along the norms of a model."""
    return "layer" if layer_ticks(norms) else "norm, in the order of the calls"


def layer_ticks(norms: Sequence[str]) -> dict[float, str]:
    """Return layer numbers by the position of their first norm; empty if names have none.

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
    """Return the powers of ten between which values are drawn.

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
    """Return the median absolute value of each norm's gains, or biases, ignoring NaN."""
    return values.abs().nanquantile(0.5, -1)


def near_zero_gains(model: str) -> Bool[Tensor, "S D"]:
    """Return the mask of gains below `NEAR_ZERO` of their norm's median size."""
    gains = stored_records(model).gains
    return gains.abs() < NEAR_ZERO * median_size(gains)[:, None]


def with_url_prefix(figure: Explorable, word: str) -> Explorable:
    """Return a figure whose controls have a prefix in URLs, apart from those of the lesson.

    Args:
        figure: the figure.
        word: the prefix.
    """
    controls = (replace(c, url_name=f"{word} {c.url_name or c.name}") for c in figure.controls)
    return replace(figure, controls=tuple(controls))
