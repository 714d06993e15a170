"""Numbers quoted in the text of /placement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lnviz.lessons.placement.blocks import SHOWN
from lnviz.lessons.placement.first_steps import gradients, last_over_first
from lnviz.lessons.placement.warmup import RATE, failing_seeds
from lnviz.topics.transformer.first_steps import COMPARED, FIRST, FIRST_STEPS, NETWORKS
from lnviz.topics.transformer.placements import DEEPNORM, POST
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.setups import SETUPS
from lnviz.topics.transformer.warmup import WARM_UPS, WARMUP, find_failed

THEORY_LAYERS = 48


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in /placement: settings, gradients, and failed training runs."""
    s = WARMUP.result.specification
    return {
        "placements": len(SHOWN),
        "setups": len(SETUPS),
        "rates": len(s.rates),
        "rate": RATE,
        "below": s.rates[s.rates.index(RATE) - 1],
        "highest": s.rates[-1],
        "seeds": len(s.seeds),
        "warm-up": s.warm_up,
        "steps": s.steps,
        "failing": _failing("without", RATE),
        "failing-warmed": _failing("with", RATE),
        "failing-highest": _failing("with", s.rates[-1]),
        "runs": len(WARM_UPS) * len(s.rates) * len(s.seeds),
        "failing-deepnorm": failing_seeds(DEEPNORM.key),
        "profile-seeds": len(PROFILES.result.specification.seeds),
        **_early(),
        **_theory(),
    }


def _failing(warm_up: str, rate: float) -> int:
    """Return the number of seeds on which training a Post-LN model fails at a learning rate."""
    result = WARMUP.result
    at = (result.index("placement", POST.key), result.index("warm_up", warm_up))
    return int(find_failed(result)[at][result.index("rate", rate)].sum())


def _early() -> Mapping[str, float]:
    """Return gradient ratios, last to first layer, before training and in the first steps."""
    s = FIRST_STEPS.result.specification
    constant, warmed = last_over_first(POST.key)  # all_steps,seeds
    return {
        "early-steps": FIRST,
        "early-times": float(constant[FIRST].quantile(0.5)),
        **dict(_first_and_last()),
        "early-later": float(warmed.max()),
        "deep-layers": s.layers,
        "table-layers": s.table_layers,
        **dict(_account()),
    }


def _first_and_last() -> Iterator[tuple[str, float]]:
    """Yield Post-LN's median gradients of the first and the last layer, before and after."""
    medians = gradients(POST.key)[0].quantile(0.5, -1)  # all_steps,layers
    for name, layer in (("first", 0), ("last", -1)):
        for at, step in enumerate((0, FIRST)):
            yield f"early-{name}-{at}", float(medians[step, layer])


def _account() -> Iterator[tuple[str, float]]:
    """Yield median gradient ratios, last to first layer: at first, and without or with warm-up."""
    for network in NETWORKS:
        for key in COMPARED:
            for quantity in ("weights", "stream"):
                ratio = last_over_first(key, network=network, quantity=quantity).quantile(0.5, -1)
                for column, at in enumerate(((0, 0), (0, FIRST), (1, FIRST))):
                    yield f"{network}-{key}-{quantity}-{column}", float(ratio[at])


def _theory() -> Mapping[str, float]:
    """Return the gradient ratio, last to first layer, in untrained networks of the theory setup."""
    weights = PROFILES.result.tensor(
        "gradient",
        "layer",
        setup="theory",
        placement=POST.key,
        depth=THEORY_LAYERS,
        quartile=0.5,
    )
    return {
        "theory-layers": THEORY_LAYERS,
        "theory-post-weights": float(weights[THEORY_LAYERS - 1] / weights[0]),
    }
