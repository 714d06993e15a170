"""Numbers quoted in the text of /placement."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.placement.blocks import SHOWN
from lnviz.lessons.placement.warmup import RATE, failing_seeds
from lnviz.topics.transformer.placements import DEEPNORM, OLMO2, POST
from lnviz.topics.transformer.setups import SETUPS
from lnviz.topics.transformer.warmup import WARM_UPS, WARMUP, find_failed


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in /placement: settings, and how many trainings failed."""
    s = WARMUP.result.specification
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
        "failing": _failing("without", RATE),
        "failing-warmed": _failing("with", RATE),
        "failing-highest": _failing("with", s.rates[-1]),
        "runs": len(WARM_UPS) * len(s.rates) * len(s.seeds),
        "failing-deepnorm": failing_seeds(DEEPNORM.key),
        "failing-olmo2": failing_seeds(OLMO2.key),
    }


def _failing(warm_up: str, rate: float) -> int:
    """Return on how many seeds training a Post-LN model fails at a learning rate."""
    result = WARMUP.result
    at = (result.index("placement", POST.key), result.index("warm_up", warm_up))
    return int(find_failed(result)[at][result.index("rate", rate)].sum())
