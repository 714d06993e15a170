"""Storable records of a model's results for a text: all values that the lesson shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.pretrained import lens, massive_activations
from lnviz.pretrained.massive_activations import ComponentAblation
from lnviz.pretrained.model import PretrainedModel, Trace
from lnviz.pretrained.norm_swapping import Swap
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.swaps import (
    EpsilonPerCopy,
    SwapPerCopy,
    average_gain,
    fit_tanh,
    freeze_sigma,
    toggle_centering,
)
from lnviz.progress import subtasks
from lnviz.rounding import rounded_tuples

SWAP_KINDS = ("centering", "gains", "sigma", "tanh")
"""The replacements of norms, in the order of a record's losses."""
EPSILONS = tuple(float(f"1e{power}") for power in range(-12, 1))
TOP_COMPONENTS = 3
"""Number of largest components that are recorded per token before every norm."""
TOP_TOKENS = 3
EPSILON_CHUNK = 4
"""Number of epsilons per batch of all locations; all epsilons at once would need gigabytes."""

PerToken = tuple[tuple[float, ...], ...]  # S norms, T tokens
PerTokenRanked = tuple[tuple[tuple[float, ...], ...], ...]  # S norms, T tokens, K


@dataclass(frozen=True)
class LensTokens:
    """Logit-lens predictions: the `TOP_TOKENS` most likely next tokens for each layer and token.

    Attributes:
        words: the most likely tokens, in descending order.
        probabilities: the probabilities of these tokens.
    """

    words: tuple[tuple[tuple[str, ...], ...], ...]
    probabilities: PerTokenRanked


@dataclass(frozen=True)
class SwapLosses:
    """Losses of a model with norms replaced, everywhere or at one location; None after an overflow.

    Attributes:
        loss: the loss of the unchanged model.
        together: losses with all norms replaced, by `SWAP_KINDS`.
        alone: losses with the norms of one location replaced, by location and `SWAP_KINDS`.
        epsilons: losses with each of `EPSILONS` in all norms.
    """

    loss: float | None
    together: tuple[float | None, ...]
    alone: tuple[tuple[float | None, ...], ...]
    epsilons: tuple[float | None, ...]


@dataclass(frozen=True)
class TextRecord:
    """Results of a model for a text that the lesson shows: norm statistics, predictions, losses.

    Attributes:
        model: key of the model.
        text: the text.
        tokens: the tokens of the text.
        norms: names of the norms, in order of execution.
        locations: names of the locations where norms are replaced separately.
        x_rms: RMS of each norm's input.
        x_mean: mean of each norm's input.
        y_rms: RMS of each norm's output.
        y_mean: mean of each norm's output.
        largest: indices of the largest components of each norm's input.
        x_largest: each norm's input at these indices.
        y_largest: each norm's output at these indices.
        normed: predictions from each layer with the final norm, for a language model.
        bare: predictions from each layer without the final norm, for a language model.
        swaps: losses with norms replaced.
        zeroed: losses with components set to 0.
    """

    model: str
    text: str
    tokens: tuple[str, ...]
    norms: tuple[str, ...]
    locations: tuple[str, ...]
    x_rms: PerToken
    x_mean: PerToken
    y_rms: PerToken
    y_mean: PerToken
    largest: tuple[tuple[tuple[int, ...], ...], ...]
    x_largest: PerTokenRanked
    y_largest: PerTokenRanked
    normed: LensTokens | None
    bare: LensTokens | None
    swaps: SwapLosses
    zeroed: ComponentAblation


def record_text(model: PretrainedModel, text: str) -> TextRecord:
    """Run the model on a text, unchanged and with replaced norms, and return all results.

    Args:
        model: the model.
        text: the text.

    Raises:
        TextError: the text is not valid.
    """
    ids = model.ids(text)
    trace = model.run(ids)
    x = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    y = torch.stack([record.y for record in trace.norms.values()])
    which, x_largest, y_largest = massive_activations.largest_components(trace, TOP_COMPONENTS)
    language = model.package is SMOLLM2
    works: tuple[Callable[..., Any], ...] = (massive_activations.ablate_component, swap_losses)
    zeroed, replaced = (work(model, ids, trace) for work in subtasks(works))
    return TextRecord(
        model=model.package.key,
        text=text,
        tokens=tuple(model.tokens(text)),
        norms=tuple(trace.norms),
        locations=model.locations,
        x_rms=rounded_tuples(x.square().mean(-1).sqrt()),
        x_mean=rounded_tuples(x.mean(-1)),
        y_rms=rounded_tuples(y.square().mean(-1).sqrt()),
        y_mean=rounded_tuples(y.mean(-1)),
        largest=tuple(tuple(map(tuple, row)) for row in which.tolist()),
        x_largest=rounded_tuples(x_largest),
        y_largest=rounded_tuples(y_largest),
        normed=lens_tokens(model, trace, normed=True) if language else None,
        bare=lens_tokens(model, trace, normed=False) if language else None,
        swaps=replaced,
        zeroed=zeroed,
    )


def lens_tokens(model: PretrainedModel, trace: Trace, *, normed: bool) -> LensTokens:
    """Compute the logit-lens predictions of every layer, as token texts.

    Args:
        model: a language model.
        trace: the trace of a text.
        normed: whether to apply the final norm first.
    """
    read = lens.logit_lens(model, trace, TOP_TOKENS, normed=normed)
    words = tuple(tuple(tuple(model.token_texts(place)) for place in layer) for layer in read.ids)
    return LensTokens(words, rounded_tuples(read.probabilities))


def swap_losses(model: PretrainedModel, ids: Int[Tensor, " T"], trace: Trace) -> SwapLosses:
    """Compute a text's losses with norms replaced, everywhere and at each location separately.

    Frozen and fitted replacements are computed from the same text.

    Args:
        model: the model whose norms are replaced.
        ids: the token ids of the text.
        trace: the trace of the same text.
    """
    kinds: tuple[Swap, ...] = (
        toggle_centering,
        average_gain,
        freeze_sigma(trace),
        fit_tanh(trace, model.norms),
    )
    eps = torch.tensor(EPSILONS, device=ids.device)
    # One kind at a time: all of them in every place side by side need four times the memory.
    loss, together, epsilons, *alone = (
        work()
        for work in subtasks(
            (
                partial(model.loss, ids),
                partial(model.loss, ids, SwapPerCopy(kinds), copies=len(SWAP_KINDS)),
                partial(model.loss, ids, EpsilonPerCopy(eps), copies=len(eps)),
                *(partial(model.losses_by_location, ids, kind, 1) for kind in kinds),
            )
        )
    )
    return SwapLosses(
        rounded_tuples(loss),
        rounded_tuples(together),
        rounded_tuples(torch.cat(alone, -1)),
        rounded_tuples(epsilons),
    )


def epsilon_losses_by_location(
    model: PretrainedModel, ids: Int[Tensor, " T"]
) -> tuple[tuple[float | None, ...], ...]:
    """Compute a text's losses with epsilon changed at one location, for each location and epsilon.

    Args:
        model: the model whose epsilons are changed.
        ids: the token ids of a text.
    """
    eps = torch.tensor(EPSILONS, device=ids.device)
    parts = [
        model.losses_by_location(ids, EpsilonPerCopy(part), len(part))
        for part in eps.split(EPSILON_CHUNK)
    ]
    losses: tuple[tuple[float | None, ...], ...] = rounded_tuples(torch.cat(parts, -1))
    return losses
