"""The logit lens: next-token predictions computed from a language model's intermediate layers.

Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.pretrained.model import PretrainedModel, Trace


@dataclass(frozen=True, eq=False)
class TopTokens:
    """The most likely next tokens, decoded from the embedding and from each block's output.

    Attributes:
        ids: ids of the K most likely tokens.
        probabilities: the probabilities of these tokens.
    """

    ids: Int[Tensor, "layers T K"]
    probabilities: Float[Tensor, "layers T K"]


def residual_streams(trace: Trace) -> Float[Tensor, "layers T D"]:
    """Return the residual stream before every block and after the last block.

    Args:
        trace: the trace of a Pre-LN model, in which the residual stream is the input of norms.
    """
    read = [name for name in trace.norms if name.endswith(".attention")] + ["final"]
    return torch.stack([trace.norms[name].x for name in read])


@torch.inference_mode()
def logit_lens(model: PretrainedModel, trace: Trace, count: int, *, normed: bool) -> TopTokens:
    """Decode every layer's residual stream to the most likely next tokens.

    Args:
        model: a language model.
        trace: the trace of a text.
        count: K.
        normed: whether to apply the final norm first, as the model does after its last layer.
    """
    read = residual_streams(trace)  # layers,T,D
    if normed:
        read = model.transformer.final_norm(read)
    # One layer at a time: the vocabulary has 49,152 logits per token.
    likeliest = [model.network.head(stream).softmax(-1).topk(count, dim=-1) for stream in read]
    return TopTokens(
        torch.stack([f.indices for f in likeliest]), torch.stack([f.values for f in likeliest])
    )
