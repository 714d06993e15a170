"""Computations for the lesson on batches: norms whose statistics cover several examples."""

from lnviz.topics.batch.running import running_statistics
from lnviz.topics.batch.statistics import MeanAndVariance, masked_statistics
from lnviz.topics.batch.walk import NormalizationSteps, walk
from lnviz.topics.batch.workers import combine_statistics, local_statistics

__all__ = [
    "MeanAndVariance",
    "NormalizationSteps",
    "combine_statistics",
    "local_statistics",
    "masked_statistics",
    "running_statistics",
    "walk",
]
