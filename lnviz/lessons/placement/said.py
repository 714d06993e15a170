"""The numbers that the text says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.placement.blocks import SHOWN
from lnviz.lessons.placement.warmup import RATE
from lnviz.topics.transformer.comparison import Outcome, stored
from lnviz.topics.transformer.experiment import SETUPS
from lnviz.topics.transformer.placements import POST


def values() -> Mapping[str, float]:
    """How many things are drawn, how models were trained, and how many of them failed."""
    found, s = stored(), stored().specification
    return {
        "placements": len(SHOWN),
        "setups": len(SETUPS),
        "rates": len(s.rates),
        "rate": RATE,
        "highest": s.rates[-1],
        "seeds": len(s.seeds),
        "warm-up": s.warm_up,
        "steps": s.steps,
        "rest": s.steps - s.warm_up,
        "failing": _failing(found.without[POST.key], RATE),
        "failing-warmed": _failing(found.warmed[POST.key], RATE),
        "failing-highest": _failing(found.warmed[POST.key], s.rates[-1]),
    }


def _failing(outcome: Outcome, rate: float) -> int:
    """How many of the seeds fail at a learning rate."""
    return sum(stored().failed(outcome)[stored().specification.rates.index(rate)])
