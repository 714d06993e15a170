"""What becomes of a batch under several norms, step by step, as the batch grows."""

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
    """The steps of normalizing for each norm and for batch sizes 1 to N, at the units looked at.

    What lies outside the batch is NaN.

    Attributes:
        inside: whether a case is in the batch.
        groups: the same id for cells that share their statistics; -1 outside the batch.
        terms: the numbers that a cell shares its statistics with, its own among them, NaN behind
            the last; nothing but NaN where they are more than there is room for.
        squares: their squared distances from the mean; without centering, their squares.
        flat: whether they all are equal; without centering, whether they all are 0.
        mean: their mean; 0 without centering.
        var: their biased variance; without centering, their mean square.
        centered: a cell's distance from the mean.
        x_hat: its standardized value.
        y: the values after gain and bias.
        after_mean: the mean of the standardized values that share their statistics.
        after_var: their variance, or their mean square.
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
    """Normalize the first 1, 2, ..., N cases by each norm, with all steps on the way.

    Args:
        norms: BatchNorm, whose statistics grow with the batch, or norms of one case.
        x: N cases of D units.
        units: the units looked at. Statistics over units take all of them.
        gain: a gain for each unit.
        bias: a bias for each unit; a norm that does not center leaves it out, as PyTorch's RMSNorm
            does.
        eps: added to the variance.
        room: the most numbers of a group that are kept as its `terms`.

    Returns:
        The steps, norms and batch sizes leading.

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
    """What every norm is given, and the statistics of each unit looked at as the batch grows."""

    x: Tensor
    units: slice
    growing: Prefixes
    gain: Tensor
    bias: Tensor
    eps: float
    room: int


@dataclass(frozen=True, eq=False)
class _Steps:
    """One norm's steps, all of which broadcast to batch sizes x cases x units looked at."""

    groups: Tensor
    terms: Tensor
    flat: Tensor
    result: Normalized
    after_mean: Tensor
    after_var: Tensor


def _steps(batch: _Batch, norm: Norm) -> _Steps:
    return (_over_cases if norm.over("ND") == (-2,) else _over_units)(batch, norm)


def _over_cases(batch: _Batch, norm: Norm) -> _Steps:
    """Statistics that grow with the batch, each unit by itself: no other plays a part."""
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
    """Statistics of one case, over all of its units or over parts of them."""
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
    """One norm's steps at every batch size, without the cases outside."""
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
