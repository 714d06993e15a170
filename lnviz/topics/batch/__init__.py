"""The batch: what norms that look across cases take from it."""

from lnviz.topics.batch.running import running_statistics
from lnviz.topics.batch.sampling import estimates
from lnviz.topics.batch.statistics import Statistics, masked_statistics
from lnviz.topics.batch.walk import Walk, walk
from lnviz.topics.batch.workers import local_statistics, own_statistics, split, synchronized

__all__ = [
    "Statistics",
    "Walk",
    "estimates",
    "local_statistics",
    "masked_statistics",
    "own_statistics",
    "running_statistics",
    "split",
    "synchronized",
    "walk",
]
