"""A published model beside a plain loop: loading, one text, and norms replaced in every place.

The loop replaces the norms of one place after the other, each with a whole run of the model. Both
are held to the same losses, and take turns; a time is the shortest of the rounds, since what else
the machine does only adds to it.

    make models
    python -m benchmarks.pretrained --rounds 3
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.norms import machine
from lnviz import cache
from lnviz.pretrained import PACKAGES, drop, load
from lnviz.pretrained.model import Model, place
from lnviz.pretrained.passages import PAGE
from lnviz.pretrained.swaps import centering
from lnviz.topics.transformer import NormLayer

TOKENS = 64


def side_by_side(model: Model, ids: Tensor) -> Tensor:
    """All places in one pass."""
    return model.losses(ids, centering, 1)[:, 0]


def one_by_one(model: Model, ids: Tensor) -> Tensor:
    """A run of the model for every place."""

    def only(where: str) -> Tensor:
        def swap(name: str, norm: NormLayer, x: Tensor) -> Tensor:
            return centering(name, norm, x) if place(name) == where else norm(x)

        return model.loss(ids, swap)

    return torch.stack([only(where) for where in model.places])


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, once."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(machine())
    with tempfile.TemporaryDirectory() as fresh:
        os.environ[cache.VARIABLE] = fresh
        for key in PACKAGES:
            print(measured(key, rounds))


def measured(key: str, rounds: int) -> str:
    """A line for a model."""

    def opened() -> Model:
        return load(key)

    first = seconds(opened)
    drop()
    again = seconds(opened)
    model = opened()
    ids = model.ids(PAGE)[:TOKENS]
    both = side_by_side(model, ids), one_by_one(model, ids)  # reads the weights into memory, too
    torch.testing.assert_close(*both, rtol=1e-3, atol=1e-4)
    ways = (
        lambda: model.run(ids),
        lambda: side_by_side(model, ids),
        lambda: one_by_one(model, ids),
    )
    times = [[seconds(way) for way in ways] for _ in range(rounds)]
    run, together, apart = (min(each) for each in zip(*times, strict=True))
    return (
        f"{model.package.label}: loaded in {first:.1f} s the first time, {again:.2f} s after; "
        f"{TOKENS} tokens in {run:.2f} s; norms replaced in each of {len(model.places)} places: "
        f"{together:.1f} s side by side, {apart:.1f} s one by one, {apart / together:.1f} times"
    )


if __name__ == "__main__":
    main()
