"""What is trained for the playground: which points, which axis, which of everything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from lnviz.topics.playground.data import points
from lnviz.topics.playground.network import NORMS

AXES = ("depth", "scale", "batch")
PLACES: dict[str, tuple[float, ...]] = {
    "depth": (1, 2, 4, 6, 8, 12),
    "scale": (0.25, 0.5, 1, 2, 4, 8),
    "batch": (2, 4, 8, 16, 32, 64),
}
"""What stands along each axis: hidden layers, factors of the weights at the start, or cases in a
batch; ascending."""
LAYERS = {"scale": 6, "batch": 4}
"""Hidden layers where the axis is another one."""
BATCH, MOST_BATCH = 32, 64
RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FRAMES = (0, 5, 10, 20, 35, 50, 70, 95, 125, 200, 310, 450, 600)
"""Steps at which the networks are looked at; the last is the end of the training."""
LOOKS = (0, 70, 600)
"""Those of the frames at which their units are looked at, too."""
MOST_NETWORKS = 1024


@dataclass(frozen=True)
class PlaygroundSpecification:
    """What is trained: every norm at every rate, place on the axis and seed.

    Args:
        data: names points, as `lnviz.topics.playground.data.points` takes them.
        axis: one of `AXES`.
        bias: whether a layer adds a bias before its norm; without a norm it always does, since it
            would have none at all.
        norms: some of `lnviz.topics.playground.network.NORMS`.
        rates: Adam's learning rates, ascending.
        places: what stands along the axis, ascending; empty for all of `PLACES`.
        seeds: each decides the weights at the start and the cases drawn, whatever the rest.
        frames: the steps at which the networks are looked at, from 0, ascending.

    Raises:
        ValueError: something of this cannot be trained; the message says what can.
    """

    data: str = "spiral"
    axis: str = "depth"
    bias: bool = True
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
        """How many networks there are."""
        return len(self.norms) * len(self.rates) * len(self.places) * len(self.seeds)

    @property
    def depths(self) -> tuple[int, ...]:
        """Hidden layers at each place."""
        if self.axis == "depth":
            return tuple(map(int, self.places))
        return (LAYERS[self.axis],) * len(self.places)

    @property
    def scales(self) -> tuple[float, ...]:
        """Factors of the weights at the start, at each place."""
        return self.places if self.axis == "scale" else (1.0,) * len(self.places)

    @property
    def batches(self) -> tuple[int, ...]:
        """Cases in a batch, at each place."""
        return tuple(map(int, self.places)) if self.axis == "batch" else (BATCH,) * len(self.places)

    @property
    def coarse(self) -> PlaygroundSpecification:
        """A part that is trained in a moment: half of the rates, two places, a third of the steps.

        Along the depth the places are shallow ones: a step takes as long as the deepest network.
        What it has is what the whole has, too: networks do not depend on which others there are.
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
        """The frames at which units are looked at."""
        return tuple(step for step in self.frames if step in LOOKS)
