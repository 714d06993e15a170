"""Values of the placeholders in the text of the page /record."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.transformer.setups import SETUPS


def values() -> Mapping[str, float]:
    """Return the values of the text's placeholders, such as the number of measured setups."""
    return {"setups": len(SETUPS)}
