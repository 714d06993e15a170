"""The text that language models read here: Python's own documentation."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.data.python_topics import python_topics


@cache
def text() -> str:
    """Return what `help()` tells about Python's language, all topics one behind the other."""
    return "".join(python_topics().values())


@cache
def alphabet() -> str:
    """Return the characters of the text, each once, in order.

    >>> "a" in alphabet()
    True
    """
    return "".join(sorted(set(text())))


def encoded(passage: str) -> Int[Tensor, " T"]:
    """Return a passage as places in the alphabet.

    >>> "".join(alphabet()[code] for code in encoded("for"))
    'for'
    """
    places = {character: place for place, character in enumerate(alphabet())}
    return torch.tensor([places[character] for character in passage])


def spaced(codes: Int[Tensor, " all"], length: int, count: int) -> Int[Tensor, "passages T"]:
    """Return passages of a text at even distances, from its beginning to its end.

    Args:
        codes: the text, each character as its place in the alphabet.
        length: how many characters of a passage are read; one more follows them.
        count: how many passages there are.

    >>> spaced(torch.arange(10), 3, 2)
    tensor([[0, 1, 2, 3],
            [6, 7, 8, 9]])
    """
    begins = torch.linspace(0, len(codes) - length - 1, count).long()
    return codes[begins[:, None] + torch.arange(length + 1)]
