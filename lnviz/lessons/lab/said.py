"""The numbers that the text says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lnviz.database import uploads
from lnviz.lessons.lab.runs import NORMS, SEEDS, SIZES
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.comparison import stored
from lnviz.topics.lab.digits import PIXELS, UNITS
from lnviz.training import supervisor


def values() -> Mapping[str, float]:
    """How the stored runs were made, and what becomes of a visitor's."""
    found, default = stored(), EXPERIMENTS["digits"].default
    return {
        "norms": len(set(NORMS) - {"none", "dyt"}),
        "sizes": len(SIZES),
        "seeds": SEEDS,
        "every": found.specification.every,
        "train": found.train,
        "validation": found.validation,
        "pixels": PIXELS,
        "side": math.isqrt(PIXELS),
        "units": UNITS,
        "kept": supervisor.KEPT.days,
        "file-kept": uploads.KEPT.days,
        "run-seeds": len(default.seeds),
        "run-norms": len(default.norms),
        "run-largest": default.batch_sizes[0],
        "run-smallest": default.batch_sizes[-1],
    }
