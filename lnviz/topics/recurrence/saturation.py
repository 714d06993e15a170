"""Saturation of tanh in a recurrent network with a norm, depending on the norm's gain."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.topics.recurrence.flow import UntrainedNetwork, states

FLAT = 0.1
"""A slope of tanh below this counts as saturated."""


@dataclass(frozen=True, eq=False)
class Saturation:
    """Slopes of tanh at the pre-activations of a network, for each gain.

    Attributes:
        slope: The mean derivative, over all steps but the first, sequences and units.
        flat: The fraction of them where the derivative is below 0.1.
        density: The probability density of pre-activations divided by the gain, in each bin.
    """

    slope: Float[Tensor, " G"]
    flat: Float[Tensor, " G"]
    density: Float[Tensor, "G bins"]


def saturation(
    norm: str,
    gains: Float[Tensor, " G"],
    network: UntrainedNetwork,
    edges: Float[Tensor, " edges"],
) -> Saturation:
    r"""Measure how strongly tanh saturates in an untrained network, for each gain of its norm.

    $$\tanh'(a) = 1 - \tanh^2(a) = 1 - h^2$$

    The first step is left out: it brings the state to the size that the norm sets.

    Args:
        norm: As in `flow`.
        gains: $\gamma$, positive.
        network: The network; its nonlinearity is tanh.
        edges: The edges of the density's bins, in ascending order.

    Source: Cooijmans et al. 2016 (arXiv 1603.09025), section 4. They measured that with large gains
        a gradient vanishes quickly on its way back, and with small ones stays nearly constant; that
        this saturation is the cause is their conjecture.

    >>> network = UntrainedNetwork(inputs=1.0, steps=20)
    >>> saturation("layer", torch.tensor([0.1, 1.0]), network, torch.linspace(-3, 3, 7)).slope
    tensor([0.9902, 0.6006])
    """
    h = states(norm, torch.ones_like(gains), network, gain=gains)[1:]
    flat = h.transpose(0, 1).flatten(1)  # G,values
    slopes = 1 - flat.square()
    # Bins of the pre-activation are bins of its tanh, which is monotonic; two more lie outside.
    bins = len(edges) + 1
    position = torch.searchsorted((gains[:, None] * edges).tanh(), flat)  # G,values
    position += bins * torch.arange(len(gains), device=gains.device)[:, None]
    counts = position.flatten().bincount(minlength=bins * len(gains)).unflatten(0, (-1, bins))
    return Saturation(
        slopes.mean(1),
        (slopes < FLAT).float().mean(1),
        (counts[:, 1:-1] / (flat.shape[1] * edges.diff())).float(),
    )
