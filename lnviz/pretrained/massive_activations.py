"""Massive activations: residual-stream components thousands of times larger than the others.

Source: Sun, Chen, Kolter and Liu 2024 (arXiv 2402.17762).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.pretrained.model import PretrainedModel, Trace
from lnviz.rounding import rounded_tuples

CONTROL_COMPONENTS = 16
"""Number of other components that are set to 0 for comparison, evenly spaced."""


@dataclass(frozen=True)
class ComponentAblation:
    """Losses of a model with one component of its residual stream set to 0.

    Attributes:
        component: index of the largest component over all tokens and blocks of the text.
        token: position of the token at which the component is largest.
        loss: the loss of the unchanged model.
        at_token: the loss with the component set to 0 at that token, before every block.
        at_others: the loss with the component set to 0 at all other tokens.
        other: the losses with another component set to 0 at that token, for each of
            `CONTROL_COMPONENTS` components.

    A loss is None for a text of a single token, or if it overflows float32.
    """

    component: int
    token: int
    loss: float | None
    at_token: float | None
    at_others: float | None
    other: tuple[float | None, ...]


def largest_components(
    trace: Trace, count: int
) -> tuple[Int[Tensor, "S T K"], Float[Tensor, "S T K"], Float[Tensor, "S T K"]]:
    """Find the components with the largest absolute values in each norm's input, per token.

    Args:
        trace: the trace of a text.
        count: K, the number of components per token.

    Returns:
        The components' indices, and the norm's inputs and outputs at these components; each of
            shape (S norms, T tokens, K).
    """
    x = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    y = torch.stack([record.y for record in trace.norms.values()])
    which = x.abs().topk(count, dim=-1).indices
    return which, x.gather(-1, which), y.gather(-1, which)


def ablate_component(
    model: PretrainedModel, ids: Int[Tensor, " T"], trace: Trace
) -> ComponentAblation:
    """Compute losses with the largest component set to 0 and, for comparison, other components.

    Args:
        model: the model.
        ids: the token ids of a text.
        trace: the trace of the same text.
    """
    streams = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    _, tokens, width = streams.shape
    flat = int(streams.abs().amax(0).flatten().argmax())
    token, component = divmod(flat, width)
    places = torch.cat([torch.arange(component), torch.arange(component + 1, width)])
    others = places[torch.linspace(0, width - 2, CONTROL_COMPONENTS).long()]
    keep = torch.ones(3 + CONTROL_COMPONENTS, tokens, width, device=streams.device)
    keep[1, token, component] = 0
    keep[2, :, component] = 0
    keep[2, token, component] = 1
    keep[torch.arange(3, len(keep)), token, others] = 0
    losses = model.loss(ids, edit=lambda _, stream: stream * keep, copies=len(keep))
    unchanged, at_token, at_others, *other = rounded_tuples(losses)
    return ComponentAblation(component, token, unchanged, at_token, at_others, tuple(other))
