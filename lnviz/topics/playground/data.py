"""Training data for the playground: points of two classes on a plane, generated or drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.seeding import isolated_rng

EDGE = 2.4
"""The plane covers the range from minus to plus this value on both axes."""
TRAIN, TEST = 200, 400
"""Points to learn from and points to test with, of a figure."""
FEWEST, MOST = 4, 200
"""Points that a reader may set."""
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_~"
OWN = "own."
Points = Float[Tensor, "N 2"]


class PointsError(ValueError):
    """Error for points that cannot be used for training; the message states the requirements."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Training and test points with their classes. The tensors are shared: do not modify them.

    Attributes:
        x: training points.
        classes: the classes of the training points, 0 or 1.
        test_x: test points of the same distribution; for a reader's own points, these are the
            training points.
        test_classes: the classes of the test points.
    """

    x: Points
    classes: Int[Tensor, " N"]
    test_x: Float[Tensor, "M 2"]
    test_classes: Int[Tensor, " M"]


def _moons(along: Tensor, classes: Tensor) -> Points:
    """Return points on two interleaved half circles, one per class."""
    angle = math.pi * along
    side = 1 - 2 * classes
    x = torch.stack([angle.cos(), angle.sin()], 1) * side[:, None]
    moved = x + torch.stack([classes, classes / 2], 1)  # the second: to the right, and up
    return 1.3 * (moved - torch.tensor([0.5, 0.25]))


def _circles(along: Tensor, classes: Tensor) -> Points:
    """Return points on two concentric circles, one per class."""
    angle, radius = 2 * math.pi * along, 1.8 - classes
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1)


def _spiral(along: Tensor, classes: Tensor) -> Points:
    """Return points on two spiral arms, one per class, of one and a half turns each."""
    radius = 0.15 + 1.95 * along
    angle = 3 * math.pi * along + math.pi * classes
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1)


def _xor(along: Tensor, classes: Tensor) -> Points:
    """Return points in four squares; diagonally opposite squares have the same class."""
    draws = torch.rand(len(along), 2) * 1.7 + 0.15
    up = 1 - 2 * (along < 0.5).float()
    return draws * torch.stack([up * (1 - 2 * classes), up], 1)


FIGURES: dict[str, tuple[str, Callable[[Tensor, Tensor], Points], float]] = {
    "moons": ("two moons", _moons, 0.13),
    "circles": ("circles", _circles, 0.13),
    "spiral": ("spiral", _spiral, 0.06),
    "xor": ("XOR", _xor, 0.0),
}
"""For each pattern its name, a function from a position along it (0 to 1) and a class to points,
and the standard deviation of the noise on each coordinate.
"""


def sample(figure: str, seed: int = 0) -> Sample:
    """Draw training and test points of a generated pattern, half of them in each class.

    Args:
        figure: a key of `FIGURES`.
        seed: seed; training and test points are drawn independently.

    Raises:
        ValueError: there is no such pattern.

    >>> sample("spiral").x.shape
    torch.Size([200, 2])
    """
    if figure not in FIGURES:
        raise ValueError(f"A figure is one of {', '.join(FIGURES)}, got {figure!r}.")
    with isolated_rng():
        torch.manual_seed(seed)
        return Sample(*_drawn(figure, TRAIN), *_drawn(figure, TEST))


def _drawn(figure: str, count: int) -> tuple[Points, Int[Tensor, " N"]]:
    _, points, noise = FIGURES[figure]
    classes = torch.arange(count) % 2
    x = points(torch.rand(count), classes.float())
    return (x + noise * torch.randn(count, 2)).clamp(-EDGE, EDGE), classes


def parse_own_points(text: str) -> Sample:
    """Parse the points that a reader has drawn, as encoded in the page's URL.

    Args:
        text: `own.`, the points of class 0, a dot, and the points of class 1. A point is two
            characters of `ALPHABET`, its horizontal and its vertical position in 64 steps.

    Raises:
        PointsError: the text does not have this format, or there are too few or too many points, or
            points of one class only.

    >>> parse_own_points("own.0000.~~~~").x.tolist()[0]
    [-2.4000000953674316, -2.4000000953674316]
    """
    parts = text.removeprefix(OWN).split(".")
    letters = "".join(parts)
    if not text.startswith(OWN) or len(parts) != 2 or not set(letters) <= set(ALPHABET):
        raise PointsError(
            f"No points can be read from this address: it needs {OWN!r}, those of the first class, "
            "a dot and those of the second, each point two of 64 letters. Draw them again."
        )
    if any(len(part) % 2 for part in parts):
        raise PointsError(
            "Each point is two letters of the address, and one has only one. Draw them again."
        )
    counts = [len(part) // 2 for part in parts]
    if not all(counts) or not FEWEST <= sum(counts) <= MOST:
        raise PointsError(
            f"There must be {FEWEST} to {MOST} points in all and one of each class or more, got "
            f"{counts[0]} and {counts[1]}. Set more, or fewer."
        )
    steps = torch.tensor([ALPHABET.index(letter) for letter in letters]).view(-1, 2)
    x = EDGE * (2 * steps / (len(ALPHABET) - 1) - 1)
    classes = torch.arange(2).repeat_interleave(torch.tensor(counts))
    return Sample(x, classes, x, classes)


def points(name: str) -> Sample:
    """Return the points that a URL parameter names: a generated pattern or the reader's own."""
    return parse_own_points(name) if name.startswith(OWN) else sample(name)


def plane(side: int) -> Float[Tensor, "P 2"]:
    """Return the coordinates of the pixel centers of an image of the plane, top row first.

    Args:
        side: number of rows, and of pixels per row.
    """
    along = EDGE * ((2 * torch.arange(side) + 1) / side - 1)
    return torch.cartesian_prod(-along, along).flip(1)
