"""Train the networks of the loss landscape and write down what lay along their gradients.

    python -m lnviz.topics.geometry.trainings

trains one network for every norm, learning rate and kind of pixels that the lesson offers, and
writes the result that it shows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from types import MappingProxyType

import torch

from lnviz.norms import BATCH, LAYER, NONE
from lnviz.results import LANDSCAPE
from lnviz.topics.geometry.downhill import Downhill, Recipe, downhill

NORMS = (NONE, BATCH, LAYER)
RATES = (0.03, 0.1, 0.3)
RECIPES = tuple(Recipe(rate, centered) for rate, centered in product(RATES, (False, True)))

DIGITS = 5
"""That a number is written with."""


def written(trainings: Mapping[tuple[str, Recipe], Downhill]) -> str:
    """Return trainings, by norm and recipe, as JSON; `read` reads it."""
    document = {
        "versions": {package: version(package) for package in ("torch", "scikit-learn")},
        "trainings": [
            {
                "norm": norm,
                "recipe": asdict(recipe),
                "lengths": found.lengths,
                "loss": [_short(row) for row in found.loss.tolist()],
                "roughness": _short(found.roughness.tolist()),
            }
            for (norm, recipe), found in trainings.items()
        ],
    }
    return json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n"


def read(text: str) -> Mapping[tuple[str, Recipe], Downhill]:
    """Return the trainings that `written` has written, by norm and recipe."""
    return MappingProxyType(
        {
            (each["norm"], Recipe(**each["recipe"])): Downhill(
                tuple(each["lengths"]),
                torch.tensor(each["loss"]),
                torch.tensor(each["roughness"]),
            )
            for each in json.loads(text)["trainings"]
        }
    )


@cache
def stored() -> Mapping[tuple[str, Recipe], Downhill]:
    """Return the result that the lesson shows."""
    return read(LANDSCAPE.path.read_text(encoding="utf-8"))


def _short(values: list[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


def main() -> None:
    """Run from a command line."""
    parser = argparse.ArgumentParser(
        prog=LANDSCAPE.command,
        description="Train networks on digits and write down what lies along their gradients.",
    )
    parser.add_argument(
        "--out", type=Path, default=LANDSCAPE.path, help="where to write the result"
    )
    out: Path = parser.parse_args().out
    found = {}
    for recipe, norm in product(RECIPES, NORMS):
        found[norm.key, recipe] = downhill(norm, recipe)
        pixels = "centered" if recipe.centered else "raw"
        end = float(found[norm.key, recipe].loss[-1, 0])
        print(f"rate {recipe.rate:g}, {pixels} pixels, {norm.label}: loss {end:.3g} at the end")
    out.write_text(written(found), encoding="utf-8")
    print(f"Written to {out}, {out.stat().st_size / 1000:.0f} kB.")


if __name__ == "__main__":
    main()
