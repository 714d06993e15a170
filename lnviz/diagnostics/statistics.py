"""Statistics of one norm call: about thirty values, computed without a device synchronization.

For 1,024 tokens of width 768, with one thread on a CPU (PyTorch 2.13), `mean` takes 0.07 ms,
`vector_norm` 0.10, `amax` and `amin` 0.08 each, and `layer_norm` itself 0.92. But `var_mean` takes
5.2 ms, `vector_norm` of infinite order 2.6, and `argmax` over all values 1.0. So the variance is
computed in two passes, as the squared norm of the centered values, and the largest component is
searched for within a single group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.diagnostics.norm_spec import NormSpec
from lnviz.norms import normalize

NEARLY_OFF = 0.1
"""A gain below this fraction of its norm's median gain (by absolute value) counts as nearly off, as
on /inside.
"""
CONSTANT_TOLERANCE = 1e-6
"""A group is constant if its standard deviation is below this fraction of its RMS. In float32,
rounding alone produces about 1e-7.
"""
MAX_DETAIL_GROUPS = 64
"""Maximum number of groups per call with details."""
TOP_COMPONENTS = 3
"""Number of largest components that are recorded for each of these groups."""

CALL_STATISTICS = (
    "x_mean",
    "x_rms",
    "x_median",
    "x_largest",
    "component",
    "group",
    "share",
    "mean_share",
    "epsilon",
    "epsilon_most",
    "constant",
    "infinite",
    "y_rms",
    "update",
    "batch_mean",
    "batch_variance",
    "padding",
    "repeated",
)
"""Statistics of a call, in the order of the result of `call_statistics`."""
GAIN_STATISTICS = ("gain_median", "gain_largest", "gain_spread", "gain_off")
"""Statistics of the gains, in the order of the result of `gain_statistics`."""


def call_statistics(
    spec: NormSpec, module: nn.Module, x: Tensor, y: Tensor, previous: Tensor | None
) -> Float[Tensor, " numbers"]:
    r"""Compute the statistics of one norm call, as a vector in the order of `CALL_STATISTICS`.

    A group is a set of values that share one mean $\mu$ and one mean square $\mu^2 + v$. The
    statistics are:

    - of the input: its mean and RMS, the median RMS of the groups, and the largest absolute value
    with its component, its group and its fraction of the group's sum of squares;
    - the fraction of the mean square that comes from the group means;
    - epsilon's fraction of the squared denominator, $\epsilon / (v + \epsilon)$, as median and
    maximum (v is the mean square for norms that do not center);
    - the fraction of groups that are constant, and of groups that are not finite;
    - the RMS of the output, and the median difference from `previous`, relative to the input;
    - for BatchNorm, the distance of the batch means from the running means in running standard
    deviations (RMS over the channels), and of the variances in powers of two (median);
    - for norms that mix positions, the fraction of positions that repeat the first or the last one
    of their example, and for BatchNorm over rows the fraction of rows that repeat the one before.

    With running statistics, epsilon's fraction is that of the running variance, and no group
    counts as constant or padded.

    Args:
        spec: the specification of the detected norm.
        module: the norm.
        x: its input.
        y: its output.
        previous: input of the previous norm in the stream, of the same shape, or None.

    Source: the denominator is that of `lnviz.normalize`.
    """
    values = spec.split_groups(x.detach())
    values = values if values.dtype in (torch.float32, torch.float64) else values.float()
    over = spec.over
    count = math.prod(values.shape[axis] for axis in over)
    mean = values.mean(over, keepdim=True)
    if spec.centers:
        variance = torch.linalg.vector_norm(values - mean, 2, over, keepdim=True).square() / count
        square = variance + mean.square()
    else:
        square = torch.linalg.vector_norm(values, 2, over, keepdim=True).square() / count
        variance = square
    most = torch.maximum(values.amax(over, keepdim=True), -values.amin(over, keepdim=True))
    flat_square, flat_mean = square.flatten(), mean.flatten()
    group = most.flatten().argmax()
    largest = most.amax()
    at = _take_group(values, over, group).abs().argmax()
    total = flat_square.mean()
    fixed = uses_running_statistics(module)
    divided_by = cast(Tensor, module.running_var) if fixed else variance.flatten()
    epsilon = _epsilon_fraction(spec, divided_by, count)
    still = (variance.flatten() <= CONSTANT_TOLERANCE**2 * flat_square) & (not fixed)
    output = vector_length(y.detach())
    numbers = (
        flat_mean.mean(),
        total.sqrt(),
        flat_square.sqrt().median(),
        largest,
        _feature_index(spec, values, group, at),
        group,
        largest.square() / (count * flat_square.index_select(0, group[None])[0]),
        flat_mean.square().mean() / total,
        epsilon.median(),
        epsilon.max(),
        still.float().mean(),
        1 - flat_square.isfinite().float().mean(),
        output / math.sqrt(max(1, y.numel())),
        _relative_update(values, previous, over),
        *_running_statistics_distance(spec, module, mean, variance),
        None if fixed else _padding_fraction(spec, x),
        None if fixed else _repeated_fraction(spec, x),
    )
    missing = torch.full((), torch.nan, device=x.device)
    return torch.stack([missing if n is None else n.float() for n in numbers])


def uses_running_statistics(module: nn.Module) -> bool:
    """Return whether a norm normalizes with running statistics rather than those of its input."""
    return not module.training and getattr(module, "running_var", None) is not None


def _epsilon_fraction(spec: NormSpec, variance: Tensor, count: int) -> Tensor:
    """Return epsilon divided by the variance (or standard deviation) plus epsilon."""
    if not spec.eps:
        return 0 * variance
    denominator = spec.denominator(variance, count)
    return spec.eps / (denominator if spec.eps_outside else denominator.square())


def vector_length(values: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    """Return the Euclidean norm of all values of a tensor, summed in float32 or better."""
    wide = torch.promote_types(values.dtype, torch.float32)
    length: Tensor = torch.linalg.vector_norm(values, dtype=wide)
    return length.float()


def gain_statistics(gain: Float[Tensor, " *D"]) -> Float[Tensor, " numbers"]:
    """Compute the statistics of a gain vector, in the order of `GAIN_STATISTICS`.

    These are the median and the maximum of the absolute values, the interquartile range divided by
    the median, and the fraction below `NEARLY_OFF` times the median.

    Args:
        gain: the effective gains: the factors of the output.
    """
    sizes = gain.detach().flatten().float().abs()
    low, median, high = sizes.quantile(torch.tensor([0.25, 0.5, 0.75], device=sizes.device))
    off = (sizes < NEARLY_OFF * median).float().mean()
    return torch.stack([median, sizes.max(), (high - low) / median, off])


@dataclass(frozen=True, eq=False)
class GroupDetails:
    """Statistics of each of the first `MAX_DETAIL_GROUPS` vectors that one call normalizes.

    Attributes:
        x_rms: RMS of the input.
        x_mean: mean of the input.
        y_rms: RMS of the output.
        which: indices of the components with the largest absolute input.
        x_largest: input at these indices.
        y_largest: output at these indices.
        swapped: distance between the outputs of the norm and of RMSNorm with the same gain and
            bias, relative to the output; NaN if the norm is not LayerNorm.
    """

    x_rms: Float[Tensor, " T"]
    x_mean: Float[Tensor, " T"]
    y_rms: Float[Tensor, " T"]
    which: Int[Tensor, "T K"]
    x_largest: Float[Tensor, "T K"]
    y_largest: Float[Tensor, "T K"]
    swapped: Float[Tensor, ""]


def group_details(spec: NormSpec, x: Tensor, y: Tensor) -> GroupDetails | None:
    """Compute the `GroupDetails` of a norm call; None unless the norm is over the last axes.

    Args:
        spec: the specification of the detected norm.
        x: the input.
        y: the output.
    """
    if not spec.is_over_features:
        return None
    x, y = (spec.split_groups(part.detach()) for part in (x, y))
    count = math.prod(x.shape[axis] for axis in spec.over)
    before, after = (part.reshape(-1, count)[:MAX_DETAIL_GROUPS].float() for part in (x, y))
    which = before.abs().topk(min(TOP_COMPONENTS, count), dim=-1).indices
    return GroupDetails(
        before.square().mean(-1).sqrt(),
        before.mean(-1),
        after.square().mean(-1).sqrt(),
        which,
        before.gather(-1, which),
        after.gather(-1, which),
        _rms_norm_difference(spec, before, after),
    )


def _rms_norm_difference(
    spec: NormSpec, x: Float[Tensor, "T D"], y: Float[Tensor, "T D"]
) -> Tensor:
    """Return the relative change of a LayerNorm's output if an RMSNorm replaced it."""
    if spec.kind != "layer":
        return torch.full((), torch.nan, device=x.device)
    centered = normalize(x, -1, eps=spec.eps).y
    plain = F.rms_norm(x, x.shape[-1:], eps=spec.eps)
    # y = g x_hat + b, so what changes is g times the difference of both; g is fitted below.
    gain = (centered * y).sum(0) - centered.mean(0) * y.sum(0)
    gain = gain / (centered.square().sum(0) - len(x) * centered.mean(0).square())
    gain = gain.where(gain.isfinite(), 0.0)
    change: Tensor = torch.linalg.vector_norm(gain * (plain - centered))
    size: Tensor = torch.linalg.vector_norm(y)
    return change / size


