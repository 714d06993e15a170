"""The same Transformer with something else in place of its norms."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

from jaxtyping import Float
from torch import Tensor, nn

from lnviz.topics.transformer import NormLayer, Transformer

M = TypeVar("M", bound=nn.Module)
Swap = Callable[[str, NormLayer, Tensor], Tensor]
"""Stands in for a norm, given its name, the norm, and what goes into it."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a norm stands.

    Attributes:
        name: `embedding`, `layers.3.attention`, `layers.3.feedforward`, `final`.
        holder: the module that it is a part of.
        attribute: the name it has there.
    """

    name: str
    holder: nn.Module
    attribute: str

    @property
    def norm(self) -> NormLayer:
        """The norm that stands there."""
        return cast(NormLayer, getattr(self.holder, self.attribute))


class Swapped(nn.Module):
    """Stands in for a norm."""

    def __init__(self, name: str, own: NormLayer, swap: Swap) -> None:
        super().__init__()
        self.name, self.own, self.swap = name, own, swap

    def forward(self, x: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N T D"]:
        """Return what comes out in place of what the norm would give."""
        return self.swap(self.name, self.own, x)


def swapped(transformer: Transformer, swap: Swap) -> Transformer:
    """Return the same Transformer with other norms; the weights are shared, nothing is changed.

    Args:
        transformer: as it was trained.
        swap: what stands in for each norm.
    """
    made = _copy(transformer)
    made.blocks = nn.ModuleList(_copied(block) for block in transformer.blocks)
    for place in places(made):
        setattr(place.holder, place.attribute, Swapped(place.name, place.norm, swap))
    return made


def _copied(block: nn.Module) -> nn.Module:
    made = _copy(block)
    for name in ("attention", "feed_forward"):
        setattr(made, name, _copy(getattr(block, name)))
    return made


def _copy(module: M) -> M:
    """The same module, whose parts can be exchanged without a change to the original."""
    made = copy.copy(module)
    made._modules = dict(module._modules)
    return made


def places(transformer: Transformer) -> Iterator[Place]:
    """Return where norms stand around sublayers and blocks, in the order a text meets them.

    Args:
        transformer: a Transformer with one norm a sublayer, before it or on the sum.
    """
    if transformer.placement.embedding:
        yield Place("embedding", transformer, "embedding_norm")
    attribute = "before" if transformer.placement.before else "after"
    for layer, block in enumerate(transformer.blocks):
        for part, held in (("attention", block.attention), ("feedforward", block.feed_forward)):
            yield Place(f"layers.{layer}.{part}", cast(nn.Module, held), attribute)
    if transformer.placement.final:
        yield Place("final", transformer, "final_norm")
