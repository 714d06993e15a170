"""Example inputs for norms: matrices of pre-activations (examples x features)."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

DIGITS_FILE = Path(__file__).with_name("digits.npz")
MAX_SEED = 9_999
DIGIT_COUNT = 1_797  # images in scikit-learn's load_digits
MAX_FEATURES = 1_024
TEST_EVERY = 5
WEIGHT_SCALE = 0.375  # so that most pre-activations lie between -3 and 3

WORKED_EXAMPLE = (
    (0.1, 2.7, -0.6, 0.7, 0.3, -0.3),
    (-0.8, 1.8, 1.4, 1.2, -0.4, 0.1),
    (0.8, 2.3, 0.2, -0.4, 2.0, 0.7),
    (-0.8, -0.2, 0.9, 1.2, 0.1, -0.7),
)


@dataclass(frozen=True)
class Examples:
    """A matrix of pre-activations, with labels for its rows and columns.

    The tensor is shared between callers: do not modify it.

    Attributes:
        name: name of the data set in URLs.
        values: one row per example, one column per feature.
        example_labels: N distinct names, one per row.
        feature_labels: D distinct names, one per column.
        note: a sentence on the origin of the values.
        images: the images that the examples come from, pixels from 0 to 1, or None.
    """

    name: str
    values: Float[Tensor, "N D"]
    example_labels: tuple[str, ...]
    feature_labels: tuple[str, ...]
    note: str
    images: Float[Tensor, "N height width"] | None = None


@dataclass(frozen=True, eq=False)
class Digits:
    """Images of handwritten digits with class labels.

    Attributes:
        images: pixels from 0 to 1, one flattened 8 x 8 image per row.
        targets: the digit that each image shows.
    """

    images: Float[Tensor, "N 64"]
    targets: Int[Tensor, " N"]

    @property
    def test_mask(self) -> Bool[Tensor, " N"]:
        """A mask that selects every fifth image for the test set."""
        return torch.arange(len(self.images)) % TEST_EVERY == 0

    @property
    def ordinal(self) -> Int[Tensor, " N"]:
        """The number of each image among the images of the same digit, counted from 1.

        It allows balanced splits: since the digits are ordered in rounds of ten, taking every fifth
        image of all would give an unbalanced split.
        """
        counts = torch.stack([(self.targets == d).cumsum(0) for d in self.targets.unique()], 1)
        return counts.gather(1, self.targets[:, None])[:, 0]


@lru_cache(maxsize=1)
def digit_images() -> Digits:
    """Return scikit-learn's images of handwritten digits, from a file beside this module.

    The tensors are shared between callers: do not modify them.

    Returns:
        All 1,797 images; the first ten are the digits 0 to 9.

    Source:
        E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine
        Learning Repository, CC BY 4.0. `python -m tests.data.make_files` writes the file.

    >>> digit_images().images.shape
    torch.Size([1797, 64])
    """
    with np.load(DIGITS_FILE, allow_pickle=False) as file:
        images, targets = torch.from_numpy(file["images"]), torch.from_numpy(file["targets"])
    return Digits(images.float() / 16, targets.long())


@lru_cache(maxsize=1)
def worked_example() -> Examples:
    """Return a matrix of 4 examples x 6 features with one decimal place, to follow by hand.

    No row has the same mean and variance as a column, so LayerNorm and BatchNorm are easy to tell
    apart.

    Returns:
        Examples with values of shape (4, 6).

    >>> worked_example().values[0].tolist()[:3]  # doctest: +ELLIPSIS
    [0.1..., 2.7..., -0.6...]
    """
    values = torch.tensor(WORKED_EXAMPLE, dtype=torch.float32)
    cases, units = values.shape
    return Examples(
        name="worked",
        values=values,
        example_labels=tuple(f"example {n}" for n in range(1, cases + 1)),
        feature_labels=_number_labels(units),
        note=f"A small table: {cases} examples, {units} features, to one decimal.",
    )


def digits(*, seed: int = 0, examples: int = 16, features: int = 12) -> Examples:
    r"""Return pre-activations that a layer computes from images of handwritten digits.

    $a = X W^\top$ with $X$ the pixels, from 0 to 1, of the first images of scikit-learn's
    `load_digits`, and $W$ drawn from a normal distribution. Pixels are multiples of 1/16 and
    weights are rounded to multiples of 1/256, so that every sum is exact in float32 and the values
    do not depend on the machine or the order of summation.

    Args:
        seed: seed of the weights, from 0 to 9999.
        examples: N, number of images, from 2 to 1797. The first ten are the digits 0 to 9.
        features: D, number of features of the layer, from 2 to 1024.

    Returns:
        Examples with values of shape (examples, features).

    Raises:
        ValueError: an argument is not an integer in its range.

    Source:
        E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine
        Learning Repository. The sum is equation 1 of Ba, Kiros and Hinton (2016) without bias.

    >>> digits(seed=3).values.shape
    torch.Size([16, 12])
    """
    _require_int("seed", seed, 0, MAX_SEED)
    _require_int("examples", examples, 2, DIGIT_COUNT)
    _require_int("features", features, 2, MAX_FEATURES)
    return _digits(seed, examples, features)


@lru_cache(maxsize=64)
def _digits(seed: int, examples: int, features: int) -> Examples:
    found = digit_images()
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(features, found.images.shape[1], generator=generator)  # D,64
    weights = (drawn * WEIGHT_SCALE * 256).round() / 256
    values = found.images[:examples] @ weights.T  # N,D
    return Examples(
        name="digits",
        values=values,
        example_labels=_digit_labels(found.targets[:examples].tolist()),
        feature_labels=_number_labels(features),
        note=(
            f"Pre-activations of {features} units for {examples} handwritten digits of 8 x 8 "
            "pixels "
            f"(scikit-learn's load_digits), through random weights drawn with seed {seed}."
        ),
        images=found.images[:examples].reshape(-1, 8, 8),
    )


def _number_labels(count: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(1, count + 1))


def _digit_labels(targets: list[int]) -> tuple[str, ...]:
    """Return a label for each image: the digit, with a number if the digit has occurred before."""
    seen: Counter[int] = Counter()
    labels = []
    for target in targets:
        seen[target] += 1
        labels.append(f"digit {target}" + (f" ({seen[target]})" if seen[target] > 1 else ""))
    return tuple(labels)


def _require_int(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, but got {value!r}.")
