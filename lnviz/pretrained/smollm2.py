"""SmolLM2: a Llama with RMSNorm (Pre-LN), rotary positions, grouped-query attention, gated MLP."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.norms import RMS, Norm
from lnviz.pretrained.weights import Weights
from lnviz.topics.transformer import (
    PRE,
    AttentionSteps,
    FeedForwardSteps,
    Shape,
    Transformer,
)

SHAPE = Shape(width=576, layers=30, heads=9, inner=1536, causal=True, bias=False, eps=1e-5)
QUERIES_PER_KEY = 3
"""Number of query heads per key and value head."""
VOCABULARY = 49_152
"""Size of the vocabulary."""
ROTARY_BASE = 100_000.0
"""Base of the wavelengths of the rotary position embedding."""

TENSOR_NAMES = {
    "attention.before.weight": "attn_norm.weight",
    "attention.sublayer.query.weight": "attn_q.weight",
    "attention.sublayer.key.weight": "attn_k.weight",
    "attention.sublayer.value.weight": "attn_v.weight",
    "attention.sublayer.out.weight": "attn_output.weight",
    "feed_forward.before.weight": "ffn_norm.weight",
    "feed_forward.sublayer.gate.weight": "ffn_gate.weight",
    "feed_forward.sublayer.up.weight": "ffn_up.weight",
    "feed_forward.sublayer.down.weight": "ffn_down.weight",
}
"""Names of a block's tensors: in this code, and in the file."""


def apply_rotary_embedding(x: Float[Tensor, "*N H T C"]) -> Float[Tensor, "*N H T C"]:
    r"""Rotate queries or keys by their positions (rotary position embedding).

    $$(x_{2i} + j\, x_{2i+1})\, e^{j t \theta_i}, \qquad \theta_i = b^{-2i/C}$$

    Args:
        x: one vector per head and position t.

    Source: Su et al. 2021 (arXiv 2104.09864), section 3.
    """
    steps = torch.arange(x.shape[-2], dtype=torch.float32, device=x.device)
    rates = ROTARY_BASE ** -(torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])
    angles = steps[:, None] * rates  # T,C/2
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


class GroupedAttention(nn.Module):
    r"""Grouped-query attention: several query heads share one key and value head.

    $$y = W_O\, \mathrm{softmax}(R_t q\, (R_s k)^\top / \sqrt{C})\, v$$

    R rotates a vector by its position.

    Source: Ainslie et al. 2023 (arXiv 2305.13245).
    """

    def __init__(self, shape: Shape, norm: Norm) -> None:
        super().__init__()
        self.head_width = shape.width // shape.heads
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key, self.value = (
            nn.Linear(shape.width, shape.width // QUERIES_PER_KEY, bias=False) for _ in range(2)
        )
        self.out = nn.Linear(shape.width, shape.width, bias=False)

    def forward(self, x: Float[Tensor, "*N T D"]) -> AttentionSteps:
        """Apply grouped-query attention, and return all intermediates."""
        q, k, v = (
            linear(x).unflatten(-1, (-1, self.head_width)).transpose(-2, -3)  # *N,heads,T,C
            for linear in (self.query, self.key, self.value)
        )
        q, k = (
            apply_rotary_embedding(q),
            apply_rotary_embedding(k).repeat_interleave(QUERIES_PER_KEY, -3),
        )
        v = v.repeat_interleave(QUERIES_PER_KEY, -3)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_width)  # *N,H,T,S
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        mixed = (weights @ v).transpose(-2, -3).flatten(-2)  # *N,T,D
        return AttentionSteps(q, k, v, weights, mixed, self.out(mixed))


class GatedFeedForward(nn.Module):
    r"""Feed-forward layer with a gate for each hidden unit (SwiGLU).

    $$y = W_\text{down}\,(\mathrm{silu}(W_\text{gate}\, x) \odot W_\text{up}\, x)$$

    Source: Shazeer 2020 (arXiv 2002.05202).
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(shape.width, shape.inner, bias=False) for _ in range(2))
        self.down = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Float[Tensor, "*N T D"]) -> FeedForwardSteps:
        """Apply the gated feed-forward layer, and return all intermediates."""
        a = self.gate(x)  # *N,T,inner
        h = F.silu(a) * self.up(x)  # *N,T,inner
        return FeedForwardSteps(a, h, self.down(h))


class SmolLM2(nn.Module):
    """The SmolLM2 language model: maps tokens to logits of the next token."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.embedding = nn.Parameter(weights.tensors["token_embd.weight"], requires_grad=False)
        with torch.device("meta"):  # these parameters are replaced at once
            self.transformer = Transformer(SHAPE, PRE, RMS, GroupedAttention, GatedFeedForward)
        self.transformer.load_state_dict(dict(_state_dict(weights)), assign=True)
        self.requires_grad_(False)

    def embed(self, ids: Int[Tensor, "*N T"]) -> Float[Tensor, "*N T D"]:
        """Return the token embeddings, the input of the first block."""
        return self.embedding[ids]

    def head(self, y: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N T vocabulary"]:
        """Return next-token logits: the output vectors times the transposed embedding matrix."""
        return y @ self.embedding.T


def _state_dict(weights: Weights) -> Iterator[tuple[str, Tensor]]:
    """Yield the weight file's Transformer tensors under this code's parameter names."""
    for layer in range(SHAPE.layers):
        for ours, theirs in TENSOR_NAMES.items():
            yield f"blocks.{layer}.{ours}", weights.tensors[f"blk.{layer}.{theirs}"]
    yield "final_norm.weight", weights.tensors["output_norm.weight"]
