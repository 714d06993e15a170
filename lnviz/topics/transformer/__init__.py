"""Transformers: where norms stand in them, and what follows from it before and in training.

`lnviz results make warmup` trains the language models that the lesson compares.
"""

from lnviz.topics.transformer.block import (
    AttentionSteps,
    FeedForwardSteps,
    NormLayer,
    ResidualSteps,
    Shape,
    Transformer,
)
from lnviz.topics.transformer.placements import (
    DEEPNORM,
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
    "OLMO2",
    "PERI",
    "PLACEMENTS",
    "POST",
    "PRE",
    "SANDWICH",
    "SCALED",
    "AttentionSteps",
    "FeedForwardSteps",
    "NormLayer",
    "Placement",
    "ResidualSteps",
    "Shape",
    "Transformer",
]
