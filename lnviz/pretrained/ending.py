"""The last token of a stored text in the language model: its stream, and what is read off it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.pretrained.final_norm import FINAL_NORM
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.stored import kept


@dataclass(frozen=True, eq=False)
class Ending:
    """The end of a text, before every norm and after the last one in each of `WAYS`.

    Attributes:
        token: the last token.
        stream: the root mean square of its stream in front of each norm, the final one last.
        sizes: that of what the scores are read off, by way.
        chances: the probabilities of the likeliest tokens that may come next, by way.
        words: these tokens.
    """

    token: str
    stream: Float[Tensor, " norms"]
    sizes: Float[Tensor, " ways"]
    chances: Float[Tensor, "ways guesses"]
    words: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """The number of layers, with two norms each."""
        return len(self.stream) // 2


def ending(text: str) -> Ending:
    """Return the end of a stored text.

    >>> [word.strip() for word in ending("The capital of France is").words[0]]
    ['Paris', 'the', 'London']
    """
    record, result = kept(SMOLLM2.key).record(text), FINAL_NORM.result
    known = result.labels("word")
    places = result.tensor("words", "way", "guess", text=text).long().tolist()
    return Ending(
        record.tokens[-1],
        torch.tensor([of_tokens[-1] for of_tokens in record.x_rms]),
        result.tensor("size", "way", text=text),
        result.tensor("chances", "way", "guess", text=text),
        tuple(tuple(known[place] for place in way) for way in places),
    )
