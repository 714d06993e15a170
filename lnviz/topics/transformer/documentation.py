"""Training text of the language models: the language topics of Python's built-in `help()`."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.data.python_topics import python_topics


@cache
def text() -> str:
    """Return the training text: the language topics of Python's built-in `help()`, concatenated."""
    return "".join(python_topics().values())


@cache
def alphabet() -> str:
    """Return the distinct characters of the training text, sorted."""
    return "".join(sorted(set(text())))


def encode(passage: str) -> Int[Tensor, " T"]:
    """Convert a passage to character ids, the indices into `alphabet`."""
    places = {character: place for place, character in enumerate(alphabet())}
    return torch.tensor([places[character] for character in passage])


def spaced_passages(
    codes: Int[Tensor, " all"], length: int, count: int
) -> Int[Tensor, "passages T"]:
    """Return passages of equal length, evenly spaced over an encoded text.

    Args:
        codes: the text as character ids.
        length: number of characters per passage, without the last target, which follows it.
        count: number of passages.

    >>> spaced_passages(torch.arange(10), 3, 2)
    tensor([[0, 1, 2, 3],
            [6, 7, 8, 9]])
    """
    begins = torch.linspace(0, len(codes) - length - 1, count).long()
    return codes[begins[:, None] + torch.arange(length + 1)]
