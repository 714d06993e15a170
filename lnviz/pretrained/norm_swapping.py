"""Replacement of a Transformer's norms in a copy that shares the original's weights."""

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
"""A replacement of a norm: a function of the norm's name, the norm, and its input."""


@dataclass(frozen=True, eq=False)
class NormLocation:
    """Location of a norm in a Transformer: its name, parent module and attribute.

    Attributes:
        name: a name such as `embedding`, `layers.3.attention`, `layers.3.feedforward` or `final`.
        parent: the module that contains the norm.
        attribute: the norm's attribute name in the parent.
    """

    name: str
    parent: nn.Module
    attribute: str

    @property
    def norm(self) -> NormLayer:
        """The norm module at this location."""
        return cast(NormLayer, getattr(self.parent, self.attribute))


class SwappedNorm(nn.Module):
    """Module that takes a norm's place and applies a replacement function."""

    def __init__(self, name: str, own: NormLayer, swap: Swap) -> None:
        super().__init__()
        self.name, self.original, self.swap = name, own, swap

    def forward(self, x: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N T D"]:
        """Apply the replacement function to the norm's input."""
        return self.swap(self.name, self.original, x)


def swap_norms(transformer: Transformer, swap: Swap) -> Transformer:
    """Return a copy of a Transformer with all norms replaced; it shares the original's weights.

    Args:
        transformer: the trained Transformer.
        swap: the replacement of each norm.
    """
    copied = _shallow_copy(transformer)
    copied.blocks = nn.ModuleList(_copy_block(block) for block in transformer.blocks)
    for place in norm_locations(copied):
        setattr(place.parent, place.attribute, SwappedNorm(place.name, place.norm, swap))
    return copied


def _copy_block(block: nn.Module) -> nn.Module:
    made = _shallow_copy(block)
    for name in ("attention", "feed_forward"):
        setattr(made, name, _shallow_copy(getattr(block, name)))
    return made


def _shallow_copy(module: M) -> M:
    """Copy a module, sharing its weights, so that the copy's children can be replaced."""
    made = copy.copy(module)
    made._modules = dict(module._modules)
    return made


def norm_locations(transformer: Transformer) -> Iterator[NormLocation]:
    """Yield the locations of all norms, in order of execution.

    Args:
        transformer: a Transformer with one norm per sublayer, before it or after the sum.
    """
    if transformer.placement.embedding:
        yield NormLocation("embedding", transformer, "embedding_norm")
    attribute = "before" if transformer.placement.before else "after"
    for layer, block in enumerate(transformer.blocks):
        for part, held in (("attention", block.attention), ("feedforward", block.feed_forward)):
            yield NormLocation(f"layers.{layer}.{part}", cast(nn.Module, held), attribute)
    if transformer.placement.final:
        yield NormLocation("final", transformer, "final_norm")
