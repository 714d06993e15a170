"""Groups without spread, where standardizing divides 0 by 0."""

from __future__ import annotations

import torch
from jaxtyping import Bool
from torch import Tensor

from lnviz.norms import Normalized

# A mean is off by a few roundings, so that equal values seem to vary by that much.
ROUNDINGS = 16


def without_spread(result: Normalized) -> Bool[Tensor, "*#shape"]:
    r"""Say which groups have values that differ by no more than rounding.

    $$\sigma^2 \le (16\, \varepsilon\, \mu)^2$$

    with $\varepsilon$ the distance of 1 from the next number of the dtype.

    Args:
        result: what normalizing computed.

    Returns:
        Whether a group is flat, in the shape of its statistics.

    >>> from lnviz.norms import normalize
    >>> without_spread(normalize(torch.tensor([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]]), 1)).flatten()
    tensor([ True, False])
    """
    rounding = ROUNDINGS * torch.finfo(result.var.dtype).eps
    return result.var <= (rounding * result.mean).square()
