"""Everything that the lesson shows of a text in a model, as numbers that can be kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.pretrained import lens, outliers
from lnviz.pretrained.model import Model, Trace
from lnviz.pretrained.outliers import Zeroed
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.swapping import Swap
from lnviz.pretrained.swaps import Each, Epsilons, centering, frozen, one_gain, tanh
from lnviz.progress import subtasks
from lnviz.rounding import rounded_tuples

KINDS = ("centering", "gains", "sigma", "tanh")
"""What stands in for norms, in the order of a record's losses."""
EPSILONS = tuple(float(f"1e{power}") for power in range(-12, 1))
LARGEST = 3
"""Components that a record keeps of every token in front of every norm."""
GUESSES = 3
LAYERWISE = 4
"""Epsilons that go through a model side by side in every place: all of them need gigabytes."""

ByToken = tuple[tuple[float, ...], ...]  # S norms, T tokens
Several = tuple[tuple[tuple[float, ...], ...], ...]  # S norms, T tokens, K


@dataclass(frozen=True)
class Guesses:
    """Guesses of the next token: L + 1 streams, T tokens, `GUESSES` words each.

    Attributes:
        words: the likeliest first.
        chances: their probabilities.
    """

    words: tuple[tuple[tuple[str, ...], ...], ...]
    chances: Several


@dataclass(frozen=True)
class Swaps:
    """Losses with norms replaced; None where a number went beyond float32.

    Attributes:
        loss: the loss of the unchanged model.
        together: losses with every norm replaced, by `KINDS`.
        alone: losses with those of one place only, by the model's places and `KINDS`.
        epsilons: losses with every norm at one of `EPSILONS`.
    """

    loss: float | None
    together: tuple[float | None, ...]
    alone: tuple[tuple[float | None, ...], ...]
    epsilons: tuple[float | None, ...]


@dataclass(frozen=True)
class Record:
    """A text in a model: S norms, T tokens.

    Attributes:
        model: its key.
        text: what was read.
        tokens: its pieces.
        norms: their names, in the order in which a text meets them.
        places: what of the model is changed alone.
        x_rms: root mean square of what goes into each norm.
        x_mean: its mean.
        y_rms: root mean square of what comes out.
        y_mean: its mean.
        largest: the largest components of what goes in.
        x_largest: what they are.
        y_largest: what the norm makes of them.
        normed: guesses read off each layer behind the final norm; a language model's.
        bare: guesses without the final norm.
        swaps: losses with norms replaced.
        zeroed: losses with components set to 0.
    """

    model: str
    text: str
    tokens: tuple[str, ...]
    norms: tuple[str, ...]
    places: tuple[str, ...]
    x_rms: ByToken
    x_mean: ByToken
    y_rms: ByToken
    y_mean: ByToken
    largest: tuple[tuple[tuple[int, ...], ...], ...]
    x_largest: Several
    y_largest: Several
    normed: Guesses | None
    bare: Guesses | None
    swaps: Swaps
    zeroed: Zeroed


def take(model: Model, text: str) -> Record:
    """Send a text through a model, and through what replaced norms make of it.

    Args:
        model: the model.
        text: what it reads.

    Raises:
        TextError: the text cannot be read.
    """
    ids = model.ids(text)
    trace = model.run(ids)
    x = torch.stack([record.x for record in trace.norms.values()])  # S,T,D
    y = torch.stack([record.y for record in trace.norms.values()])
    which, x_largest, y_largest = outliers.largest(trace, LARGEST)
    language = model.package is SMOLLM2
    works: tuple[Callable[..., Any], ...] = (outliers.zeroed, swaps)
    zeroed, replaced = (work(model, ids, trace) for work in subtasks(works))
    return Record(
        model=model.package.key,
        text=text,
        tokens=tuple(model.tokens(text)),
        norms=tuple(trace.norms),
        places=model.places,
        x_rms=rounded_tuples(x.square().mean(-1).sqrt()),
        x_mean=rounded_tuples(x.mean(-1)),
        y_rms=rounded_tuples(y.square().mean(-1).sqrt()),
        y_mean=rounded_tuples(y.mean(-1)),
        largest=tuple(tuple(map(tuple, row)) for row in which.tolist()),
        x_largest=rounded_tuples(x_largest),
        y_largest=rounded_tuples(y_largest),
        normed=guesses(model, trace, normed=True) if language else None,
        bare=guesses(model, trace, normed=False) if language else None,
        swaps=replaced,
        zeroed=zeroed,
    )


def guesses(model: Model, trace: Trace, *, normed: bool) -> Guesses:
    """Return what the lens reads, as words.

    Args:
        model: a language model.
        trace: the trace of a text.
        normed: whether the final norm comes before the reading.
    """
    read = lens.lens(model, trace, GUESSES, normed=normed)
    words = tuple(tuple(tuple(model.words(place)) for place in layer) for layer in read.ids)
    return Guesses(words, rounded_tuples(read.chances))


def swaps(model: Model, ids: Int[Tensor, " T"], trace: Trace) -> Swaps:
    """Return the losses of a text with norms replaced.

    What is frozen or fitted is so for this text.

    Args:
        model: the model whose norms are replaced.
        ids: the numbers of the text's tokens.
        trace: the trace of the same text.
    """
    kinds: tuple[Swap, ...] = (centering, one_gain, frozen(trace), tanh(trace, model.norms))
    eps = torch.tensor(EPSILONS, device=ids.device)
    # One kind at a time: all of them in every place side by side need four times the memory.
    loss, together, epsilons, *alone = (
        work()
        for work in subtasks(
            (
                partial(model.loss, ids),
                partial(model.loss, ids, Each(kinds), versions=len(KINDS)),
                partial(model.loss, ids, Epsilons(eps), versions=len(eps)),
                *(partial(model.losses, ids, kind, 1) for kind in kinds),
            )
        )
    )
    return Swaps(
        rounded_tuples(loss),
        rounded_tuples(together),
        rounded_tuples(torch.cat(alone, -1)),
        rounded_tuples(epsilons),
    )


def epsilons_alone(model: Model, ids: Int[Tensor, " T"]) -> tuple[tuple[float | None, ...], ...]:
    """Return the loss for each of `EPSILONS` in one place only, by the model's places.

    Args:
        model: the model whose norms get other epsilons.
        ids: the numbers of a text's tokens.
    """
    eps = torch.tensor(EPSILONS, device=ids.device)
    parts = [model.losses(ids, Epsilons(part), len(part)) for part in eps.split(LAYERWISE)]
    losses: tuple[tuple[float | None, ...], ...] = rounded_tuples(torch.cat(parts, -1))
    return losses
