"""Filters of a first convolution, and their responses (pre-activations) to images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

SIZE = 3  # pixels on a side
FILTERS = 16
STEP = 256  # weights are multiples of its inverse: with pixels in sixteenths, sums are exact


@dataclass(frozen=True, eq=False)
class Bank:
    """A set of convolution filters.

    Attributes:
        weight: one filter per channel.
    """

    weight: Float[Tensor, "C 1 K K"]


def gabor(count: int = FILTERS, size: int = SIZE) -> Bank:
    r"""Return Gabor filters: edge and bar detectors in evenly spaced directions.

    $$w(u, v) = e^{-(u^2 + v^2) / 2} \cos(\tfrac{2 \pi}{3} (u \cos\theta + v \sin\theta) - \phi)$$

    with $u, v$ in pixels from the center, $\theta$ the direction, and $\phi$ alternately 90 degrees
    (an edge) and 0 (a bar). Each filter's mean is subtracted, so that its response to a uniform
    area is 0, and the filter is scaled to Euclidean norm 1. Then its weights are rounded to
    multiples of 1/256.

    Args:
        count: C, an even number.
        size: K, pixels per side.

    >>> gabor(2).weight.shape
    torch.Size([2, 1, 3, 3])
    """
    along = torch.arange(size) - (size - 1) / 2
    v, u = torch.meshgrid(along, along, indexing="ij")
    pairs = count // 2
    theta = (torch.arange(pairs) * math.pi / pairs)[:, None, None, None]
    phi = torch.tensor([math.pi / 2, 0.0])[:, None, None]
    wave = (2 * math.pi / 3 * (u * theta.cos() + v * theta.sin()) - phi).cos()  # pairs,2,K,K
    drawn = (wave * (-(u.square() + v.square()) / 2).exp()).flatten(0, 1)
    return unit_bank(drawn - drawn.mean((1, 2), keepdim=True))


def random(count: int = FILTERS, size: int = SIZE, seed: int = 0) -> Bank:
    """Return filters drawn from a normal distribution and scaled to Euclidean norm 1.

    Args:
        count: C.
        size: K, pixels per side.
        seed: seed of the filters.

    >>> random(2).weight.shape
    torch.Size([2, 1, 3, 3])
    """
    return unit_bank(torch.randn(count, size, size, generator=torch.Generator().manual_seed(seed)))


def unit_bank(weight: Float[Tensor, "C K K"]) -> Bank:
    """Scale filters to Euclidean norm 1, with weights rounded to multiples of 1/256.

    Args:
        weight: one filter per channel; no filter is all zeros.
    """
    unit = weight / weight.flatten(1).norm(dim=1)[:, None, None]
    return Bank(((unit * STEP).round() / STEP)[:, None])


def responses(images: Float[Tensor, "N 1 H W"], bank: Bank) -> Float[Tensor, "N C H W"]:
    """Return the pre-activations of a zero-padded convolution at every position.

    Args:
        images: pixels.
        bank: the filters.

    >>> responses(torch.ones(1, 1, 4, 4), random(2)).shape
    torch.Size([1, 2, 4, 4])
    """
    return F.conv2d(images, bank.weight, padding="same")
