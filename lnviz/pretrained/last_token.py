"""The last token of a stored text in the language model: residual stream and next-token logits."""

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
    """The last token of a text, before every norm and after the final norm in each of `VARIANTS`.

    Attributes:
        token: the last token.
        stream: RMS of the token's residual stream before each norm, the final norm last.
        rms: RMS of the input of the unembedding, by variant.
        probabilities: probabilities of the most likely next tokens, by variant.
        tokens: these tokens.
    """

    token: str
    stream: Float[Tensor, " norms"]
    rms: Float[Tensor, " ways"]
    probabilities: Float[Tensor, "ways guesses"]
    tokens: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """The number of layers, with two norms each."""
        return len(self.stream) // 2


def last_token(text: str) -> LastToken:
    """Return the last token of a stored text.

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
