"""The batch: what norms that look across cases take from it."""

from lnviz.topics.batch.running import running_statistics
from lnviz.topics.batch.statistics import Statistics, masked_statistics
from lnviz.topics.batch.walk import Walk, walk
from lnviz.topics.batch.workers import own_statistics, synchronized

__all__ = [
    "Statistics",
    "Walk",
    "masked_statistics",
    "own_statistics",
    "running_statistics",
    "synchronized",
    "walk",
]
