"""Which of an image tensor's axes share one mean and one variance."""

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
    """A norm as it is laid over images, (N, C, H, W).

    Attributes:
        key: short name, for addresses.
        norm: what is computed.
        by_place: whether each place counts as a case of its own: LayerNorm then takes the channels
            of one place, as `nn.LayerNorm(C)` does on (N, H, W, C).

    >>> KINDS["place"].groups((1, 2, 1, 3))
    tensor([[[[0, 1, 2]],
    <BLANKLINE>
             [[0, 1, 2]]]])
    """

    key: str
    norm: Norm
    by_place: bool = False

    def groups(self, shape: Sequence[int]) -> Int[Tensor, "N C H W"]:
        """Return for every cell the id of its group: same id, same mean and variance.

        Args:
            shape: the shape of the images, N, C, H, W.

        Raises:
            ValueError: as `Norm.groups`.
        """
        n, c, h, w = shape
        if self.by_place:
            ids: Tensor = self.norm.groups((n, h * w, c), "NTC").mT.unflatten(-1, (h, w))
            return ids
        return self.norm.groups((n, c, h, w), "NCHW")

    def standardized(self, x: Float[Tensor, "*S N C H W"], eps: Epsilon = 1e-5) -> Standardized:
        """Standardize images, 0/0 counted as 0: `lnviz.norms.degenerate.normalize_degenerate`.

        Args:
            x: images, sweep dimensions leading.
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
    """Return GroupNorm over images: 1 group is LayerNorm, a group a channel is InstanceNorm.

    Args:
        groups: how many groups there are; has to divide the number of channels.

    Raises:
        ValueError: as `lnviz.norms.group_norm`.
    """
    return Sharing("group", group_norm(groups))


PLACE = Sharing("place", LAYER, by_place=True)
"""LayerNorm over the channels of one place."""

KINDS: Mapping[str, Sharing] = MappingProxyType(
    {
        "none": Sharing("none", NONE),
        "batch": Sharing("batch", BATCH),
        "layer": Sharing("layer", LAYER),
        "place": PLACE,
        "instance": Sharing("instance", INSTANCE),
    }
)
"""The norms by key: "layer" takes channels and places, as Wu and He 2018 (arXiv 1803.08494) define
LayerNorm on images. GroupNorm is `group_sharing`."""
