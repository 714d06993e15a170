"""Stored results for the last token of a text: residual stream and next-token probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.pretrained.final_norm import FINAL_NORM
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.stored_records import stored_records


@dataclass(frozen=True, eq=False)
class LastToken:
    """Results for a text's last token: residual-stream RMS, and predictions by final-norm variant.

    Attributes:
        token: the last token.
        stream: RMS of the token's residual stream before each norm, the final norm last.
        rms: RMS of the unembedding's input, by variant.
        probabilities: probabilities of the most likely next tokens, by variant.
        tokens: the most likely next tokens, by variant.
    """

    token: str
    stream: Float[Tensor, " norms"]
    rms: Float[Tensor, " ways"]
    probabilities: Float[Tensor, "ways guesses"]
    tokens: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """The number of Transformer blocks, each of which has two norms."""
        return len(self.stream) // 2


def last_token(text: str) -> LastToken:
    """Look up the stored results for the last token of one of the sample texts.

    >>> [token.strip() for token in last_token("The capital of France is").tokens[0]]
    ['Paris', 'the', 'London']
    """
    record, result = stored_records(SMOLLM2.key).record(text), FINAL_NORM.result
    known = result.labels("word")
    places = result.tensor("words", "way", "guess", text=text).long().tolist()
    return LastToken(
        record.tokens[-1],
        torch.tensor([of_tokens[-1] for of_tokens in record.x_rms]),
        result.tensor("size", "way", text=text),
        result.tensor("chances", "way", "guess", text=text),
        tuple(tuple(known[place] for place in way) for way in places),
    )
