"""What is kept of a norm's call: some thirty numbers, none of which waits for the device.

On two cores and 1,024 tokens of width 768, with one thread (PyTorch 2.13): `mean` takes 0.07 ms,
`vector_norm` 0.10, `amax` and `amin` 0.08 each, and `layer_norm` itself 0.92; `var_mean` takes 5.2,
`vector_norm` of infinite order 2.6, and `argmax` of the whole 1.0. So a variance is the norm of
what is centered, in two passes, and the largest component is looked for in one group alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lnviz.diagnostics.detection import Facts
from lnviz.norms import normalize

NEARLY = 0.1
"""A gain below this part of its norm's median size counts as nearly off, as on /inside."""
FLAT = 1e-6
"""A group whose variance is below this part of its mean square holds one number many times, as
far as float32 can tell: rounding alone leaves about 1e-7 squared of it."""
TOKENS = 64
"""Groups of which a call's details are kept."""
LARGEST = 3
"""Components that are kept of each of these groups."""

CALL = (
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
)
"""Numbers of a call, in the order in which `of_call` gives them."""
GAIN = ("gain_median", "gain_largest", "gain_spread", "gain_off")
"""Numbers of gains, in the order in which `of_gain` gives them."""


def of_call(
    facts: Facts, module: nn.Module, x: Tensor, y: Tensor, before: Tensor | None
) -> Float[Tensor, " numbers"]:
    r"""Return the numbers of a call.

    Groups are what shares one mean $\mu$ and one mean square $\mu^2 + v$. Of all groups together:
    the mean and the root mean square of the input, the median of the groups' root mean squares, the
    largest size, its component and group and its share of the group's squares, the share of the
    squares that is that of the means, the share $\epsilon / (v + \epsilon)$ of epsilon in what the
    norm divides by (median and most; the mean square stands for v where the norm does not center),
    the shares of groups that hold one number and of those that are not finite, the root mean square
    of the output, and how large the difference from `before` is beside the input (median). Of
    BatchNorm: how far the batch's means are from the running ones, in running standard deviations
    (root mean square over channels), and how far the variances, in powers of two (median). Of three
    dimensions whose last one is normalized over: the share of places at the end that repeat.

    Args:
        facts: what the norm does.
        module: the norm.
        x: what goes in.
        y: what comes out.
        before: what went into the norm before this one, of the same shape, if there was one.

    Source: what is divided by, as in `lnviz.normalize`.
    """
    values = facts.arranged(x.detach())
    values = values if values.dtype in (torch.float32, torch.float64) else values.float()
    over = facts.over
    count = math.prod(values.shape[axis] for axis in over)
    mean = values.mean(over, keepdim=True)
    if facts.centers:
        variance = torch.linalg.vector_norm(values - mean, 2, over, keepdim=True).square() / count
        square = variance + mean.square()
    else:
        square = torch.linalg.vector_norm(values, 2, over, keepdim=True).square() / count
        variance = square
    most = torch.maximum(values.amax(over, keepdim=True), -values.amin(over, keepdim=True))
    flat_square, flat_mean = square.flatten(), mean.flatten()
    group = most.flatten().argmax()
    largest = most.amax()
    at = _group(values, over, group).abs().argmax()
    total = flat_square.mean()
    epsilon = facts.eps / (variance.flatten() + facts.eps) if facts.eps else 0 * flat_square
    still = variance.flatten() <= FLAT**2 * flat_square
    output = torch.linalg.vector_norm(y.detach(), dtype=torch.float32)
    numbers = (
        flat_mean.mean(),
        total.sqrt(),
        flat_square.sqrt().median(),
        largest,
        _component(facts, values, group, at),
        group,
        largest.square() / (count * flat_square.index_select(0, group[None])[0]),
        flat_mean.square().mean() / total,
        epsilon.median(),
        epsilon.max(),
        still.float().mean(),
        1 - flat_square.isfinite().float().mean(),
        output / math.sqrt(max(1, y.numel())),
        _update(values, before, over),
        *_distance(facts, module, mean, variance),
        _padding(facts, x),
    )
    missing = torch.full((), torch.nan, device=x.device)
    return torch.stack([missing if n is None else n.float() for n in numbers])


def of_gain(gain: Float[Tensor, " *D"]) -> Float[Tensor, " numbers"]:
    """Return the numbers of gains.

    The median and the largest of their sizes, the interquartile range as a share of the median, and
    the share of them that is below `NEARLY` of the median.

    Args:
        gain: the gains as they multiply.
    """
    sizes = gain.detach().flatten().float().abs()
    low, median, high = sizes.quantile(torch.tensor([0.25, 0.5, 0.75], device=sizes.device))
    off = (sizes < NEARLY * median).float().mean()
    return torch.stack([median, sizes.max(), (high - low) / median, off])


