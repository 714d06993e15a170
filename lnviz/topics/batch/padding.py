"""BatchNorm's statistics on a padded batch of text, with the padding included and masked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.data.python_topics import python_topics
from lnviz.norms import BATCH, LAYER
from lnviz.topics.batch.statistics import MeanAndVariance, masked_statistics

TOPIC = "objects"
LENGTHS = (9, 5, 12, 7, 16, 4, 10, 8, 14, 6, 11, 5, 13, 7, 9)
"""Number of words in each phrase. The batch consists of the phrases and the passage after them."""
WIDTH = 32


@dataclass(frozen=True)
class Text:
    """Words of a text: several short phrases, and the long passage that follows them."""

    passage: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class PaddedBatches:
    """Results of normalizing a padded batch, for every length P of its longest sequence.

    Attributes:
        real: whether a position holds a word.
        inside: whether a position belongs to the batch, which ends with the longest sequence.
        word: pre-activations of the first word of the first phrase.
        padded: BatchNorm's mean and biased variance over all positions of the batch.
        masked: the same over the positions that hold a word.
        with_padding: the word's outputs with the statistics in `padded`.
        with_mask: the word's outputs with the statistics in `masked`.
        layer: the word's outputs with LayerNorm.
    """

    real: Bool[Tensor, "P N T"]
    inside: Bool[Tensor, "P N T"]
    word: Float[Tensor, " D"]
    padded: MeanAndVariance
    masked: MeanAndVariance
    with_padding: Float[Tensor, "P D"]
    with_mask: Float[Tensor, "P D"]
    layer: Float[Tensor, "P D"]


@cache
def text(longest: int) -> Text:
    """Return the words of Python's own documentation, split into short phrases and a long passage.

    Args:
        longest: number of words in the passage.

    >>> len(text(20).passage), [len(phrase) for phrase in text(20).phrases[:3]]
    (20, [9, 5, 12])
    """
    words = tuple(re.findall(r"[a-z]+", python_topics()[TOPIC].lower()))
    ends = torch.tensor(LENGTHS).cumsum(0).tolist()
    phrases = tuple(words[end - n : end] for end, n in zip(ends, LENGTHS, strict=True))
    return Text(words[ends[-1] : ends[-1] + longest], phrases)


def padded_batches(longest: Int[Tensor, " P"], *, seed: int, eps: float = 1e-5) -> PaddedBatches:
    """Normalize a padded batch of text, once for each length of its longest sequence.

    Each distinct word has a random vector. ReLU and a linear layer without bias turn it into
    pre-activations, so that the vector of padding, all zeros, stays zero.

    Args:
        longest: number of words of the longest sequence; the others are shorter.
        seed: seed of vectors and weights.
        eps: added to the variance.

    Returns:
        Statistics and outputs at each length.

    >>> padded_batches(torch.tensor([16, 40]), seed=0).with_mask.shape
    torch.Size([2, 32])
    """
    most = int(longest.max())
    written = text(most)
    sequences = (written.passage, *written.phrases)
    vocabulary = {word: at for at, word in enumerate(dict.fromkeys(sum(sequences, ())))}
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(vocabulary), WIDTH, generator=generator).relu()
    weights = torch.randn(WIDTH, WIDTH, generator=generator) / WIDTH**0.5
    x = torch.zeros(len(sequences), most, WIDTH)
    for row, words in enumerate(sequences):  # of one length each
        x[row, : len(words)] = vectors[[vocabulary[word] for word in words]] @ weights.T
    x = x.to(longest.device)
    place = torch.arange(most, device=longest.device)
    shorter = torch.tensor(LENGTHS, device=longest.device).expand(len(longest), -1)
    lengths = torch.cat([longest[:, None], shorter], 1)  # P,N
    real = place < lengths[..., None]  # P,N,T
    inside = (place < longest[:, None])[:, None].expand_as(real)
    filled = torch.where(real[..., None], x, 0)  # P,N,T,D
    padded, masked = masked_statistics(filled, inside), masked_statistics(x, real)
    word = x[1, 0]
    with_padding, with_mask = (
        BATCH.apply(word[None, None], "ND", eps=eps, mean=s.mean[:, None], var=s.var[:, None]).y
        for s in (padded, masked)
    )
    alone = LAYER.apply(filled[:, 1, 0], "ND", eps=eps).y
    return PaddedBatches(
        real, inside, word, padded, masked, with_padding[:, 0], with_mask[:, 0], alone
    )
