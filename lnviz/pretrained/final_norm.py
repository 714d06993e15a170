"""The next token as a language model says it with its final norm, with half of it, and without."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import normalize
from lnviz.pretrained.loading import load
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.passages import SENTENCES
from lnviz.pretrained.swaps import gain
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer import NormLayer

WHOLE, GAINS, DIVISION, BARE = WAYS = ("whole", "gains", "division", "bare")
"""The norm as it is, its gains alone, its division alone, and the stream as it comes."""
GUESSES = 3


@dataclass(frozen=True)
class Specification:
    """Which texts go through which language model, and how many guesses are kept of each.

    Attributes:
        model: its key.
        sha256: the SHA-256 of the file of its weights.
        texts: what it reads.
    """

    model: str = SMOLLM2.key
    sha256: str = SMOLLM2.files[0].sha256
    texts: tuple[str, ...] = SENTENCES


def read_in(norm: NormLayer, x: Float[Tensor, "*N D"]) -> dict[str, Float[Tensor, "*N D"]]:
    """Return what the scores are read off, in each of `WAYS`.

    Args:
        norm: an RMSNorm.
        x: the stream in front of it.
    """
    return {
        WHOLE: norm(x),
        GAINS: x * gain(norm),
        DIVISION: normalize(x, -1, center=False, eps=norm.eps).y,
        BARE: x,
    }


@torch.inference_mode()
def make(specification: Specification, on: torch.device, report: ProgressCallback) -> ArrayDataset:
    """Read the token that follows each text, in each of `WAYS`.

    Args:
        specification: the model and its texts.
        on: the device, that of `lnviz.device`.
        report: called after every text.

    Returns:
        `words`, the likeliest tokens as places along the axis `word`, and `chances`, their
        probabilities, by text, way and guess; `size`, the root mean square of what the scores are
        read off, by text and way.

    Raises:
        Unavailable: the model is not installed.
    """
    model = load(specification.model)
    words: list[list[list[str]]] = []
    chances, sizes = [], []
    for text in specification.texts:
        stream = model.run(model.ids(text)).norms["final"].x[-1:]  # 1,D: a text of one token
        read = torch.cat([*read_in(model.norms["final"], stream).values()])
        likeliest = model.network.read(read).softmax(-1).topk(GUESSES)  # ways,guesses
        words.append([model.words(ids) for ids in likeliest.indices])
        chances.append(likeliest.values)
        sizes.append(read.square().mean(-1).sqrt())
        report(model.package.label, len(words))
    known = sorted({word for text in words for way in text for word in way})
    places = [[[known.index(word) for word in way] for way in text] for text in words]
    return ArrayDataset(
        {
            "text": specification.texts,
            "way": WAYS,
            "guess": tuple(range(1, GUESSES + 1)),
            "word": tuple(known),
        },
        {
            "words": NamedArray(("text", "way", "guess"), torch.tensor(places)),
            "chances": NamedArray(("text", "way", "guess"), torch.stack(chances)),
            "size": NamedArray(("text", "way"), torch.stack(sizes)),
        },
    )


FINAL_NORM = Artifact(
    "final-norm",
    f"The next token of {SMOLLM2.label} with its final norm, with half of it, and without.",
    "inside",
    make,
    Specification(),
    {"texts": SENTENCES[:1]},
    count_steps=lambda s: len(s.texts),
)
