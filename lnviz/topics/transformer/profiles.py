"""Gradients of every layer before training, for every placement, setup and several depths.

    python -m lnviz.topics.transformer.profiles

measures them all, in a few minutes on one core, and writes the result that the lesson shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from lnviz.device import device
from lnviz.results import PROFILES
from lnviz.results.making import Report, named, progress, read, run, versions
from lnviz.rounding import numbers
from lnviz.topics.transformer.experiment import SETUPS, Experiment
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.theory import by_layer

QUARTILES = torch.tensor([0.25, 0.5, 0.75])
Layers = tuple[float, ...]  # one number a layer


@dataclass(frozen=True)
class Specification:
    """What is measured, the same for all placements.

    Args:
        width: D.
        depths: L, numbers of layers, rising.
        seeds: one a network.
    """

    width: int = 64
    depths: tuple[int, ...] = (2, 4, 6, 8, 12, 16, 24, 32, 48)
    seeds: tuple[int, ...] = tuple(range(16))

    def experiment(self, setup: str) -> Experiment:
        """The networks of a setup."""
        return Experiment(setup=setup, width=self.width, seeds=self.seeds)


@dataclass(frozen=True)
class Profile:
    """Frobenius norms of the gradient of each layer's second feed-forward matrix, over the seeds.

    Quartiles, since a few seeds of Post-LN have gradients ten times as large as the others'.

    Attributes:
        lower: a quarter of the seeds has less, by layer.
        median: half of them.
        upper: three quarters.
    """

    lower: Layers
    median: Layers
    upper: Layers


@dataclass(frozen=True)
class Profiles:
    """Everything that the command measures.

    Attributes:
        specification: what was done.
        setups: by the key of the setup and that of the placement, one profile for each depth.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    setups: Mapping[str, Mapping[str, tuple[Profile, ...]]]
    versions: Mapping[str, str]
    device: str


def measure(specification: Specification, *, report: Report = lambda label, step: None) -> Profiles:
    """Take the gradients of all networks.

    Args:
        specification: which.
        report: called after every depth, with the setup and the depths done.
    """
    setups = {}
    for setup, known in SETUPS.items():
        found: dict[str, list[Profile]] = {key: [] for key in PLACEMENTS}
        for done, depth in enumerate(specification.depths, 1):
            measured = by_layer(tuple(PLACEMENTS), depth, specification.experiment(setup))
            for key, gradients in measured.items():
                quartiles = gradients.values.quantile(QUARTILES.to(gradients.values), dim=-1)
                found[key].append(Profile(*map(numbers, quartiles)))
            report(known.label, done)
        setups[setup] = {key: tuple(profiles) for key, profiles in found.items()}
    return Profiles(specification, setups, versions(), named(device()))


def from_json(text: str) -> Profiles:
    """Return the profiles that `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no measurement of gradients by layer. ...
    """
    return read(text, _made, "measurement of gradients by layer", PROFILES)


def _made(found: dict[str, Any]) -> Profiles:
    setups = {
        setup: {key: tuple(Profile(**one) for one in each) for key, each in placements.items()}
        for setup, placements in found["setups"].items()
    }
    specification = Specification(**found["specification"])
    return Profiles(**found | {"specification": specification, "setups": setups})


@cache
def stored() -> Profiles:
    """Return the profiles that the lesson shows.

    >>> list(stored().setups)
    ['theory', 'default', 'text']
    """
    return from_json(PROFILES.path.read_text(encoding="utf-8"))


def main() -> None:
    """Run from a command line."""
    found = run(
        PROFILES,
        "Measure gradients by layer before training, for every placement and setup.",
        Specification(),
        {"width": "of the networks"},
        lambda wanted: measure(wanted, report=progress(len(wanted.depths))),
    )
    depth = found.specification.depths[-1]
    for setup, placements in found.setups.items():
        for key, profiles in placements.items():
            last = profiles[-1].median
            print(
                f"{SETUPS[setup].label:<17} {PLACEMENTS[key].label:<17} {depth} layers: "
                f"{last[0]:.3g} in the first, {last[-1]:.3g} in the last"
            )


if __name__ == "__main__":
    main()
