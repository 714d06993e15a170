"""Distances between points of different classes in the layers of untrained networks."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import functional_call, vmap

from lnviz.topics.playground.data import points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import BATCH, PLACES
from lnviz.training import initialize

DEEPEST = int(PLACES["depth"][-1])
NORMS = ("none", "layer")
SEEDS = tuple(range(16))


def activations(residual: bool) -> Float[Tensor, "layers norms seeds N D"]:
    """Return every layer's activations for the spiral's points, in the deepest untrained networks.

    Args:
        residual: whether layers are residual blocks rather than a plain stack.
    """
    build = partial(Networks, NORMS, (DEEPEST,), (1.0,), (BATCH,), True, residual)
    runs = initialize(build, SEEDS, torch.device("cpu"))
    model = runs.model.eval()
    x = points("spiral").x

    def of_one(parameters: Any, buffers: Any) -> list[Tensor]:
        _, layers = functional_call(model, (parameters, buffers), (x,))
        return [units[:, 0] for units in layers]

    with torch.no_grad():
        units = torch.stack(vmap(of_one)(runs.parameters, runs.buffers))
        if residual:  # each layer adds its units
            units = x @ runs.parameters["stem"][:, :, 0] + units.cumsum(0)
    return units.transpose(1, 2)


def mean_cosine(h: Float[Tensor, "*networks N D"]) -> Float[Tensor, "*networks"]:
    """Return the mean cosine similarity between the activations of two different points.

    Points whose activations are all 0 count as at right angles to all others.
    """
    unit = torch.nn.functional.normalize(h, dim=-1)
    total = unit.sum(-2).square().sum(-1)
    own = unit.square().sum((-2, -1))
    count = h.shape[-2]
    return (total - own) / (count * (count - 1))
