"""Python source of a data set's points, for the program shown with the playground figure."""

from __future__ import annotations

from lnviz.topics.playground.data import EDGE, OWN, Sample

FORMULAS = {
    "moons": "1.3 * ((1 - 2 * side)[:, None] * turned(math.pi * along)"
    " + torch.stack([side, side / 2], 1) - torch.tensor([0.5, 0.25])) + 0.13 * scatter",
    "circles": "(1.8 - side)[:, None] * turned(2 * math.pi * along) + 0.13 * scatter",
    "spiral": "(0.15 + 1.95 * along)[:, None] * turned(math.pi * (3 * along + side))"
    " + 0.06 * scatter",
}
"""Python source of each data set's coordinates, from the variables `along`, `side` and `scatter`.
"""


def classes(data: str, sample: Sample) -> str:
    """Return Python source of the points' classes."""
    if data.startswith(OWN):
        return f"torch.tensor({sample.classes.tolist()})"
    return "torch.arange(POINTS) % 2"


def places(data: str, sample: Sample) -> str:
    """Return Python source of the points' coordinates."""
    if data in FORMULAS:
        return f"({FORMULAS[data]}).clamp({-EDGE}, {EDGE})"
    rounded = [[round(number, 4) for number in point] for point in sample.x.tolist()]
    return f"torch.tensor({rounded})"
