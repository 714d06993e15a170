"""Norms for images: along which of the axes (N, C, H, W) each norm shares its statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from jaxtyping import Float, Int
from torch import Tensor

from lnviz.norms import BATCH, INSTANCE, LAYER, NONE, Norm, group_norm
from lnviz.norms.arguments import Epsilon
from lnviz.norms.degenerate import Standardized, normalize_degenerate


@dataclass(frozen=True)
class Sharing:
    """A norm for images, with the axes of (N, C, H, W) along which it shares statistics.

    Attributes:
        key: short name, for URLs.
        norm: the norm.
        by_place: whether each position counts as a separate example. If so, LayerNorm normalizes
            the channels of each position, as `nn.LayerNorm(C)` does on (N, H, W, C).

    >>> KINDS["place"].groups((1, 2, 1, 3))
    tensor([[[[0, 1, 2]],
    <BLANKLINE>
             [[0, 1, 2]]]])
    """

    key: str
    norm: Norm
    by_place: bool = False

    def groups(self, shape: Sequence[int]) -> Int[Tensor, "N C H W"]:
        """Return the group id of every value; values with the same id share mean and variance.

        Args:
            shape: the shape of the images, (N, C, H, W).

        Raises:
            ValueError: as `Norm.groups`.
        """
        n, c, h, w = shape
        if self.by_place:
            ids: Tensor = self.norm.groups((n, h * w, c), "NTC").mT.unflatten(-1, (h, w))
            return ids
        return self.norm.groups((n, c, h, w), "NCHW")

    def standardized(self, x: Float[Tensor, "*S N C H W"], eps: Epsilon = 1e-5) -> Standardized:
        """Normalize images without gain and bias, with 0 in constant groups.

        Args:
            x: images, with any leading dimensions.
            eps: added to the variance.

        Raises:
            TypeError, ValueError: as `Norm.apply`.
        """
        if not self.by_place:
            return normalize_degenerate(self.norm, x, "NCHW", eps=eps)
        size = x.shape[-2:]
        result = normalize_degenerate(self.norm, x.flatten(-2).mT, "NTC", eps=eps)
        return replace(
            result,
            **{
                name: getattr(result, name).mT.unflatten(-1, size)
                for name in ("mean", "var", "x_hat", "constant")
            },
        )


def group_sharing(groups: int) -> Sharing:
    """Return GroupNorm for images; one group is LayerNorm, one per channel is InstanceNorm.

    Args:
        groups: number of groups; must divide the number of channels.

    Raises:
        ValueError: as `lnviz.norms.group_norm`.
    """
    return Sharing("group", group_norm(groups))


PLACE = Sharing("place", LAYER, by_place=True)
"""LayerNorm over the channels of one position."""

KINDS: Mapping[str, Sharing] = MappingProxyType(
    {
        "none": Sharing("none", NONE),
        "batch": Sharing("batch", BATCH),
        "layer": Sharing("layer", LAYER),
        "place": PLACE,
        "instance": Sharing("instance", INSTANCE),
    }
)
"""The norms by key: "layer" is over channels and positions, as Wu and He 2018 (arXiv 1803.08494)
define LayerNorm on images. GroupNorm is `group_sharing`.
"""
