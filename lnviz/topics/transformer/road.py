"""RMS of the residual stream and its gradient in untrained Transformers, by depth."""

from __future__ import annotations

import torch

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer.placements import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.profiles import ProfileSpecification
from lnviz.topics.transformer.theory import PLACES, roads

COMPARED = (POST.key, PRE.key)
SETUP = "text"
QUANTITIES = ("size", "gradient")


def measure(
    specification: ProfileSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Measure activations and gradients at each point of the blocks of untrained Transformers.

    Args:
        specification: the settings.
        on: the device to compute on.
        report: called after every depth, with the placements and the number of depths done.

    Returns:
        `size` and `gradient` as in `theory.Road`, as medians over the seeds, by placement, depth,
        layer and measurement point (`PLACES`); NaN beyond the last layer.
    """
    depths = specification.depths
    sizes = (len(COMPARED), len(depths), max(depths), len(PLACES))
    measured = {name: torch.full(sizes, torch.nan) for name in QUANTITIES}
    experiment = specification.experiment(SETUP)
    label = " and ".join(PLACEMENTS[key].label for key in COMPARED)
    with torch.device(on):
        for at, depth in enumerate(depths):
            for row, road in enumerate(roads(COMPARED, depth, experiment).values()):
                for name, values in measured.items():
                    values[row, at, :depth] = getattr(road, name).quantile(0.5, dim=-1)
            report(label, at + 1)
    over = ("placement", "depth", "layer", "place")
    return ArrayDataset(
        {
            "placement": COMPARED,
            "depth": depths,
            "layer": tuple(range(1, max(depths) + 1)),
            "place": PLACES,
        },
        {name: NamedArray(over, values) for name, values in measured.items()},
    )


ROAD = Artifact(
    "road",
    "The RMS and the gradient of the residual stream in untrained Transformers.",
    "placement",
    measure,
    ProfileSpecification(),
    {"width": 4, "depths": (1, 3), "seeds": (2, 3)},
    count_steps=lambda s: len(s.depths),
)
