"""Values of the placeholders in the text of the lesson /images."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.images.border import SIDE
from lnviz.topics.images.filters import FILTERS
from lnviz.topics.images.training import GROUPS


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in the text of /images: sizes of a convolution and of batches."""
    batches = GROUPS.result.specification.batches
    return {
        "filters": FILTERS,
        "side": SIDE,
        "units": FILTERS * SIDE**2,
        "smallest": batches[0],
        "largest": batches[-1],
        "draws": GROUPS.result.specification.images,
        "more-steps": batches[-1] // batches[0],
    }
