"""The six transformations in table 1 of Ba et al. (2016), and a measure of output change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Transformation:
    """A transformation of a layer's weights or data, with an adjustable strength.

    Weights have one row per unit, data one row per example. The six transformations are three
    operations, each of which applies to either weights or data.

    Attributes:
        key: short name, in URLs and tables.
        label: printed name.
        part: the rows it changes: weights or data.
        kind: whether it scales all rows, adds one vector to every row, or scales the first row.
    """

    key: str
    label: str
    part: Literal["weight", "data"]
    kind: Literal["rescale", "recenter", "rescale one"]

    @property
    def neutral(self) -> float:
        """The strength at which nothing changes: 1 for a factor, 0 for a shift."""
        return 0.0 if self.kind == "recenter" else 1.0

    def apply(
        self,
        rows: Float[Tensor, "*layers R I"],
        strengths: Float[Tensor, " S"],
        direction: Float[Tensor, "*#layers I"],
    ) -> Float[Tensor, "S *layers R I"]:
        r"""Apply the transformation to rows of weights or inputs, at each of many strengths.

        $$w'_i = s\,w_i, \quad w'_i = w_i + s\,\gamma, \quad w'_1 = s\,w_1$$

        Args:
            rows: one unit's weights, or one example's inputs, per row.
            strengths: s, of any sign.
            direction: gamma, the vector that re-centering adds to every row.

        Returns:
            The rows for each strength, strengths leading.

        Source: Ba, Kiros and Hinton 2016, section 5.1, equations 6 and 7.

        >>> rows, shift = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 0.0])
        >>> TRANSFORMATIONS["weight_matrix_recenter"].apply(rows, torch.tensor([10.0]), shift)
        tensor([[[11.,  2.],
                 [13.,  4.]]])
        """
        if self.kind == "rescale one":
            return rescale_case(rows, 0, strengths)
        s = strengths.to(rows).view(-1, *[1] * rows.dim())
        return s * rows if self.kind == "rescale" else rows + s * direction.unsqueeze(-2)


TRANSFORMATIONS: Mapping[str, Transformation] = MappingProxyType(
    {
        change.key: change
        for change in (
            Transformation(
                "weight_matrix_rescale",
                "weight matrix re-scaled",
                "weight",
                "rescale",
            ),
            Transformation(
                "weight_matrix_recenter",
                "weight matrix re-centered",
                "weight",
                "recenter",
            ),
            Transformation(
                "weight_vector_rescale",
                "one weight vector re-scaled",
                "weight",
                "rescale one",
            ),
            Transformation(
                "dataset_rescale",
                "data set re-scaled",
                "data",
                "rescale",
            ),
            Transformation(
                "dataset_recenter",
                "data set re-centered",
                "data",
                "recenter",
            ),
            Transformation(
                "case_rescale",
                "one case re-scaled",
                "data",
                "rescale one",
            ),
        )
    }
)


def rescale_case(
    x: Float[Tensor, "*layers N D"], case: int, scales: Float[Tensor, " S"]
) -> Float[Tensor, "S *layers N D"]:
    r"""Multiply one example by each of many factors, $x'_n = \delta x_n$; keep the other examples.

    Args:
        x: N examples of D pre-activations or inputs; the leading axes are layers.
        case: Index of the example to multiply, counted from 0.
        scales: The factors.

    Returns:
        A batch for each scale.

    Source: Ba, Kiros and Hinton 2016, section 5.1, equation 7.

    >>> rescale_case(torch.ones(2, 1), 0, torch.tensor([3.0])).flatten()
    tensor([3., 1.])
    """
    factors = x.new_ones(len(scales), *[1] * (x.dim() - 2), x.shape[-2], 1)
    factors[..., case, 0] = scales.to(x).view(-1, *[1] * (x.dim() - 2))
    return factors * x


def largest_change(
    before: Float[Tensor, "*#batch N D"], after: Float[Tensor, "*batch N D"]
) -> Float[Tensor, "*batch"]:
    r"""Return the largest change relative to the largest value, $\max|y' - y| / \max|y|$.

    If all values are 0 before, it is the absolute change $\max|y'|$.

    Args:
        before: The outputs before a transformation.
        after: The outputs after it, with any leading dimensions.

    Returns:
        One number for each sweep position.

    >>> largest_change(torch.tensor([[2.0, 4.0]]), torch.tensor([[2.0, 5.0]]))
    tensor(0.2500)
    """
    largest = before.abs().amax((-2, -1))
    return (after - before).abs().amax((-2, -1)) / torch.where(largest > 0, largest, 1.0)
