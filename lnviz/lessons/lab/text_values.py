"""Numbers quoted in the text of /lab."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lnviz.database.retention import JOB_RETENTION, UPLOAD_RETENTION
from lnviz.lessons.lab.curves import FEW, MANY
from lnviz.lessons.lab.stored_runs import RUNS, image_counts
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.digits import PIXELS, UNITS
from lnviz.topics.transformer.warmup import WARMUP


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in the text of /lab, such as settings and errors of stored runs."""
    count, default = image_counts(), EXPERIMENTS["digits"].default
    table = WARMUP.default
    return {
        **_ranges(),
        "norms": len(set(RUNS.norms) - {"none", "dyt"}),
        "sizes": len(RUNS.sizes),
        "seeds": RUNS.seeds,
        "every": RUNS.specification.every,
        "train": count.train,
        "pixels": PIXELS,
        "side": math.isqrt(PIXELS),
        "units": UNITS,
        "table-layers": table.layers,
        "table-batch": table.batch,
        "table-seeds": len(table.seeds),
        "table-steps": table.steps,
        "table-warm-up": table.warm_up,
        "kept": JOB_RETENTION.days,
        "file-kept": UPLOAD_RETENTION.days,
        "run-seeds": len(default.seeds),
        "run-norms": len(default.norms),
        "run-largest": default.batch_sizes[0],
        "run-smallest": default.batch_sizes[-1],
    }


def _ranges() -> Mapping[str, float]:
    """Return at how many measurements BatchNorm's and LayerNorm's error ranges overlap.

    Ranges that share an endpoint overlap, too, as in the first figure.
    """
    sizes = [RUNS.sizes.index(size) for size in (FEW, MANY)]
    batch, layer = (RUNS.errors[RUNS.norms.index(norm)][sizes, 0] for norm in ("batch", "layer"))
    overlap = (batch.amin(1) <= layer.amax(1)) & (layer.amin(1) <= batch.amax(1))  # sizes,points
    return {"together": int(overlap.sum()), "compared": overlap.numel()}
