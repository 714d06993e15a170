"""Values of the placeholders in the text of the lesson /batch."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.batch.running import BATCHES, MOMENTUM
from lnviz.topics.batch.regularizer import REGULARIZER


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in the text of /batch: settings of its figures and networks."""
    s = REGULARIZER.result.specification
    return {
        "batches": BATCHES,
        "left": 100 * (1 - MOMENTUM.start) ** BATCHES,
        "digits": s.images,
        "smallest": s.sizes[0],
        "second": s.sizes[1],
        "largest": s.sizes[-1],
    }
