"""Computations for the lesson on images: norms applied to a convolution's activations."""

from lnviz.topics.images.banks import BANKS
from lnviz.topics.images.filters import Bank, responses
from lnviz.topics.images.sharing import KINDS, Sharing, group_sharing

__all__ = [
    "BANKS",
    "KINDS",
    "Bank",
    "Sharing",
    "group_sharing",
    "responses",
]
