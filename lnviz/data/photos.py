"""Four small color photographs, as example images for norms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

FILE = Path(__file__).with_name("photos.npz")
SIZE = 48  # pixels on a side
# Of each: which of scikit-learn's photographs, the first row and column, and the side of a square.
CROPS = {
    "tower": (0, 25, 20, 380),
    "lake": (0, 60, 300, 340),
    "flower": (1, 60, 145, 320),
    "leaves": (1, 50, 0, 180),
}
CREDIT = (
    "Photographs: danielbuechele (tower, lake) and vultilion (flower, leaves), both on Flickr, "
    "CC BY 2.0, as scikit-learn ships them; cut out and made small."
)


@dataclass(frozen=True, eq=False)
class PhotoSet:
    """Photographs with the names of their subjects.

    The tensor is shared between callers: do not modify it.

    Attributes:
        images: RGB values from 0 to 1.
        names: the subject of each photograph.
    """

    images: Float[Tensor, "N 3 H W"]
    names: tuple[str, ...]


@lru_cache(maxsize=1)
def photos() -> PhotoSet:
    """Return four crops of scikit-learn's two sample photographs, 48 x 48 pixels each.

    They are read from a file beside this module, which `python -m tests.data.make_files` writes.

    >>> photos().images.shape
    torch.Size([4, 3, 48, 48])
    """
    with np.load(FILE, allow_pickle=False) as file:
        return PhotoSet(torch.from_numpy(file["images"]), tuple(CROPS))
