"""The numbers that the text of /cost says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.cost.block import NORMS
from lnviz.topics.cost.roofline import DEVICES
from lnviz.topics.transformer.counts import OPERATIONS


def values() -> Mapping[str, float]:
    """Say what norms compute, and what the processor of the stored measurement can."""
    processor = DEVICES["stored-cpu"]
    return {
        "layer": OPERATIONS["layer"],
        "rms": OPERATIONS["rms"],
        "both": NORMS * OPERATIONS["layer"],
        "ridge": processor.plain / processor.bandwidth,
    }
