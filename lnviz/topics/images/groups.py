"""A small convolutional network under GroupNorm with few and many groups: what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import nn

from lnviz.results import GROUPS
from lnviz.results.making import read
from lnviz.topics.images.filters import SIZE

CHANNELS = 16
COUNTS = tuple(count for count in range(1, CHANNELS + 1) if CHANNELS % count == 0)
"""Of groups: every number that divides the channels."""
CLASSES = 10
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Specification:
    """What is trained, the same under every norm.

    The learning rate is proportional to the batch size, as in Wu and He 2018 (arXiv 1803.08494,
    section 4.1), and every batch size sees as many images.

    Args:
        batches: batch sizes, rising.
        images: that one run learns from; a multiple of every batch size.
        rate: SGD's learning rate at a batch of 32.
        momentum: SGD's.
        seeds: one a run.

    Raises:
        ValueError: a batch size does not divide the images.
    """

    batches: tuple[int, ...] = (2, 4, 8, 32)
    images: int = 4320
    rate: float = 0.1
    momentum: float = 0.9
    seeds: tuple[int, ...] = tuple(range(10))

    def __post_init__(self) -> None:
        wrong = [batch for batch in self.batches if batch < 1 or self.images % batch]
        if wrong:
            raise ValueError(
                f"Every run sees the same number of images, got {self.images} in batches of "
                f"{wrong[0]}. Use batch sizes that divide it."
            )

    def rate_at(self, batch: int) -> float:
        """Return the learning rate at a batch size."""
        return self.rate * batch / 32


class Network(nn.Sequential):
    """Three convolutions of 16 filters, each with a norm and ReLU, and a linear layer.

    Args:
        norm: makes a norm of as many channels; without one, convolutions have biases instead.

    >>> Network(nn.BatchNorm2d)[1].num_features
    16
    """

    def __init__(self, norm: Callable[[int], nn.Module] | None) -> None:
        def layer(channels: int) -> list[nn.Module]:
            convolution = nn.Conv2d(channels, CHANNELS, SIZE, padding=1, bias=norm is None)
            return [convolution, *([norm(CHANNELS)] if norm else []), nn.ReLU()]

        super().__init__(
            *layer(1),
            nn.MaxPool2d(2),
            *layer(CHANNELS),
            *layer(CHANNELS),
            nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(4 * CHANNELS, CLASSES),
        )


def network(key: str) -> Network:
    """Return a network by the key of its norm: `"none"`, `"batch"`, or a number of groups.

    >>> network("4")[1].num_groups
    4
    """
    if key == "none":
        return Network(None)
    if key == "batch":
        return Network(nn.BatchNorm2d)
    return Network(lambda channels: nn.GroupNorm(int(key), channels))


KEYS = (*map(str, COUNTS), "batch", "none")


@dataclass(frozen=True)
class Comparison:
    """Every norm at every batch size.

    Attributes:
        specification: what was done.
        train: images to train on.
        test: images to test with.
        accuracy: share of test images named right after training, by the key of the norm: batch
            sizes x runs.
        filters: of the first convolution, from BatchNorm's first run at the largest batch.
        versions: of Python and the packages.
    """

    specification: Specification
    train: int
    test: int
    accuracy: Mapping[str, tuple[Numbers, ...]]
    filters: tuple[tuple[Numbers, ...], ...]
    versions: Mapping[str, str]


def from_json(text: str) -> Comparison:
    """Return the comparison that `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of group norms. ...
    """
    return read(text, _made, "comparison of group norms", GROUPS)


def _made(found: dict[str, Any]) -> Comparison:
    return Comparison(**found | {"specification": Specification(**found["specification"])})


@cache
def stored() -> Comparison:
    """Return the comparison that the lesson shows."""
    return from_json(GROUPS.path.read_text(encoding="utf-8"))
