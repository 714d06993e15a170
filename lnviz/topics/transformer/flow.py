"""Mean, variance and vector length of every tensor in an untrained language model's blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.python_topics import python_topics
from lnviz.device import device
from lnviz.norms import LAYER, NONE, Norm
from lnviz.seeding import isolated_rng
from lnviz.topics.transformer.block import EPS, Attention, BlockSteps, Shape
from lnviz.topics.transformer.documentation import alphabet, encode
from lnviz.topics.transformer.initialization import sublayers
from lnviz.topics.transformer.language import LanguageModel, LanguageSteps
from lnviz.topics.transformer.placements import PRE, Placement

SHAPE = Shape(width=64, layers=12, heads=4, inner=256, activation="gelu", causal=True)
CHARACTERS = 64
SEED = 0


@dataclass(frozen=True, eq=False)
class TensorStatistics:
    """Mean, variance and average vector length of tensors with one vector for each position.

    Attributes:
        mean: mean over all values of a tensor.
        var: variance over all values of a tensor.
        length: Euclidean norm of a position's vector, averaged over positions (and heads).
    """

    mean: Float[Tensor, "*over"]
    var: Float[Tensor, "*over"]
    length: Float[Tensor, "*over"]


def passage() -> str:
    """Return the input text: the beginning of Python's documentation of the `for` statement."""
    return python_topics()["for"].split("\n\n", 1)[1][:CHARACTERS]


def language_model(
    placement: Placement, norm: Norm = LAYER, shape: Shape = SHAPE
) -> tuple[LanguageModel, Int[Tensor, " T"]]:
    """Return an untrained model and an input passage; all placements have the same weights.

    With DeepNorm, some of the weights are multiplied by its beta.
    """
    with isolated_rng():
        torch.manual_seed(SEED)
        model = LanguageModel(len(alphabet()), CHARACTERS, shape, placement, norm)
    return model.to(device()), encode(passage()).to(device())


@torch.no_grad()
def flow(placement: Placement, norm: Norm = LAYER, shape: Shape = SHAPE) -> TensorStatistics:
    """Compute mean, variance and vector length of the tensors in every block of a language model.

    For each block, the tensors are: the embeddings; the block's input; attention's input and
    output, the branch that is added to the residual stream, the sum, and the stream after any norm
    on it; the same five for the feed-forward layer; and the output of the last block, after the
    final norm if there is one.

    Args:
        placement: the placement of the norms.
        norm: the norm.
        shape: the shape of the model.

    >>> from lnviz.topics.transformer import POST
    >>> flow(POST).length.shape
    torch.Size([12, 13])
    """
    model, codes = language_model(placement, norm, shape)
    steps = model(codes)
    return _statistics(
        torch.stack([torch.stack(_tensors(steps, block)) for block in steps.transformer.blocks])[
            ..., None, :, :
        ]
    )


def _tensors(steps: LanguageSteps, block: BlockSteps) -> list[Tensor]:
    """Return the tensors that one block computes, in order of execution."""
    way = [steps.embedded, block.attention.x]
    for part in (block.attention, block.feed_forward):
        way += [part.normed, part.sublayer.y, part.branch, part.total, part.y]
    return [*way, steps.transformer.y]


@torch.no_grad()
def attention_flow(
    factors: Sequence[float], qk_norm: bool, norm: Norm = LAYER, shape: Shape = SHAPE
) -> TensorStatistics:
    """Compute statistics of the tensors inside every attention sublayer of a Pre-LN model.

    The tensors are: the input; queries; keys; queries and keys after QK-Norm, if there is one; the
    values; attention logits, divided by the square root of a head's width, without masked ones;
    attention weights; weighted averages of the values, with heads concatenated; and the output.

    Args:
        factors: factors of the query and key weights, applied in one block at a time.
        qk_norm: whether queries and keys are normalized per head.
        norm: the norm before sublayers, and on queries and keys.
        shape: the shape of the model.

    Returns:
        The statistics, of shape (blocks, factors, tensors).

    >>> attention_flow((1.0, 2.0), qk_norm=True).var.shape
    torch.Size([12, 2, 10])
    """
    model, codes = language_model(PRE, norm, shape)
    blocks = model(codes).transformer.blocks
    scale = torch.tensor(factors, device=codes.device)
    by_block = [
        _attention_statistics(attention, block.attention.normed, scale, norm if qk_norm else NONE)
        for (attention, _), block in zip(sublayers(model.transformer), blocks, strict=True)
    ]
    return TensorStatistics(
        *(
            torch.stack([torch.stack([getattr(one, name) for one in of], -1) for of in by_block])
            for name in ("mean", "var", "length")
        )
    )


def _attention_statistics(
    attention: Attention, x: Float[Tensor, "T D"], scale: Float[Tensor, " F"], norm: Norm
) -> list[TensorStatistics]:
    """Compute statistics of all tensors in an attention sublayer, by scale of queries and keys."""
    heads, factor = attention.shape.heads, scale[:, None, None, None]
    q, k, v = (
        linear(x).unflatten(-1, (heads, -1)).transpose(-2, -3)  # H,T,C
        for linear in (attention.query, attention.key, attention.value)
    )
    q, k = factor * q, factor * k  # F,H,T,C
    query, key = (norm.apply(each, "NTD", eps=EPS).y for each in (q, k))
    scores = query @ key.mT / math.sqrt(v.shape[-1])  # F,H,T,S
    later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
    weights = scores.masked_fill(later, -math.inf).softmax(-1)
    mixed = (weights @ v).transpose(-2, -3).flatten(-2)[:, None]  # F,1,T,D
    shown = (each.masked_fill(later, math.nan) for each in (scores, weights))
    tensors = (x[None], q, k, query, key, v, *shown, mixed, attention.out(mixed))
    return [_statistics(each.expand(len(scale), *each.shape[-3:])) for each in tensors]


def _statistics(x: Float[Tensor, "*over H T C"]) -> TensorStatistics:
    """Compute mean, variance and vector length of tensors with one or more heads, ignoring NaN."""
    numbers = x.flatten(-3)
    mean = numbers.nanmean(-1)
    return TensorStatistics(
        mean=mean,
        var=(numbers - mean[..., None]).square().nanmean(-1),
        length=x.square().nansum(-1).sqrt().mean((-1, -2)),
    )
