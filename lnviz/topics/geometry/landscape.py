"""The stored experiment on the loss landscape: losses along the gradient, for several networks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import torch

from lnviz.norms import BATCH, LAYER, NONE
from lnviz.results.arrays import ArrayDataset, Coordinate, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.geometry.downhill import LENGTHS, Downhill, Recipe, downhill

NORMS = (NONE, BATCH, LAYER)
PIXELS = ("raw", "centered")
RATES = (0.03, 0.1, 0.3)
RECIPES = tuple(Recipe(rate, centered) for rate, centered in product(RATES, (False, True)))


@dataclass(frozen=True)
class LandscapeSpecification:
    """Settings of the loss-landscape experiment: networks by norm, pixel scaling and learning rate.

    Attributes:
        rates: learning rates.
        depth: as in `Recipe`.
        width: as in `Recipe`.
        batch: as in `Recipe`.
        steps: as in `Recipe`.
        seed: as in `Recipe`.
    """

    rates: tuple[float, ...] = RATES
    depth: int = Recipe().depth
    width: int = Recipe().width
    batch: int = Recipe().batch
    steps: int = Recipe().steps
    seed: int = Recipe().seed

    def recipe(self, rate: float, centered: bool) -> Recipe:
        """Return the training settings of one network."""
        return Recipe(rate, centered, self.depth, self.width, self.batch, self.steps, self.seed)


def compute_landscape(
    specification: LandscapeSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train every network, and evaluate its loss along the gradient at each training step.

    Args:
        specification: the settings.
        on: the device, as returned by `lnviz.device`.
        report: called after every network, with the number of networks done.

    Returns:
        `loss` and `roughness` as in `Downhill`, by norm, pixel scaling, learning rate and step;
        `loss` also by distance along the gradient.
    """
    s = specification
    over = ("norm", "pixels", "rate", "step")
    cells = (len(NORMS), len(PIXELS), len(s.rates))
    looks = []
    for norm, pixels, rate in product(NORMS, PIXELS, s.rates):
        looks.append(downhill(norm, s.recipe(rate, pixels == "centered")))
        report("networks", len(looks))
    return ArrayDataset(
        {
            "norm": tuple(norm.key for norm in NORMS),
            "pixels": PIXELS,
            "rate": s.rates,
            "step": tuple(range(s.steps)),
            "length": LENGTHS,
        },
        {
            "loss": NamedArray(
                (*over, "length"), torch.stack([one.loss for one in looks]).unflatten(0, cells)
            ),
            "roughness": NamedArray(
                over, torch.stack([one.roughness for one in looks]).unflatten(0, cells)
            ),
        },
    )


LANDSCAPE = Artifact(
    "landscape",
    "The loss along the gradient, while networks learn to read digits.",
    "geometry",
    compute_landscape,
    LandscapeSpecification(),
    {"rates": (0.1,), "depth": 1, "width": 4, "steps": 1},
    count_steps=lambda s: len(NORMS) * len(PIXELS) * len(s.rates),
)


def stored_profile(norm: str, rate: float, centered: bool) -> Downhill:
    """Return the stored losses along the gradient of one network.

    >>> len(stored_profile("layer", 0.1, centered=False).lengths)
    11
    """
    result = LANDSCAPE.result
    at: dict[str, Coordinate] = {"norm": norm, "pixels": PIXELS[centered], "rate": rate}
    return Downhill(
        tuple(map(float, result.axes["length"])),
        result.tensor("loss", "step", "length", **at),
        result.tensor("roughness", "step", **at),
    )
