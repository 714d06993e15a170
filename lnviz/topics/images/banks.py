"""Sets of convolution filters for readers to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from lnviz.topics.images.filters import Bank, gabor, random, unit_bank
from lnviz.topics.images.training import GROUPS


def trained() -> Bank:
    """Return the first-layer filters of a network trained on digits with BatchNorm.

    The filters are scaled to Euclidean norm 1. Up to epsilon, this does not change BatchNorm's
    output.

    >>> trained().weight.shape
    torch.Size([16, 1, 3, 3])
    """
    return unit_bank(GROUPS.result.tensor("filters", "filter", "row", "column"))


BANKS: Mapping[str, Callable[[], Bank]] = MappingProxyType(
    {"random": random, "gabor": gabor, "trained": trained}
)
"""Functions that make the filters of each kind, by key."""
