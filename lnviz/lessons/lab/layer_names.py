"""Labels of the layers and norms in the models of the training experiments."""

from __future__ import annotations

from collections.abc import Sequence

from lnviz.topics.lab.text import SHAPE

HIDDEN = ("hidden 1", "hidden 2", "softmax")
FILTERS = tuple(f"convolution {number}" for number in (1, 2, 3))
BLOCKS = range(1, SHAPE.layers + 1)
LAST = "last norm"
PARTS = ("query", "key", "value", "out", "first", "second")

WEIGHTS = {
    "digits": HIDDEN,
    "mnist": HIDDEN,
    "table": HIDDEN,
    "sequences": ("from the row", "from the state", "softmax"),
    "images": (*FILTERS, "softmax"),
    "text": (
        *("characters", "places"),
        *(f"{part} {block}" for block in BLOCKS for part in PARTS),
        "softmax",
    ),
}
"""The labels of each experiment's weight matrices, in order of depth."""

NORMS = {
    "digits": HIDDEN,
    "mnist": HIDDEN,
    "table": HIDDEN,
    "sequences": ("from the row", "from the state", "cell"),
    "images": FILTERS,
    "text": (LAST, *(f"{part} {block}" for block in BLOCKS for part in ("attention", "inner"))),
}
"""The labels of the norms in each experiment's model, in order of depth."""


def layer_labels(known: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the label of each layer; layers of unknown models are labeled by name.

    >>> layer_labels(HIDDEN, ("1", "4"))
    {'1': 'hidden 1', '4': 'hidden 2'}
    """
    return dict(zip(names, known if len(known) >= len(names) else names, strict=False))
