"""The papers' claims about the invariances of norms, for comparison with measurements."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lnviz.topics.invariance.transformations import TRANSFORMATIONS


def _row(*invariant: bool) -> Mapping[str, bool]:
    return MappingProxyType(dict(zip(TRANSFORMATIONS, invariant, strict=True)))


TABLE_1: Mapping[str, Mapping[str, bool]] = MappingProxyType(
    {
        #             matrix: scale, center, one vector; data set: scale, center, one case
        "batch": _row(True, False, True, True, True, False),
        "weight": _row(True, False, True, False, False, False),
        "layer": _row(True, True, False, True, False, True),
        "rms": _row(True, False, False, True, False, True),
    }
)
"""Whether the output is invariant, by norm and transformation. `SOURCES` has the source of each
row.
"""

SOURCES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("batch", "weight", "layer"), "Ba, Kiros and Hinton 2016, table 1"),
        "rms": "Zhang and Sennrich 2019, authors' README (github.com/bzhangGo/rmsnorm)",
    }
)
