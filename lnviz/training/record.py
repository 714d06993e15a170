"""All that is known of a specification that was run, or is being run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from lnviz.training.experiment import Specification


@dataclass(frozen=True)
class Measured:
    """What was measured of all runs of a group at one step; numbers that are not finite are None.

    Attributes:
        norm: the norm of the group.
        batch_size: the batch size of the group.
        step: batches learned from.
        seconds: seconds of training so far.
        values: what was measured, by name; lists have an entry for each run, learning rates first.
    """

    norm: str
    batch_size: int
    step: int
    seconds: float
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Record:
    """What has become of a specification so far.

    Attributes:
        specification: what is run.
        made_with: versions and device.
        points: what was measured, in order: of each group "loss", "validation loss" and
            "validation error" of each run, and "scales" as `lnviz.training.scales` has them.
        outcomes: what came out for each group that has ended, by norm and batch size: "loss" and
            "error" of each run on the test part.
    """

    specification: Specification
    made_with: Mapping[str, Any]
    points: tuple[Measured, ...]
    outcomes: Mapping[tuple[str, int], Mapping[str, Any]]

    @property
    def runs(self) -> tuple[tuple[float, int], ...]:
        """The learning rate and the seed of each run of a group, in the order of the lists."""
        return tuple(product(self.specification.rates, self.specification.seeds))

    def group(self, norm: str, batch_size: int) -> tuple[Measured, ...]:
        """Return what was measured of one group, in order of the steps."""
        return tuple(p for p in self.points if (p.norm, p.batch_size) == (norm, batch_size))

    def rounded(self, digits: int) -> Record:
        """Return the same with fewer digits: small enough to be kept beside the code.

        Args:
            digits: how many digits a number is left with.
        """
        points = tuple(replace(p, values=_rounded(p.values, digits)) for p in self.points)
        outcomes = {group: _rounded(tested, digits) for group, tested in self.outcomes.items()}
        return replace(self, points=points, outcomes=outcomes)

    def to_json(self) -> str:
        """Return it as JSON: a list of points, and one of what came out of each group."""
        document = {
            "specification": self.specification.document(),
            "made_with": dict(self.made_with),
            "points": [asdict(point) for point in self.points],
            "outcomes": [
                {"norm": norm, "batch_size": size, "tested": dict(tested)}
                for (norm, size), tested in self.outcomes.items()
            ],
        }
        return json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n"


def _rounded(value: Any, digits: int) -> Any:
    """What was measured, at any depth."""
    if isinstance(value, Mapping):
        return {name: _rounded(each, digits) for name, each in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    return value if value is None else [_rounded(each, digits) for each in value]
