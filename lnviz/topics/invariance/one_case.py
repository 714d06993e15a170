"""The effect of rescaling one example of a batch, with LayerNorm and with BatchNorm."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.norms import BATCH, LAYER
from lnviz.topics.invariance.transformations import largest_change, rescale_case


@dataclass(frozen=True, eq=False)
class OneCase:
    """Normalized values of a batch in which one example is rescaled, for each of many factors.

    Attributes:
        summed: the batch.
        layer: the batch after LayerNorm.
        batch: the batch after BatchNorm.
        layer_change: largest relative change of the scaled example's outputs with LayerNorm.
        batch_change: largest relative change of all other examples' outputs with BatchNorm.
    """

    summed: Float[Tensor, "S N D"]
    layer: Float[Tensor, "S E N D"]
    batch: Float[Tensor, "S E N D"]
    layer_change: Float[Tensor, "S E"]
    batch_change: Float[Tensor, "S E"]


def one_case(
    summed: Float[Tensor, "N D"],
    case: int,
    factors: Float[Tensor, " S"],
    eps: Float[Tensor, " E"],
) -> OneCase:
    r"""Rescale one example by many factors, $a'_n = \delta a_n$, and normalize the batch.

    Args:
        summed: pre-activations of at least two examples, none of them constant.
        case: index of the scaled example.
        factors: delta.
        eps: values added to the variances.

    Returns:
        Pre-activations, outputs without gain and bias, and the changes of the outputs.

    Source: Ba, Kiros and Hinton 2016, section 5.1, equation 7.

    >>> import torch
    >>> x = torch.tensor([[1.0, 3.0], [2.0, 8.0], [4.0, 5.0]])
    >>> case = one_case(x, 1, torch.tensor([4.0]), torch.tensor([0.0]))
    >>> case.layer_change, case.batch_change
    (tensor([[0.]]), tensor([[1.0870]]))
    """
    scaled = rescale_case(summed, case, factors)
    others = [n for n in range(len(summed)) if n != case]
    swept = eps.view(-1, 1, 1)
    before = {norm: norm.apply(summed, "ND", eps=swept).y for norm in (LAYER, BATCH)}
    after = {norm: norm.apply(scaled[:, None], "ND", eps=swept).y for norm in (LAYER, BATCH)}
    return OneCase(
        summed=scaled,
        layer=after[LAYER],
        batch=after[BATCH],
        layer_change=largest_change(before[LAYER][:, [case]], after[LAYER][:, :, [case]]),
        batch_change=largest_change(before[BATCH][:, others], after[BATCH][:, :, others]),
    )
