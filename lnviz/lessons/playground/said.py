"""The numbers that the text of /playground says."""

from __future__ import annotations

from collections.abc import Mapping

from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.lessons.playground.networks import LEARNED
from lnviz.topics.playground import stored
from lnviz.topics.playground.asked import Asked
from lnviz.topics.playground.data import FEWEST, MOST

SPIRAL = Asked("spiral")


def ended(
    data: str = "spiral", axis: str = "depth", *, bias: bool = True
) -> Float[Tensor, "norms rates places"]:
    """Return the share of the points that networks of the first seed get right at the end."""
    result = stored.result(data, axis, bias)
    step, seed = result.axes["step"][-1], result.axes["seed"][0]
    return result.tensor("accuracy", "norm", "rate", "place", seed=seed, step=step)


def learned(
    data: str = "spiral", axis: str = "depth", *, bias: bool = True
) -> Bool[Tensor, "norms rates places"]:
    """Return which networks have learned their points at the end."""
    return ended(data, axis, bias=bias) >= LEARNED


def values() -> Mapping[str, float]:
    """Say how many networks there are, and what comes of a bias and of the size of a batch."""
    layer, batch = SPIRAL.norms.index("layer"), SPIRAL.norms.index("batch")
    by_batch = learned(axis="batch")[batch].sum(0)  # places
    few = Asked("spiral").coarse
    return {
        "norms": len(SPIRAL.norms) - 1,
        "rates": len(SPIRAL.rates),
        "depths": len(SPIRAL.places),
        "blind": float(ended(bias=False)[layer].max()),
        "batch-many": int(by_batch[-1]),
        "batch-most": Asked("spiral", "batch").batches[-1],
        "few": few.networks,
        "all": SPIRAL.networks // len(SPIRAL.seeds),
        "least": FEWEST,
        "most": MOST,
    }
