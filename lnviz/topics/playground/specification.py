"""Settings of the playground's training runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from lnviz.topics.playground.data import points
from lnviz.topics.playground.network import NORMS

AXES = ("depth", "scale", "batch")
PLACES: dict[str, tuple[float, ...]] = {
    "depth": (1, 2, 4, 8, 16, 32),
    "scale": (0.25, 0.5, 1, 2, 4, 8),
    "batch": (2, 4, 8, 16, 32, 64),
}
"""The values of each axis: numbers of hidden layers, initialization scales, or batch sizes;
ascending.
"""
LAYERS = {"scale": 6, "batch": 4}
"""Number of hidden layers where the depth is not the axis."""
BATCH, MOST_BATCH = 32, 64
RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FRAMES = (0, 5, 10, 20, 35, 50, 70, 95, 125, 200, 310, 450, 600)
"""Training steps at which the networks are recorded; the last is the end of the training."""
LOOKS = (0, 70, 600)
"""The recorded steps at which hidden units are recorded, too."""
MOST_NETWORKS = 1024


@dataclass(frozen=True)
class PlaygroundSpecification:
    """Settings of the playground: a network per norm, learning rate, axis value and seed.

    Args:
        data: name of the points, an argument of `lnviz.topics.playground.data.points`.
        axis: one of `AXES`.
        bias: whether layers have a bias before the norm; without a norm they always do, since they
            would otherwise have no bias at all.
        residual: whether layers are Pre-norm residual blocks rather than a plain stack; residual
            blocks always have a bias.
        norms: a selection from `lnviz.topics.playground.network.NORMS`.
        rates: Adam's learning rates, ascending.
        places: values on the axis, ascending; empty for all of `PLACES`.
        seeds: seeds of the initial weights and the batches.
        frames: training steps at which the networks are recorded, from 0, ascending.

    Raises:
        ValueError: a setting is invalid; the message says which values are valid.
    """

    data: str = "spiral"
    axis: str = "depth"
    bias: bool = True
    residual: bool = False
    norms: tuple[str, ...] = NORMS
    rates: tuple[float, ...] = RATES
    places: tuple[float, ...] = ()
    seeds: tuple[int, ...] = (0, 1, 2, 3)
    frames: tuple[int, ...] = FRAMES

    def __post_init__(self) -> None:
        points(self.data)
        if self.axis not in AXES:
            raise ValueError(f"An axis is one of {', '.join(AXES)}, got {self.axis!r}.")
        unknown = [norm for norm in self.norms if norm not in NORMS]
        if unknown:
            raise ValueError(f"A norm is one of {', '.join(NORMS)}, got {unknown[0]!r}.")
        if not self.places:
            object.__setattr__(self, "places", PLACES[self.axis])
        for name in ("rates", "places", "frames"):
            values = getattr(self, name)
            if not values or any(a >= b for a, b in pairwise(values)):
                raise ValueError(f"There must be {name}, ascending, got {values}.")
        if self.frames[0] != 0 or self.places[0] <= 0 or self.rates[0] <= 0:
            raise ValueError("Frames begin at 0; rates and places are above 0. Ask for such.")
        if self.axis == "batch" and not 2 <= self.places[0] <= self.places[-1] <= MOST_BATCH:
            raise ValueError(
                f"A batch has 2 to {MOST_BATCH} cases, got {self.places}: one case has no variance."
            )
        if any(max(self.batches) % size for size in self.batches):
            raise ValueError(
                f"The largest batch is a multiple of all others, got {self.batches}. Ask for such."
            )
        if self.networks > MOST_NETWORKS:
            raise ValueError(
                f"Up to {MOST_NETWORKS} networks train together, got {self.networks}. Ask for "
                "fewer rates, places or seeds."
            )

    @property
    def networks(self) -> int:
        """The total number of networks."""
        return len(self.norms) * len(self.rates) * len(self.places) * len(self.seeds)

    @property
    def depths(self) -> tuple[int, ...]:
        """The number of hidden layers at each value of the axis."""
        if self.axis == "depth":
            return tuple(map(int, self.places))
        return (LAYERS[self.axis],) * len(self.places)

    @property
    def scales(self) -> tuple[float, ...]:
        """The initialization scale at each value of the axis."""
        return self.places if self.axis == "scale" else (1.0,) * len(self.places)

    @property
    def batches(self) -> tuple[int, ...]:
        """The batch size at each value of the axis."""
        return tuple(map(int, self.places)) if self.axis == "batch" else (BATCH,) * len(self.places)

    @property
    def coarse(self) -> PlaygroundSpecification:
        """A smaller specification with fewer networks and steps, for a quick first result.

        It has half of the learning rates, two axis values, one seed, and the first third of the
        training steps. If the axis is depth, the two values are small, since the time of a step
        depends on the deepest network. The networks are identical to those of the whole
        specification, because networks do not depend on each other.
        """
        return replace(
            self,
            rates=self.rates[1::2],
            places=self.places[1:3],
            seeds=self.seeds[:1],
            frames=tuple(step for step in self.frames if step <= self.frames[-1] // 3),
        )

    @property
    def looks(self) -> tuple[int, ...]:
        """The recorded steps at which hidden units are recorded as well."""
        return tuple(step for step in self.frames if step in LOOKS)
