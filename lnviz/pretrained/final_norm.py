"""Next-token predictions of a language model with and without its final norm, or parts of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import normalize
from lnviz.pretrained.loading import load
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.swaps import gain_of
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.transformer import NormLayer

WHOLE, GAINS, DIVISION, BARE = VARIANTS = ("whole", "gains", "division", "bare")
"""The whole norm, its gains only, its division only, and the unnormalized stream."""
TOP_TOKENS = 3


@dataclass(frozen=True)
class FinalNormSpecification:
    """Settings of the final-norm experiment: the language model and its input texts.

    Attributes:
        model: key of the model.
        sha256: SHA-256 of the weight file.
        texts: the input texts.
    """

    model: str = SMOLLM2.key
    sha256: str = SMOLLM2.files[0].sha256
    texts: tuple[str, ...] = SENTENCES


def final_norm_variants(
    norm: NormLayer, x: Float[Tensor, "*N D"]
) -> dict[str, Float[Tensor, "*N D"]]:
    """Apply each of `VARIANTS` of the final norm: whole, gains only, division only, or none.

    Args:
        norm: an RMSNorm.
        x: the residual stream before it.
    """
    return {
        WHOLE: norm(x),
        GAINS: x * gain_of(norm),
        DIVISION: normalize(x, -1, center=False, eps=norm.eps).y,
        BARE: x,
    }


@torch.inference_mode()
def make(
    specification: FinalNormSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Compute the model's next-token predictions for each text and each variant of the final norm.

    Args:
        specification: the settings.
        on: the device, as returned by `lnviz.device`.
        report: called after every text.

    Returns:
        `words`: the most likely tokens as indices along the axis `word`, by text, variant and rank.
            `chances`: the probabilities of these tokens. `size`: the RMS of the unembedding's
            input, by text and variant.

    Raises:
        ModelUnavailable: the model is not installed.
    """
    model = load(specification.model)
    words: list[list[list[str]]] = []
    chances, sizes = [], []
    for text in specification.texts:
        stream = model.run(model.ids(text)).norms["final"].x[-1:]  # 1,D: a text of one token
        read = torch.cat([*final_norm_variants(model.norms["final"], stream).values()])
        likeliest = model.network.head(read).softmax(-1).topk(TOP_TOKENS)  # ways,guesses
        words.append([model.token_texts(ids) for ids in likeliest.indices])
        chances.append(likeliest.values)
        sizes.append(read.square().mean(-1).sqrt())
        report(model.package.label, len(words))
    known = sorted({word for text in words for way in text for word in way})
    places = [[[known.index(word) for word in way] for way in text] for text in words]
    return ArrayDataset(
        {
            "text": specification.texts,
            "way": VARIANTS,
            "guess": tuple(range(1, TOP_TOKENS + 1)),
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
    f"The next token of {SMOLLM2.label} with its final norm, with a half of it, and without it.",
    "inside",
    make,
    FinalNormSpecification(),
    {"texts": SENTENCES[:1]},
    count_steps=lambda s: len(s.texts),
)
