"""Images: norms over (N, C, H, W), applied to the activations of a convolution."""

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
