"""Values for the placeholders in the text of the record."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.transformer.setups import SETUPS


def values() -> Mapping[str, float]:
    """Return the number of measured setups."""
    return {"setups": len(SETUPS)}
