"""Numbers quoted in the text of the page /record."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.transformer.setups import SETUPS


def values() -> Mapping[str, float]:
    """Return the number of measured setups, which the text of the page /record quotes."""
    return {"setups": len(SETUPS)}
