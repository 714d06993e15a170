"""What a norm leaves unchanged: transformations of the inputs, and how much the outputs move."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def rescale_case(
    x: Float[Tensor, "N D"], case: int, scales: Float[Tensor, " S"]
) -> Float[Tensor, "S N D"]:
    r"""One case times each of many scales, the other cases untouched: $x'_n = \delta x_n$.

    Args:
        x: N cases of D summed inputs.
        case: Which case, from 0.
        scales: The factors.

    Returns:
        A batch for each scale.

    Source: Ba, Kiros and Hinton 2016, section 5.1.2, equation 7.

    >>> rescale_case(torch.ones(2, 1), 0, torch.tensor([3.0])).flatten()
    tensor([3., 1.])
    """
    factors = torch.ones(len(scales), len(x), 1)
    factors[:, case, 0] = scales
    return factors * x


def largest_change(
    before: Float[Tensor, "*#batch N D"], after: Float[Tensor, "*batch N D"]
) -> Float[Tensor, "*batch"]:
    r"""The largest change of a value, relative to the largest value: $\max|y' - y| / \max|y|$.

    Args:
        before: The outputs before a transformation.
        after: The outputs after it, sweep dimensions leading.

    Returns:
        One number for each sweep position.

    >>> largest_change(torch.tensor([[2.0, 4.0]]), torch.tensor([[2.0, 5.0]]))
    tensor(0.2500)
    """
    return (after - before).abs().amax((-2, -1)) / before.abs().amax((-2, -1))
