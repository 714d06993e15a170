"""Training records: the logged metrics and test results of a training specification."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from lnviz.training.experiment import TrainingSpec


@dataclass(frozen=True)
class LoggedMetrics:
    """Metrics of all runs of a group at one training step, as JSON values (None if not finite).

    Attributes:
        norm: key of the group's norm.
        batch_size: the group's batch size.
        step: number of training steps so far.
        seconds: seconds of training so far.
        values: the metrics by name, lists with a value for each run in the order of
            `TrainingRecord.runs`.
    """

    norm: str
    batch_size: int
    step: int
    seconds: float
    values: Mapping[str, Any]


@dataclass(frozen=True)
class TrainingRecord:
    """Specification, metrics and test results of training runs, finished or not.

    Attributes:
        specification: the specification of the runs.
        environment: software versions and device.
        metrics: logged metrics in the order of measurement: "loss", "validation loss" and
            "validation error" of each run, and "scales" (see `lnviz.training.scales`).
        test_results: "loss" and "error" of each run on the test split, by norm and batch size, for
            completed run groups.
    """

    specification: TrainingSpec
    environment: Mapping[str, Any]
    metrics: tuple[LoggedMetrics, ...]
    test_results: Mapping[tuple[str, int], Mapping[str, Any]]

    @property
    def runs(self) -> tuple[tuple[float, int], ...]:
        """The learning rate and seed of each run in a group, in the order of the metrics."""
        return tuple(product(self.specification.rates, self.specification.seeds))

    def group(self, norm: str, batch_size: int) -> tuple[LoggedMetrics, ...]:
        """Return the metrics of one run group, in order of training steps."""
        return tuple(p for p in self.metrics if (p.norm, p.batch_size) == (norm, batch_size))

    def rounded(self, digits: int) -> TrainingRecord:
        """Return a copy of the record with rounded values, for a smaller file.

        Args:
            digits: number of significant digits.
        """
        points = tuple(replace(p, values=_rounded(p.values, digits)) for p in self.metrics)
        outcomes = {group: _rounded(tested, digits) for group, tested in self.test_results.items()}
        return replace(self, metrics=points, test_results=outcomes)

    def to_json(self) -> str:
        """Return the record as a JSON document."""
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
    """Round all numbers in nested dictionaries and lists."""
    if isinstance(value, Mapping):
        return {name: _rounded(each, digits) for name, each in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    return value if value is None else [_rounded(each, digits) for each in value]