def _take_group(values: Tensor, over: tuple[int, ...], group: Tensor) -> Tensor:
    """Return the values of one normalized group, selected by its index."""
    shared = {axis % values.dim() for axis in over}
    own = [axis for axis in range(values.dim()) if axis not in shared]
    if own == list(range(len(own))):
        flat = values.reshape(-1, math.prod(values.shape[len(own) :]))
        return flat.index_select(0, group[None]).flatten()
    (axis,) = own if len(own) == 1 else (-1,)
    if axis >= 0:
        return values.index_select(axis, group[None]).flatten()
    moved = values.movedim(tuple(own), tuple(range(len(own))))
    return moved.reshape(-1, math.prod(moved.shape[len(own) :])).index_select(0, group[None])


def _feature_index(spec: NormSpec, values: Tensor, group: Tensor, at: Tensor) -> Tensor:
    """Return the feature or channel index of a value, given its group and index in the group."""
    if spec.kind == "batch":
        return group
    if spec.kind == "instance":
        return group % values.shape[-1 - len(spec.over)]
    if spec.kind == "group":
        places = math.prod(values.shape[3:])
        return (group % values.shape[1]) * values.shape[2] + at // places
    return at


def _relative_update(values: Tensor, before: Tensor | None, over: tuple[int, ...]) -> Tensor | None:
    if before is None:
        return None
    change: Tensor = torch.linalg.vector_norm(values - before, 2, over)
    size: Tensor = torch.linalg.vector_norm(values, 2, over)
    return (change / size).median()


