"""Numbers quoted in the text of /inside: losses with replaced norms, and logit-lens guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lnviz.lessons.inside.swap import EVENLY
from lnviz.pretrained import MINILM, SMOLLM2, smollm2
from lnviz.pretrained.records import EPSILONS, SWAP_KINDS, LensTokens, TextRecord
from lnviz.pretrained.stored_records import stored_records

EVEN = ("layers.0", "layers.11")
"""The norms before which all tokens of the page have about the same RMS."""
SURE = 0.9  # the least probability that counts as certain


def loss_values() -> Mapping[str, float]:
    """Return the losses with replaced norms, RMS ratios and counts of guesses quoted in /inside."""
    return {**_swapped(), **_small(), **_read()}


def _swapped() -> Mapping[str, float]:
    page = stored_records(SMOLLM2.key).passage_record
    rms, share = np.array(page.x_rms), np.abs(np.array(page.x_mean) / np.array(page.x_rms))
    own = _number(page.swaps.loss)
    together = dict(zip(SWAP_KINDS, page.swaps.together, strict=True))
    alone = dict(zip(SWAP_KINDS, np.array(page.swaps.alone).T, strict=True))
    even = [page.locations.index(place) for place in EVEN]
    return {
        "swap-own": own,
        "swap-vocabulary": smollm2.VOCABULARY,
        "swap-evenly": EVENLY,
        "swap-centered": _number(together["centering"]),
        "swap-share": share.max(),
        "swap-median": np.median(share),
        "swap-gains-first": alone["gains"][0] - own,
        "swap-gains-final": alone["gains"][-1],
        "swap-gains-others": alone["gains"][:-1].max(),
        "swap-ratio": (rms[:, 0] / np.median(rms[:, 1:], 1)).max(),
        "swap-even": np.abs(alone["sigma"][even] - own).max(),
        "swap-tanh": _number(together["tanh"]),
        "swap-least": (rms**2).min(),
        "swap-epsilon": _number(page.swaps.epsilons[EPSILONS.index(1e-2)]),
    }


def _small() -> Mapping[str, float]:
    swaps, centering = (
        stored_records(MINILM.key).passage_record.swaps,
        SWAP_KINDS.index("centering"),
    )
    return {
        "minilm-centering": _number(swaps.together[centering]),
        "minilm-alone": max(_number(losses[centering]) for losses in swaps.alone),
    }


def _number(loss: float | None) -> float:
    """Return a loss as a float, asserting that it is not None."""
    assert loss is not None
    return loss


def _read() -> Mapping[str, float]:
    records = stored_records(SMOLLM2.key).sentence_records
    normed = [guesses for record in records if (guesses := record.normed)]
    bare = [guesses for record in records if (guesses := record.bare)]
    last, others, before = _words(normed, -1), _words(bare, -1), _words(normed, -2)
    return {
        "lens-tokens": len(last),
        "lens-others": sum(one != other for one, other in zip(last, others, strict=True)),
        "lens-late": sum(one != other for one, other in zip(last, before, strict=True)),
        "lens-longer": min(float(_longer(record).min()) for record in records),
        "lens-sure": _sure(bare),
        "lens-sure-normed": _sure(normed),
    }


def _words(texts: Sequence[LensTokens], layer: int) -> list[str]:
    """Return the likeliest next token after a layer, for every position of the texts."""
    return [place[0] for guesses in texts for place in guesses.words[layer]]


def _longer(record: TextRecord) -> npt.NDArray[np.float64]:
    """Return each token's RMS before the final norm divided by its RMS after the norm."""
    into, out = np.array(record.x_rms[-1]), np.array(record.y_rms[-1])
    return np.asarray(into / out)


def _sure(texts: Sequence[LensTokens]) -> int:
    """Return the number of token positions at which the final guess is nearly certain."""
    return sum(place[0] > SURE for guesses in texts for place in guesses.probabilities[-1])
