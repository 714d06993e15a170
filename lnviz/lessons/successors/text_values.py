"""Numbers quoted in the text of /successors."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.successors.train import CLOUD


def text_values() -> Mapping[str, float]:
    """Return the fractions of variance left unexplained by fitted curves, as quoted in the text."""
    # In percent, the mean over the seeds, before and after training.
    line, tanh = (
        100 * CLOUD.result.tensor(name, "training", "seed", "norm").mean(1)
        for name in ("straight", "bent")
    )
    spread = CLOUD.result.tensor("spread", "norm", "seed", training="after").mean(1)
    return {
        "line-least": line.min().item(),
        "line-most": line.max().item(),
        "ahead": (line - tanh).max().item(),
        "spread": spread[-1].item(),
    }
