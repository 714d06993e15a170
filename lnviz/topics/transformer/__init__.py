"""Transformers: the placement of their norms, and its effects before and during training.

`lnviz results make warmup` trains the language models that the lesson compares.
"""

from lnviz.topics.transformer.block import (
    AttentionSteps,
    BlockSteps,
    FeedForwardSteps,
    NormLayer,
    ResidualSteps,
    Shape,
    Transformer,
    TransformerBlock,
    TransformerSteps,
)
from lnviz.topics.transformer.placements import (
    DEEPNORM,
    KEEL,
    OLMO2,
    PERI,
    PLACEMENTS,
    POST,
    PRE,
    SANDWICH,
    SCALED,
    Placement,
)

__all__ = [
    "DEEPNORM",
    "KEEL",
    "OLMO2",
    "PERI",
    "PLACEMENTS",
    "POST",
    "PRE",
    "SANDWICH",
    "SCALED",
    "AttentionSteps",
    "BlockSteps",
    "FeedForwardSteps",
    "NormLayer",
    "Placement",
    "ResidualSteps",
    "Shape",
    "Transformer",
    "TransformerBlock",
    "TransformerSteps",
]
