"""Weight initializations for the Transformer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import torch
from torch import nn

from lnviz.topics.transformer.block import Attention, FeedForward, Transformer, TransformerBlock


def initialize(transformer: Transformer, kind: str) -> None:
    """Initialize a Transformer's weights in place; the placement's beta scales some of them.

    Args:
        transformer: the Transformer.
        kind: a key of `INITIALIZATIONS`.

    Raises:
        ValueError: the kind is unknown.

    >>> from lnviz.topics.transformer.block import Shape
    >>> transformer = Transformer(Shape(8, layers=1, heads=1, inner=8))
    >>> initialize(transformer, "theory")
    >>> transformer.blocks[0].attention.sublayer.query.weight.any()
    tensor(False)
    """
    if kind not in INITIALIZATIONS:
        raise ValueError(f"An initialization is one of {', '.join(INITIALIZATIONS)}; got {kind!r}.")
    beta = transformer.placement.beta(transformer.shape.layers)
    for attention, feed_forward in sublayers(transformer):
        INITIALIZATIONS[kind](attention, feed_forward)
        for linear in (attention.value, attention.out, feed_forward.first, feed_forward.second):
            linear.weight.data *= beta


def sublayers(transformer: Transformer) -> Iterator[tuple[Attention, FeedForward]]:
    """Return the attention layer and the feed-forward layer of each block."""
    for block in transformer.blocks:
        block = cast(TransformerBlock, block)
        yield (
            cast(Attention, block.attention.sublayer),
            cast(FeedForward, block.feed_forward.sublayer),
        )


def linears(attention: Attention, feed_forward: FeedForward) -> tuple[nn.Linear, ...]:
    """Return all linear layers of a block's attention and feed-forward layer."""
    return (
        *(attention.query, attention.key, attention.value, attention.out),
        *(feed_forward.first, feed_forward.second),
    )


def _theory(attention: Attention, feed_forward: FeedForward) -> None:
    for linear in linears(attention, feed_forward):
        if linear in (attention.query, attention.key):
            nn.init.zeros_(linear.weight)
        else:
            nn.init.xavier_normal_(linear.weight)
        _zero_bias(linear)


def _xavier(attention: Attention, feed_forward: FeedForward) -> None:
    for linear in linears(attention, feed_forward):
        nn.init.xavier_uniform_(linear.weight)
        _zero_bias(linear)


def _pytorch(attention: Attention, feed_forward: FeedForward) -> None:
    for linear in linears(attention, feed_forward):
        linear.reset_parameters()
    # nn.MultiheadAttention has queries, keys and values in one matrix, three times as high.
    together = torch.empty(3 * attention.query.out_features, attention.query.in_features)
    nn.init.xavier_uniform_(together)
    for linear, part in zip(
        (attention.query, attention.key, attention.value), together.chunk(3), strict=True
    ):
        linear.weight.data.copy_(part)
        _zero_bias(linear)
    _zero_bias(attention.out)


def _zero_bias(linear: nn.Linear) -> None:
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


INITIALIZATIONS: dict[str, Callable[[Attention, FeedForward], None]] = {
    "theory": _theory,
    "xavier": _xavier,
    "pytorch": _pytorch,
}
"""The initialization functions, by key.

`"theory"`: normal after Glorot and Bengio 2010, queries and keys 0, so that attention is uniform
(Xiong et al. 2020, arXiv 2002.04745, section 3.3). `"xavier"`: uniform after Glorot and Bengio
2010. `"pytorch"`: as `nn.TransformerEncoderLayer` starts.
"""
