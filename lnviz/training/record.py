"""All that is known of a specification that was run, or is being run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from lnviz.training.experiment import TrainingSpec


@dataclass(frozen=True)
class LoggedMetrics:
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
class TrainingRecord:
    """What has become of a specification so far.

    Attributes:
        specification: what is run.
        environment: versions and device.
        metrics: what was measured, in order: of each group "loss", "validation loss" and
            "validation error" of each run, and "scales" as `lnviz.training.scales` has them.
        test_results: "loss" and "error" of each run on the test split, by norm and batch size, for
            the groups that have ended.
    """

    specification: TrainingSpec
    environment: Mapping[str, Any]
    metrics: tuple[LoggedMetrics, ...]
    test_results: Mapping[tuple[str, int], Mapping[str, Any]]

    @property
    def runs(self) -> tuple[tuple[float, int], ...]:
        """The learning rate and the seed of each run of a group, in the order of the lists."""
        return tuple(product(self.specification.rates, self.specification.seeds))

    def group(self, norm: str, batch_size: int) -> tuple[LoggedMetrics, ...]:
        """Return what was measured of one group, in order of the steps."""
        return tuple(p for p in self.metrics if (p.norm, p.batch_size) == (norm, batch_size))

    def rounded(self, digits: int) -> TrainingRecord:
        """Return the same with fewer digits: small enough to be kept beside the code.

        Args:
            digits: how many digits a number is left with.
        """
        points = tuple(replace(p, values=_rounded(p.values, digits)) for p in self.metrics)
        outcomes = {group: _rounded(tested, digits) for group, tested in self.test_results.items()}
        return replace(self, metrics=points, test_results=outcomes)

    def to_json(self) -> str:
        """Return it as JSON: a list of points, and one of what came out of each group."""
        document = {
            "specification": self.specification.to_dict(),
            "made_with": dict(self.environment),
            "points": [asdict(point) for point in self.metrics],
            "outcomes": [
                {"norm": norm, "batch_size": size, "tested": dict(tested)}
                for (norm, size), tested in self.test_results.items()
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
