"""Labels of the layers and norms in the models of the training experiments."""

from __future__ import annotations

from collections.abc import Sequence

HIDDEN = ("hidden 1", "hidden 2", "softmax")
FILTERS = tuple(f"convolution {number}" for number in (1, 2, 3))
LAST = "last norm"

WEIGHTS = {
    "digits": HIDDEN,
    "mnist": HIDDEN,
    "table": HIDDEN,
    "sequences": ("from the row", "from the state", "softmax"),
    "images": (*FILTERS, "softmax"),
}
"""The labels of each experiment's weight matrices, in order of depth."""

NORMS = {
    "digits": HIDDEN,
    "mnist": HIDDEN,
    "table": HIDDEN,
    "sequences": ("from the row", "from the state", "cell"),
    "images": FILTERS,
}
"""The labels of the norms in each experiment's model, in order of depth."""

TRANSFORMER = {
    "embedding": "characters",
    "places": "places",
    "readout": "softmax",
    "transformer.embedding_norm": "first norm",
    "transformer.final_norm": LAST,
}
"""The labels of the layers of a Transformer outside its blocks."""
SUBLAYERS = {"attention": "attention", "feed_forward": "inner"}


def layer_labels(known: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the label of each layer; layers of unknown models are labeled by name.

    >>> layer_labels(HIDDEN, ("1", "4"))
    {'1': 'hidden 1', '4': 'hidden 2'}
    """
    return dict(zip(names, known if len(known) >= len(names) else names, strict=False))


def transformer_labels(names: Sequence[str]) -> dict[str, str]:
    """Return the labels of a Transformer's layers, with the number of their block.

    A norm is labeled by its sublayer, and by its place only if the sublayer has several norms.

    >>> transformer_labels(["transformer.blocks.0.feed_forward.sublayer.first", "readout"])
    {'transformer.blocks.0.feed_forward.sublayer.first': 'first 1', 'readout': 'softmax'}
    >>> [*transformer_labels(["transformer.blocks.1.attention.after"]).values()]
    ['attention 2']
    """
    labels, parents = {}, [name.rpartition(".")[0] for name in names]
    for name, parent in zip(names, parents, strict=True):
        if name in TRANSFORMER:
            labels[name] = TRANSFORMER[name]
            continue
        _, _, block, sublayer, *_, part = name.split(".")
        number = int(block) + 1
        if parent.endswith("sublayer"):
            labels[name] = f"{part} {number}"
        else:
            place = f", {part}" if parents.count(parent) > 1 else ""
            labels[name] = f"{SUBLAYERS[sublayer]} {number}{place}"
    return labels
