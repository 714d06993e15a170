"""Conversion of a Pre-LN Transformer to an equivalent Pre-RMSNorm Transformer."""

from __future__ import annotations

from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.norms import LAYER, RMS
from lnviz.topics.transformer.block import NormLayer, Shape, TransformerBlock
from lnviz.topics.transformer.initialization import sublayers
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.placements import PRE


def without_centering(model: LanguageModel) -> LanguageModel:
    r"""Convert a Pre-LN network to a Pre-RMSNorm network with the same logits.

    Everything that reads the residual stream centers it first (LayerNorm), so the stream's mean has
    no effect and can be removed where it is written. With the centering matrix
    $C = I - \frac1D \mathbf{1} \mathbf{1}^\top$,

    $$\mathrm{LN}(x) = \gamma \odot \mathrm{RMSNorm}(C x) + \beta, \quad
    C (x + W h + b) = C x + (C W) h + C b.$$

    So the embeddings and the last linear layer of every sublayer are multiplied by C.
    RMSNorm has no biases $\beta$, so these are moved into the linear layers after the norm.

    Args:
        model: a model with LayerNorm, placed before each sublayer.

    Returns:
        Another model, with RMSNorm. In exact arithmetic, its logits are the same, and its residual
        stream is the centered stream of `model`.

    Raises:
        ValueError: the model has another norm or placement, or linear layers without biases.

    Source: Jiang, Gu, Zhu and Pan 2023 (arXiv 2305.14858), section 3.

    >>> shape = Shape(8, layers=2, heads=2, inner=16, causal=True)
    >>> model = LanguageModel(5, 4, shape)
    >>> codes = torch.tensor([3, 1, 4, 1])
    >>> rewritten = without_centering(model)(codes).logits
    >>> (rewritten - model(codes).logits).abs().max() < 1e-5
    tensor(True)
    """
    new = with_rms(model)
    with torch.no_grad():
        for embedding in (new.embedding, new.places):
            embedding.weight.sub_(embedding.weight.mean(-1, keepdim=True))
        for attention, feed_forward in sublayers(new.transformer):
            for linear in (attention.out, feed_forward.second):
                linear.weight.sub_(linear.weight.mean(0))
                linear.bias.sub_(linear.bias.mean())
    return new


def with_rms(model: LanguageModel) -> LanguageModel:
    r"""Replace every LayerNorm by RMSNorm without other changes, which changes the logits.

    Gains stay. RMSNorm has no biases $\beta$, so these are moved into the linear layers after the
    norm, where they have the same effect. The only change is that the mean is not subtracted.

    Args:
        model: a model with LayerNorm, placed before each sublayer.

    Returns:
        Another model, with RMSNorm; its logits differ, unless all means are 0.

    Raises:
        ValueError: as `without_centering`.

    >>> with_rms(LanguageModel(5, 4, Shape(8, 2, 2, 16))).transformer.norm.label
    'RMSNorm'
    """
    old = model.transformer
    shape: Shape = old.shape
    if old.norm is not LAYER or old.placement is not PRE or not shape.bias or shape.qk_norm:
        raise ValueError(
            f"Centering is taken out of Pre-LN networks with LayerNorm and biases, without norms "
            f"on queries and keys; got {old.placement.label} with {old.norm.label}, "
            f"bias={shape.bias}, qk_norm={shape.qk_norm}."
        )
    vocabulary, context = model.embedding.num_embeddings, model.places.num_embeddings
    # On the same device, in numbers of the same kind.
    new = LanguageModel(vocabulary, context, shape, PRE, RMS).to(model.readout.weight)
    # RMSNorm has no bias: LayerNorm's are read from `model` below, and left out here.
    new.load_state_dict({k: v for k, v in model.state_dict().items() if k in new.state_dict()})
    with torch.no_grad():
        for block, (attention, feed_forward) in zip(
            old.blocks, sublayers(new.transformer), strict=True
        ):
            block = cast(TransformerBlock, block)
            for linear in (attention.query, attention.key, attention.value):
                _take_bias(linear, block.attention.before)
            _take_bias(feed_forward.first, block.feed_forward.before)
        _take_bias(new.readout, old.final_norm)
    return new


def _take_bias(linear: nn.Linear, norm: nn.Module) -> None:
    bias = cast(NormLayer, norm).bias
    if bias is not None:
        linear.bias.add_(linear.weight @ bias)


def offset(stream: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N T"]:
    r"""Return the ratio of mean to RMS of each vector: $\lvert \mu \rvert / \mathrm{RMS}$.

    It lies between 0 and 1. If it is 0, LayerNorm and RMSNorm are equal.

    Args:
        stream: the residual stream, or any other values.

    >>> offset(torch.tensor([[1.0, -1.0], [2.0, 2.0]]))
    tensor([0., 1.])
    """
    return stream.mean(-1).abs() / stream.square().mean(-1).sqrt()
