"""A plane in weight space, spanned by the current weights and an orthogonal direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import Norm
from lnviz.topics.geometry.models import Glm, natural

PARTS: Mapping[str, str] = MappingProxyType(
    {"matrix": "the whole weight matrix", "vector": "one weight vector"}
)
"""The part that is scaled and stepped: the whole matrix W, or its first row only."""


@dataclass(frozen=True, eq=False)
class Plane:
    r"""A plane in weight space, $W = W_0 + p\,U + q\,V$: U along the weights, V orthogonal.

    Attributes:
        rest: $W_0$, the rows that stay fixed; 0 if the whole matrix changes.
        along: U, of length 1: the rows that change, divided by their norm.
        across: V, of length 1 and orthogonal to U, in the same rows.
    """

    rest: Float[Tensor, "H I"]
    along: Float[Tensor, "H I"]
    across: Float[Tensor, "H I"]

    def weight(self, at: Float[Tensor, "*sweeps 2"]) -> Float[Tensor, "*sweeps H I"]:
        """Return the weights at the coordinates (p, q), which may have leading dimensions."""
        p, q = at[..., 0, None, None], at[..., 1, None, None]
        return self.rest + p * self.along + q * self.across

    def natural(
        self, glm: Glm, norm: Norm, at: Float[Tensor, "*sweeps 2"]
    ) -> Float[Tensor, "*sweeps N H"]:
        """Return the model's natural parameters z at the coordinates (p, q)."""
        rest, along, across = (
            (glm.x @ w.T)[..., None] for w in (self.rest, self.along, self.across)
        )  # N,H,1
        p, q = at.reshape(-1, 2).T  # P
        # Positions lie closest in memory: a sum over three units takes all of them at once.
        summed = torch.addcmul(torch.addcmul(rest, p, along), q, across)  # N,H,P
        summed = summed.movedim(-1, 0).reshape(*at.shape[:-1], *summed.shape[:2])
        weight = self.weight(at) if norm.from_weights else self.rest
        return natural(norm, summed, weight, glm.gain, glm.bias)


def plane(glm: Glm, part: str = "matrix", seed: int = 0) -> Plane:
    """Return the plane spanned by a model's weights and a random orthogonal direction.

    Args:
        glm: the model.
        part: the rows that change, a key of `PARTS`.
        seed: seed of the orthogonal direction.

    Returns:
        The plane.

    Raises:
        ValueError: the part is unknown, its weights are all 0, or it is a single weight, to which
            no direction is orthogonal.

    >>> from lnviz.topics.geometry import FAMILIES, random_glm
    >>> drawn = plane(random_glm(FAMILIES["linear"]), "vector")
    >>> bool(abs((drawn.along * drawn.across).sum()) < 1e-12)
    True
    """
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}; got {part!r}.")
    moving = torch.zeros_like(glm.weight)
    moving[: None if part == "matrix" else 1] = 1.0
    weight = moving * glm.weight
    length = weight.norm()
    if not length > 0 or moving.sum() < 2:
        raise ValueError(
            f"A plane needs a weight of some length and two or more entries, got {PARTS[part]} "
            f"with {int(moving.sum())} entries and length {float(length):.3g}. "
            f"Use other weights or more inputs."
        )
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(glm.weight.shape, generator=generator, dtype=torch.float64)
    along = weight / length
    across = moving * drawn.to(along.device)
    # Twice, so that what rounding leaves along is rounded away.
    for _ in range(2):
        across = across - (across * along).sum() * along
    return Plane(glm.weight - weight, along, across / across.norm())


def directions(angles: Float[Tensor, " A"]) -> Float[Tensor, "A 2"]:
    """Return the unit vectors (cos, sin) at angles in degrees, exact at multiples of 90."""
    radians = torch.deg2rad(angles)
    pair = torch.stack([radians.cos(), radians.sin()], -1)
    return torch.where(pair.abs() < 1e-12, 0.0, pair)
