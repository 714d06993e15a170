"""The numbers that the text of /successors says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.successors.curves import SIZE
from lnviz.topics.successors.train import CLOUD


def values() -> Mapping[str, float]:
    """Say how far the slider goes, and what curves through a network's norms leave unexplained."""
    # In percent, the mean over the seeds, before and after training.
    line, tanh = (
        100 * CLOUD.result.tensor(name, "training", "seed", "norm").mean(1)
        for name in ("straight", "bent")
    )
    spread = CLOUD.result.tensor("spread", "norm", "seed", training="after").mean(1)
    return {
        "largest": SIZE.values[-1],
        "divisor": 1 / SIZE.values[0],
        "line-least": line.min().item(),
        "line-most": line.max().item(),
        "ahead": (line - tanh).max().item(),
        "spread": spread[-1].item(),
    }
