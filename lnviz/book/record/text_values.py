"""The numbers that the text of the record says of our own figures."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.transformer.setups import SETUPS


def values() -> Mapping[str, float]:
    """Say how many setups were measured."""
    return {"setups": len(SETUPS)}
