"""MiniLM: a BERT encoder with LayerNorm (Post-LN), learned position embeddings and six blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.norms import LAYER
from lnviz.pretrained.weights import Weights
from lnviz.topics.transformer import POST, Shape, Transformer

SHAPE = Shape(width=384, layers=6, heads=12, inner=1536, activation="gelu", eps=1e-12)
BERT = replace(POST, key="bert", label="Post-LN, with a norm on the embedding", embedding=True)
"""BERT's variant of Post-LN. Source: Devlin et al. 2019 (arXiv 1810.04805)."""

TENSOR_NAMES = {
    "attention.sublayer.query": "attention.self.query",
    "attention.sublayer.key": "attention.self.key",
    "attention.sublayer.value": "attention.self.value",
    "attention.sublayer.out": "attention.output.dense",
    "attention.after": "attention.output.LayerNorm",
    "feed_forward.sublayer.first": "intermediate.dense",
    "feed_forward.sublayer.second": "output.dense",
    "feed_forward.after": "output.LayerNorm",
}
"""Names of a block's tensors: in this code, and in the file."""


class MiniLM(nn.Module):
    """The MiniLM encoder: maps the tokens of a sentence to one embedding vector of length 1."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        token_embedding, position_embedding, kinds = (
            weights.tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        self.words = nn.Parameter(token_embedding, requires_grad=False)
        # A single sentence: all its tokens are of the first kind.
        self.places = nn.Parameter(position_embedding + kinds[0], requires_grad=False)
        with torch.device("meta"):  # these parameters are replaced at once
            self.transformer = Transformer(SHAPE, BERT, LAYER)
        self.transformer.load_state_dict(dict(_state_dict(weights)), assign=True)
        self.requires_grad_(False)

    def embed(self, ids: Int[Tensor, "*N T"]) -> Float[Tensor, "*N T D"]:
        """Return the sum of token and position embeddings, the input of the embedding norm."""
        return self.words[ids] + self.places[: ids.shape[-1]]

    def head(self, y: Float[Tensor, "*N T D"]) -> Float[Tensor, "*N D"]:
        """Return the sentence embedding: the mean of the output vectors, scaled to length 1."""
        return F.normalize(y.mean(-2), dim=-1)


def _state_dict(weights: Weights) -> Iterator[tuple[str, Tensor]]:
    """Yield the weight file's Transformer tensors under this code's parameter names."""
    for part in ("weight", "bias"):
        yield f"embedding_norm.{part}", weights.tensors[f"embeddings.LayerNorm.{part}"]
        for layer in range(SHAPE.layers):
            for ours, theirs in TENSOR_NAMES.items():
                name = f"encoder.layer.{layer}.{theirs}.{part}"
                yield f"blocks.{layer}.{ours}.{part}", weights.tensors[name]
