"""Every intermediate step of normalizing a growing batch, for several norms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.norms import Norm, Normalized
from lnviz.topics.batch.prefixes import Prefixes, moments, prefixes


@dataclass(frozen=True, eq=False)
class NormalizationSteps:
    """Intermediate steps of normalizing the selected features, by norm and batch size 1 to N.

    Values outside the batch are NaN.

    Attributes:
        inside: whether an example is in the batch.
        groups: group ids; cells with the same id share statistics. -1 outside the batch.
        terms: the values of a cell's group, padded with NaN; all NaN if the group is larger than
            `room`.
        squares: the group's squared distances from its mean; without centering, its squares.
        flat: whether the group's values are all equal; without centering, whether all are 0.
        mean: the group's mean; 0 without centering.
        var: the group's biased variance; without centering, its mean square.
        centered: a cell's distance from the mean.
        x_hat: a cell's normalized value.
        y: a cell's value after gain and bias.
        after_mean: the mean of the group's normalized values.
        after_var: the variance of the group's normalized values; without centering, their mean
            square.
    """

    inside: Bool[Tensor, "*norms B N U"]
    groups: Int[Tensor, "*norms B N U"]
    terms: Float[Tensor, "*norms B N U M"]
    squares: Float[Tensor, "*norms B N U M"]
    flat: Bool[Tensor, "*norms B N U"]
    mean: Float[Tensor, "*norms B N U"]
    var: Float[Tensor, "*norms B N U"]
    centered: Float[Tensor, "*norms B N U"]
    x_hat: Float[Tensor, "*norms B N U"]
    y: Float[Tensor, "*norms B N U"]
    after_mean: Float[Tensor, "*norms B N U"]
    after_var: Float[Tensor, "*norms B N U"]


def walk(
    norms: Sequence[Norm],
    x: Float[Tensor, "N D"],
    units: slice,
    *,
    gain: Float[Tensor, " D"],
    bias: Float[Tensor, " D"],
    eps: float,
    room: int,
) -> NormalizationSteps:
    """Normalize the first B examples with each norm, for every B; return all intermediate steps.

    Args:
        norms: BatchNorm, whose statistics change with the batch, or norms of single examples.
        x: N examples of D features.
        units: indices of the selected features. Statistics over features use all of them.
        gain: a gain per feature.
        bias: a bias per feature; norms that do not center ignore it, as PyTorch's RMSNorm does.
        eps: added to the variance.
        room: maximum size of a group whose values are returned as `terms`.

    Returns:
        The steps; the leading axes are norms and batch sizes.

    >>> from lnviz.norms import BATCH, LAYER
    >>> x, one, none = torch.tensor([[1.0, 3.0], [5.0, 9.0]]), torch.ones(2), torch.zeros(2)
    >>> steps = walk((BATCH, LAYER), x, slice(0, 2), gain=one, bias=none, eps=1e-5, room=2)
    >>> steps.mean[:, 1, 0]
    tensor([[3., 6.],
            [2., 2.]])
    """
    batch = _Batch(x, units, prefixes(x[:, units]), gain, bias, eps, room)
    each = [_masked(batch, _steps(batch, norm)) for norm in norms]
    return NormalizationSteps(
        *(torch.stack([getattr(one, f.name) for one in each]) for f in fields(NormalizationSteps))
    )


@dataclass(frozen=True, eq=False)
class _Batch:
    """The input shared by all norms, with the selected features' statistics by batch size."""

    x: Tensor
    units: slice
    growing: Prefixes
    gain: Tensor
    bias: Tensor
    eps: float
    room: int


@dataclass(frozen=True, eq=False)
class _Steps:
    """Intermediate steps of one norm; tensors broadcast to batch sizes x examples x features."""

    groups: Tensor
    terms: Tensor
    flat: Tensor
    result: Normalized
    after_mean: Tensor
    after_var: Tensor


def _steps(batch: _Batch, norm: Norm) -> _Steps:
    return (_over_cases if norm.over("ND") == (-2,) else _over_units)(batch, norm)


def _over_cases(batch: _Batch, norm: Norm) -> _Steps:
    """Normalize each feature with statistics over the examples, at every batch size."""
    x, growing = batch.x[:, batch.units], batch.growing
    inside = growing.inside
    result = norm.apply(
        x,
        "ND",
        gain=batch.gain[batch.units],
        bias=batch.bias[batch.units],
        eps=batch.eps,
        mean=growing.mean,
        var=growing.var,
    )
    terms = torch.where(inside.mT[:, :, None], x.T, torch.nan)  # B,1,U,N
    return _Steps(
        norm.groups(x.shape, "ND"),
        terms if len(x) <= batch.room else terms[..., :0],
        torch.where(inside, x == x[0], True).all(1, keepdim=True),
        result,
        *moments(result.x_hat, inside),
    )


def _over_units(batch: _Batch, norm: Norm) -> _Steps:
    """Normalize each example with statistics over all of its features, or over groups of them."""
    x = batch.x
    n, width = x.shape
    count = norm.group_count or 1
    parts = x.reshape(n, count, -1)
    flat = (parts == (parts[..., :1] if norm.center else 0)).all(-1)  # N,parts
    at = torch.arange(width, device=x.device)[batch.units] * count // width
    bias = batch.bias if norm.center else None
    result = norm.apply(x, "ND", gain=batch.gain, bias=bias, eps=batch.eps)
    again = norm.apply(result.x_hat, "ND", eps=batch.eps)

    def shown(values: Tensor) -> Tensor:
        return values.expand(n, width)[:, batch.units]

    return _Steps(
        shown(norm.groups(x.shape, "ND")),
        parts[:, at] if parts.shape[-1] <= batch.room else x.new_empty(n, len(at), 0),
        flat[:, at],
        Normalized(*map(shown, (result.mean, result.var, result.x_hat, result.y))),
        shown(again.mean),
        shown(again.var),
    )


def _masked(batch: _Batch, steps: _Steps) -> NormalizationSteps:
    """Return the steps of one norm at every batch size, with NaN for examples outside the batch."""
    x, inside, result = batch.x[:, batch.units], batch.growing.inside, steps.result
    missing = batch.room - steps.terms.shape[-1]
    terms = torch.nn.functional.pad(steps.terms, (0, missing), value=torch.nan)
    squares = (terms - result.mean[..., None]).square()

    def sheet(values: Tensor) -> Tensor:
        return torch.where(inside, values, torch.nan)

    return NormalizationSteps(
        inside=inside.expand(-1, -1, x.shape[1]),
        groups=torch.where(inside, steps.groups.to(x.device), -1),
        terms=torch.where(inside[..., None], terms, torch.nan),
        squares=torch.where(inside[..., None], squares, torch.nan),
        flat=inside & steps.flat,
        mean=sheet(result.mean),
        var=sheet(result.var),
        centered=sheet(x - result.mean),
        x_hat=sheet(result.x_hat),
        y=sheet(result.y),
        after_mean=sheet(steps.after_mean),
        after_var=sheet(steps.after_var),
    )
