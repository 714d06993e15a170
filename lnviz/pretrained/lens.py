"""The logit lens: what a language model would say if it stopped after a layer.

Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.pretrained.model import Model, Trace


@dataclass(frozen=True, eq=False)
class Lens:
    """Guesses of the next token, layer by layer: L + 1 streams, the first is the embedding.

    Attributes:
        ids: the numbers of the K likeliest tokens.
        chances: their probabilities.
    """

    ids: Int[Tensor, "layers T K"]
    chances: Float[Tensor, "layers T K"]


def streams(trace: Trace) -> Float[Tensor, "layers T D"]:
    """Return the residual stream in front of each block and behind the last.

    Args:
        trace: the trace of a Pre-LN model, in which norms read the stream itself.
    """
    read = [name for name in trace.norms if name.endswith(".attention")] + ["final"]
    return torch.stack([trace.norms[name].x for name in read])


@torch.inference_mode()
def lens(model: Model, trace: Trace, count: int, *, normed: bool) -> Lens:
    """Read the next token off every layer's stream.

    Args:
        model: a language model.
        trace: the trace of a text.
        count: K.
        normed: whether the final norm comes before the reading, as it does behind the last layer.
    """
    read = streams(trace)  # layers,T,D
    if normed:
        read = model.transformer.final_norm(read)
    # One layer's scores at a time: those of the whole vocabulary are 49,152 for each token.
    likeliest = [model.network.read(stream).softmax(-1).topk(count, dim=-1) for stream in read]
    return Lens(
        torch.stack([f.indices for f in likeliest]), torch.stack([f.values for f in likeliest])
    )