def _running_statistics_distance(
    spec: NormSpec, module: nn.Module, mean: Tensor, variance: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """Return how far a batch's means and variances are from the running statistics."""
    running, spread = (getattr(module, f"running_{name}", None) for name in ("mean", "var"))
    if spec.kind != "batch" or running is None or spread is None:
        return None, None
    apart = (mean.flatten() - running).square() / (spread + spec.eps)
    powers = ((variance.flatten() + spec.eps) / (spread + spec.eps)).log2().abs()
    return apart.mean().sqrt(), powers.median()


def _padding_fraction(spec: NormSpec, x: Tensor) -> Tensor | None:
    """Return the fraction of positions that equal the first or last position, as padding does."""
    mixes = spec.kind in ("batch", "instance", "group")
    if x.dim() != 3 or not mixes or x.shape[-1] < 2:
        return None
    runs = [_run_length(part) for part in (x, x.flip(-1))]
    return torch.maximum(*runs).sum() / (x.shape[0] * x.shape[-1])


def _run_length(x: Tensor) -> Tensor:
    """Return how many positions at the beginning of each example are equal; 0 if only one is."""
    run = (x == x[..., :1]).all(1).cumprod(-1).sum(-1)
    return torch.where(run > 1, run, 0)


def _repeated_fraction(spec: NormSpec, x: Tensor) -> Tensor | None:
    """Return the fraction of rows that equal the previous row."""
    if x.dim() != 2 or spec.kind != "batch" or len(x) < 2:
        return None
    return (x[1:] == x[:-1]).all(1).float().mean()
