"""Values of the placeholders in the text of the lesson /geometry."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from lnviz.lessons.geometry.model import CASES, INPUTS, SHOWN, UNITS
from lnviz.topics.geometry import FAMILIES
from lnviz.topics.geometry.downhill import LENGTHS, Recipe
from lnviz.topics.geometry.landscape import RATES


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in the text of /geometry: divergences, model sizes and settings."""
    recipe = Recipe()
    lowest, middle, highest = RATES
    return {
        "bits": 1 / math.log(2),
        "small": _divergence(0.60, 0.61),
        "large": _divergence(0.60, 0.90),
        "cases": CASES,
        "inputs": INPUTS,
        "units": UNITS,
        "norms": len(SHOWN) - 1,
        "depth": recipe.depth,
        "width": recipe.width,
        "batch": recipe.batch,
        "farthest": max(LENGTHS),
        "lowest": lowest,
        "middle": middle,
        "highest": highest,
    }


def _divergence(before: float, after: float) -> float:
    """Return the Kullback-Leibler divergence between two Bernoulli distributions, in nats."""
    z = torch.tensor([[before], [after]], dtype=torch.float64).logit()
    return FAMILIES["logistic"].divergence(*z).item()
