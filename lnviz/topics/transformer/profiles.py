"""Gradients of every layer in untrained Transformers, by norm placement, setup and depth."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.setups import SETUPS, InitializationExperiment
from lnviz.topics.transformer.theory import by_layer

QUARTILES = (0.25, 0.5, 0.75)
"""Quartiles over seeds: a few seeds of Post-LN have gradients ten times as large as the others'."""


@dataclass(frozen=True)
class ProfileSpecification:
    """Settings for measuring gradients of untrained Transformers: width, depths and seeds.

    Args:
        width: D.
        depths: L, numbers of layers, ascending.
        seeds: the seeds, one per network.
    """

    width: int = 64
    depths: tuple[int, ...] = (2, 4, 6, 8, 12, 16, 24, 32, 48)
    seeds: tuple[int, ...] = tuple(range(16))

    def experiment(self, setup: str) -> InitializationExperiment:
        """Return the settings of the untrained networks for one of the `SETUPS`."""
        return InitializationExperiment(setup=setup, width=self.width, seeds=self.seeds)


def measure(
    specification: ProfileSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Compute each layer's gradient in untrained Transformers of every setup, placement and depth.

    Args:
        specification: the settings.
        on: the device to compute on.
        report: called after every depth, with the setup and the number of depths done.

    Returns:
        `gradient`: the Frobenius norm of the gradient of each layer's second feed-forward matrix,
        as quartiles over the seeds, by setup, placement, depth and layer; NaN beyond the last
        layer.
    """
    depths = specification.depths
    sizes = (len(QUARTILES), len(SETUPS), len(PLACEMENTS), len(depths), max(depths))
    gradient = torch.full(sizes, torch.nan)
    with torch.device(on):
        for at, (setup, known) in enumerate(SETUPS.items()):
            for done, depth in enumerate(depths, 1):
                by_placement = by_layer(tuple(PLACEMENTS), depth, specification.experiment(setup))
                for row, key in enumerate(PLACEMENTS):
                    values = by_placement[key].values  # L,R
                    quartiles = values.quantile(values.new_tensor(QUARTILES), dim=-1)
                    gradient[:, at, row, done - 1, :depth] = quartiles
                report(known.label, done)
    return ArrayDataset(
        {
            "quartile": QUARTILES,
            "setup": tuple(SETUPS),
            "placement": tuple(PLACEMENTS),
            "depth": depths,
            "layer": tuple(range(1, max(depths) + 1)),
        },
        {"gradient": NamedArray(("quartile", "setup", "placement", "depth", "layer"), gradient)},
    )


PROFILES = Artifact(
    "profiles",
    "The gradient of every layer in untrained Transformers.",
    "placement",
    measure,
    ProfileSpecification(),
    {"width": 4, "depths": (1, 3), "seeds": (2, 3)},
    count_steps=lambda s: len(s.depths),
)
