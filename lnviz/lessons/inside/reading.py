"""What the lesson's figures share: which model, which text, and how tokens and norms are named."""

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
"""The parts of a layer, by the names of their norms."""
_NUMBER = re.compile(r"\d{1,6}")
SPECIAL = "(special)"
"""The word for a token that is no text, such as the end of one."""
NEARLY = 0.1
"""A gain below this part of its norm's median size counts as nearly switched off."""

MODEL = EnumParameter(
    "model",
    "Model",
    tuple(Option(key, package.label) for key, package in PACKAGES.items()),
    SMOLLM2.key,
)
PLACED = {SMOLLM2.key: "Pre-LN with RMSNorm", MINILM.key: "Post-LN with LayerNorm"}
"""The norm of each model, and where it stands."""


def shortened(text: str, letters: int = LONGEST) -> str:
    r"""Write a text for a list: on one line, and cut where it is long.

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
"""The texts, with the page on which losses are taken."""


def record(model: str, sentence: str) -> TextRecord:
    """Return what is stored of a text in a model, by values of `MODEL` and `SENTENCE` or `TEXT`."""
    of = stored_records(model)
    return of.passage_record if sentence == PAGE else of.sentence_records[int(sentence) - 1]


def shown(token: str) -> str:
    r"""Write a token as it can be shown: blanks at its sides gone, line breaks and tabs drawn.

    >>> shown(" mat"), shown(" "), shown("\r\n")
    ('mat', '␣', '↵')
    """
    drawn = token.replace("\r", "").replace("\n", "↵").replace("\t", "⇥")
    return drawn.strip(" ") or "␣"


def written(token: str) -> str:
    """Write a guessed token as it is shown."""
    return shown(token) if token else SPECIAL


def worded(words: list[str] | list[list[str]], *over: str) -> SweptTensor:
    """Return tokens by the positions of controls, each as the number of a word."""
    texts = np.vectorize(written, otypes=[object])(np.array(words, dtype=object))
    known, numbers = np.unique(texts.astype(str), return_inverse=True)
    values = torch.from_numpy(numbers.reshape(texts.shape)).float()
    return SweptTensor(over, values, 0, tuple(known.tolist()))


def pieces(record: TextRecord) -> tuple[str, ...]:
    """Return a record's tokens as they can be shown."""
    return tuple(map(shown, record.tokens))


def tokens(record: TextRecord, start: int = 0) -> CellPicker:
    """Return a pointer over the tokens of a record."""
    return CellPicker("token", ("",), pieces(record), "", (0, start))


def named(norm: str) -> str:
    """Say a norm's name in words.

    >>> named("layers.3.feedforward"), named("final")
    ('layer 3, feed-forward', 'the final norm')
    """
    if "." not in norm:
        return f"the {norm} norm"
    _, layer, part = norm.split(".")
    return f"layer {layer}, {PARTS[part]}"


def walk(record: TextRecord, start: int = 0) -> Slider:
    """Return a slider over the norms of a record's model."""
    places = tuple(float(n) for n in range(len(record.norms)))
    names = tuple(map(named, record.norms))
    return Slider("layer", places, places[start], 0, names=names)


def of(norms: Sequence[str], part: str) -> list[int]:
    """Return where the norms of attention stand among all, or those of the feed-forward sublayers.

    Args:
        norms: the names of all norms.
        part: one of `PARTS`.
    """
    return [place for place, norm in enumerate(norms) if norm.endswith(part)]


def depth(norms: Sequence[str]) -> ChartAxis:
    """Make an axis along the norms of a model, with its layers' numbers at their first norms.

    Args:
        norms: the names of the norms, in the order in which an input meets them.
    """
    ticks = layer_ticks(norms)
    return linear_axis(along(norms), 0.0, len(norms) - 1.0, ticks=ticks or None, zeroline=False)


def along(norms: Sequence[str]) -> str:
    """Say what an axis along the norms of a model has: layers, where names have their numbers."""
    return "layer" if layer_ticks(norms) else "norm, in the order of the calls"


def layer_ticks(norms: Sequence[str]) -> dict[float, str]:
    """Return the numbers of layers by the places of their first norms; none where names lack them.

    Args:
        norms: the names of the norms, in the order in which an input meets them.

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


def ends(values: Float[Tensor, "..."], rare: float) -> tuple[float, float]:
    """Return the powers of ten between which sizes are drawn; what is smaller stands at the lower.

    Args:
        values: the numbers whose sizes are drawn; 0, infinity and NaN have no place of their own.
        rare: the share of them that may be smaller than ten times the lower one.
    """
    sizes = values[values.isfinite() & (values != 0)].abs()
    if not len(sizes):
        return -1.0, 0.0
    low, high = sizes.quantile(torch.tensor([rare, 1.0])).log10().tolist()
    return math.floor(low) - 1.0, high


def usual(values: Float[Tensor, "S D"]) -> Float[Tensor, " S"]:
    """Return the median size of each norm's gains, or biases; NaN is none."""
    return values.abs().nanquantile(0.5, -1)


def nearly_off(model: str) -> Bool[Tensor, "S D"]:
    """Return which gains of a model are below `NEARLY` of their norm's median size."""
    gains = stored_records(model).gains
    return gains.abs() < NEARLY * usual(gains)[:, None]


def apart(figure: Explorable, word: str) -> Explorable:
    """Return a figure whose controls stand in addresses beside those of the lesson's own.

    Args:
        figure: the figure.
        word: what the names of its controls in addresses begin with.
    """
    controls = (replace(c, url_name=f"{word} {c.url_name or c.name}") for c in figure.controls)
    return replace(figure, controls=tuple(controls))