@dataclass(frozen=True, eq=False)
class Details:
    """What is kept of the groups of a call, up to `TOKENS` of them.

    Attributes:
        x_rms: root mean square of what goes in.
        x_mean: its mean.
        y_rms: root mean square of what comes out.
        which: the largest components of what goes in.
        x_largest: what they are.
        y_largest: what the norm makes of them.
        swapped: how far the output is from what RMSNorm would give with the same gain and bias, as
            a share of its size; NaN where the norm is none.
    """

    x_rms: Float[Tensor, " T"]
    x_mean: Float[Tensor, " T"]
    y_rms: Float[Tensor, " T"]
    which: Int[Tensor, "T K"]
    x_largest: Float[Tensor, "T K"]
    y_largest: Float[Tensor, "T K"]
    swapped: Float[Tensor, ""]


def details(facts: Facts, x: Tensor, y: Tensor) -> Details | None:
    """Return what is kept of the groups of a norm over the last axes.

    Args:
        facts: what the norm does.
        x: what goes in.
        y: what comes out.
    """
    if facts.over[-1] != -1:
        return None
    count = math.prod(x.shape[axis] for axis in facts.over)
    before, after = (part.detach().reshape(-1, count)[:TOKENS].float() for part in (x, y))
    which = before.abs().topk(min(LARGEST, count), dim=-1).indices
    return Details(
        before.square().mean(-1).sqrt(),
        before.mean(-1),
        after.square().mean(-1).sqrt(),
        which,
        before.gather(-1, which),
        after.gather(-1, which),
        _swapped(facts, before, after),
    )


def _swapped(facts: Facts, x: Float[Tensor, "T D"], y: Float[Tensor, "T D"]) -> Tensor:
    """How far RMSNorm's output would be; gain and bias are those that the output shows."""
    if facts.kind != "layer":
        return torch.full((), torch.nan, device=x.device)
    centered = normalize(x, -1, eps=facts.eps).y
    plain = F.rms_norm(x, x.shape[-1:], eps=facts.eps)
    # y = g x_hat + b, so what changes is g times the difference of both; g is fitted below.
    gain = (centered * y).sum(0) - centered.mean(0) * y.sum(0)
    gain = gain / (centered.square().sum(0) - len(x) * centered.mean(0).square())
    gain = gain.where(gain.isfinite(), 0.0)
    change: Tensor = torch.linalg.vector_norm(gain * (plain - centered))
    size: Tensor = torch.linalg.vector_norm(y)
    return change / size


def _group(values: Tensor, over: tuple[int, ...], group: Tensor) -> Tensor:
    """The numbers of one group, without waiting to know which."""
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


def _component(facts: Facts, values: Tensor, group: Tensor, at: Tensor) -> Tensor:
    """Which feature or channel a number belongs to."""
    if facts.kind == "batch":
        return group
    if facts.kind == "instance":
        return group % values.shape[1]
    if facts.kind == "group":
        places = math.prod(values.shape[3:])
        return (group % values.shape[1]) * values.shape[2] + at // places
    return at


def _update(values: Tensor, before: Tensor | None, over: tuple[int, ...]) -> Tensor | None:
    if before is None:
        return None
    change: Tensor = torch.linalg.vector_norm(values - before, 2, over)
    size: Tensor = torch.linalg.vector_norm(values, 2, over)
    return (change / size).median()


def _distance(
    facts: Facts, module: nn.Module, mean: Tensor, variance: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """How far a batch is from the running statistics."""
    running, spread = (getattr(module, f"running_{name}", None) for name in ("mean", "var"))
    if facts.kind != "batch" or running is None or spread is None:
        return None, None
    apart = (mean.flatten() - running).square() / (spread + facts.eps)
    powers = ((variance.flatten() + facts.eps) / (spread + facts.eps)).log2().abs()
    return apart.mean().sqrt(), powers.median()


def _padding(facts: Facts, x: Tensor) -> Tensor | None:
    """The share of places at the ends of the examples that repeat the last one."""
    mixes = facts.kind in ("batch", "instance", "group")
    if x.dim() != 3 or not mixes or x.shape[-1] < 2:
        return None
    same = (x == x[..., -1:]).all(1)  # N,T
    run = same.flip(-1).cumprod(-1).sum(-1)  # N
    return torch.where(run > 1, run, 0).sum() / (x.shape[0] * x.shape[-1])
