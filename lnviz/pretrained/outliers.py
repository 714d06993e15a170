"""Massive activations: single components of the residual stream that are thousands of times larger.

Source: Sun, Chen, Kolter and Liu 2024 (arXiv 2402.17762).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.pretrained.model import Model, Trace
from lnviz.rounding import rounded_tuples

OTHERS = 16
"""Other components that are set to 0 for comparison, evenly spaced."""


@dataclass(frozen=True)
class Zeroed:
    """What is left of a model that finds components of its residual stream set to 0.

    Attributes:
        component: the one that is largest, over all tokens and blocks of the text.
        token: where it is.
        loss: the loss of the unchanged model.
        at_token: the loss with this component set to 0 at this token, in front of every block.
        at_others: the loss with it set to 0 at all other tokens.
        other: losses with one other component set to 0 at this token, for `OTHERS` of them.

    A loss is None where there is none to be had: of a text of one token, or beyond float32.
    """

    component: int
    token: int
    loss: float | None
    at_token: float | None
    at_others: float | None
    other: tuple[float | None, ...]


def largest(
    trace: Trace, count: int
) -> tuple[Int[Tensor, "S T K"], Float[Tensor, "S T K"], Float[Tensor, "S T K"]]:
    """Return the components with the largest absolute values in front of each norm.

    Args:
        trace: the trace of a text.
        count: K, how many at each token.

    Returns:
        Which (S norms, T tokens, K), what they are there, and what the norm makes of them.
    """
    x = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    y = torch.stack([record.y for record in trace.norms.values()])
    which = x.abs().topk(count, dim=-1).indices
    return which, x.gather(-1, which), y.gather(-1, which)


def zeroed(model: Model, ids: Int[Tensor, " T"], trace: Trace) -> Zeroed:
    """Set the largest component to 0, and others for comparison.

    Args:
        model: the model whose residual stream is looked at.
        ids: the numbers of a text's tokens.
        trace: the trace of the same text.
    """
    streams = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    _, tokens, width = streams.shape
    flat = int(streams.abs().amax(0).flatten().argmax())
    token, component = divmod(flat, width)
    places = torch.cat([torch.arange(component), torch.arange(component + 1, width)])
    others = places[torch.linspace(0, width - 2, OTHERS).long()]
    keep = torch.ones(3 + OTHERS, tokens, width, device=streams.device)
    keep[1, token, component] = 0
    keep[2, :, component] = 0
    keep[2, token, component] = 1
    keep[torch.arange(3, len(keep)), token, others] = 0
    losses = model.loss(ids, edit=lambda _, stream: stream * keep, versions=len(keep))
    unchanged, at_token, at_others, *other = rounded_tuples(losses)
    return Zeroed(component, token, unchanged, at_token, at_others, tuple(other))
