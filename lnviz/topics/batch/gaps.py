"""Networks trained on few digits, by norm and batch size: what was done, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lnviz.norms import BATCH, CATALOGUE
from lnviz.results import REGULARIZER
from lnviz.results.making import read

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Specification:
    """What is trained, the same for every norm and every batch size.

    A network of two hidden layers names handwritten digits. It sees every training image once in
    each epoch, so that smaller batches mean more steps. To tell the two apart, one kind always
    takes batches of the largest size and its statistics over shares of them ("ghost" BatchNorm;
    Hoffer, Hubara and Soudry 2017, arXiv 1705.08741): the noise of a small batch in the steps of a
    large one.

    Attributes:
        units: of each hidden layer.
        images: to train on.
        sizes: cases in a batch, or in a share, rising; each divides the last.
        epochs: how often every image is seen, but for what an epoch leaves over.
        rate: Adam's learning rate, the same for all, chosen for none of them.
        seeds: one a run.

    Raises:
        ValueError: a batch has a single case, or more than there are images.
    """

    units: int = 64
    images: int = 300
    sizes: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128)
    epochs: int = 40
    rate: float = 0.003
    seeds: tuple[int, ...] = tuple(range(8))

    def __post_init__(self) -> None:
        if not all(2 <= size <= self.images for size in self.sizes):
            raise ValueError(
                f"A batch has from 2 cases to all {self.images} images, got {self.sizes}. "
                f"BatchNorm needs two."
            )
        if any(self.sizes[-1] % size for size in self.sizes):
            raise ValueError(f"Each size has to divide the last, got {self.sizes}.")


@dataclass(frozen=True)
class Outcome:
    """What became of the networks with one norm, by batch size: sizes x runs.

    Attributes:
        train_error: share of the training images named wrong, at inference.
        test_error: share of the test images named wrong.
        train_loss: cross-entropy of the training images in nats, at inference.
        test_loss: cross-entropy of the test images.
    """

    train_error: tuple[Numbers, ...]
    test_error: tuple[Numbers, ...]
    train_loss: tuple[Numbers, ...]
    test_loss: tuple[Numbers, ...]


@dataclass(frozen=True)
class Gaps:
    """Every norm at every batch size, trained alike.

    Attributes:
        specification: what was done.
        test: images to test with.
        norms: what came out, by the norm's key; `"ghost"` for BatchNorm over shares.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    test: int
    norms: Mapping[str, Outcome]
    versions: Mapping[str, str]
    device: str


def from_json(text: str) -> Gaps:
    """Return the result that `lnviz.results.making` has written.

    Args:
        text: JSON.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of batch sizes. ...
    """
    return read(text, _made, "comparison of batch sizes", REGULARIZER)


def _made(found: dict[str, Any]) -> Gaps:
    return Gaps(
        **found
        | {
            "specification": Specification(**found["specification"]),
            "norms": {key: Outcome(**norm) for key, norm in found["norms"].items()},
        }
    )


def label(norm: str) -> str:
    """Return what a kind of network is called, by the key of its norm.

    >>> label("ghost"), label("layer")
    ('BatchNorm over shares', 'LayerNorm')
    """
    return f"{BATCH.label} over shares" if norm == "ghost" else CATALOGUE[norm].label


@cache
def stored() -> Gaps:
    """Return the result that the lesson shows.

    >>> stored().specification.sizes[0]
    2
    """
    return from_json(REGULARIZER.path.read_text(encoding="utf-8"))
