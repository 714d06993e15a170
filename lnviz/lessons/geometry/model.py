"""The small model that the figures move, and the norms it is drawn under."""

from lnviz.geometry import FAMILIES, Glm, random_glm
from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT

SHOWN = (NONE, BATCH, WEIGHT, LAYER, RMS)
CASES, INPUTS, UNITS = 24, 5, 3


def model(family: str, seed: int = 0) -> Glm:
    """Random data and weights, as the figures' programs draw them, too."""
    return random_glm(FAMILIES[family], cases=CASES, inputs=INPUTS, units=UNITS, seed=seed)
