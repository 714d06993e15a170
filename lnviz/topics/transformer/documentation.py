"""The text that language models read here: Python's own documentation."""

from __future__ import annotations

from functools import cache
from pydoc_data.topics import topics

import torch
from jaxtyping import Int
from torch import Tensor


@cache
def text() -> str:
    """Return what `help()` tells about Python's language, all topics one behind the other."""
    return "".join(topics[name] for name in sorted(topics))


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
