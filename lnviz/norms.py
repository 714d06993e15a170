"""Normalization over any dimensions, and the named norms: which axes share statistics."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.arguments import (
    FEATURES,
    SPACE,
    Swept,
    Values,
    are_broadcastable,
    as_dims,
    as_values,
    broadcasting,
    check_eps,
    check_layout,
    given_statistics,
    listed,
    upcast,
)
from lnviz.kernels import is_followed, standardize


@dataclass(frozen=True, eq=False)
class Normalized:
    """What normalizing computes, every intermediate by name.

    Shapes broadcast against each other: `mean` and `var` keep the shared dimensions with size 1.
    `y` is `x_hat` itself when there is neither gain nor bias, and larger than `x_hat` when a gain
    or bias is swept.

    Attributes:
        mean: mean of each group; zeros without centering. float32 for half-precision input, where
            the variance of values beyond 256 would overflow float16.
        var: biased variance of each group; without centering the mean square. dtype as `mean`.
        x_hat: the standardized values, in the dtype of the input.
        y: `x_hat * gain + bias`, in the dtype of the input.
    """

    mean: Float[Tensor, "*#shape"]
    var: Float[Tensor, "*#shape"]
    x_hat: Float[Tensor, "*#shape"]
    y: Float[Tensor, "*#shape"]


def normalize(
    x: Values,
    over: int | Sequence[int],
    *,
    center: bool = True,
    gain: Values | None = None,
    bias: Values | None = None,
    eps: Swept = 1e-5,
    mean: Values | None = None,
    var: Values | None = None,
) -> Normalized:
    r"""Standardize `x` over the dimensions `over`, then apply gain and bias.

    $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \quad y = \gamma \hat x + \beta, \quad
    \mu = \frac1n \sum x, \quad \sigma^2 = \frac1n \sum (x - \mu)^2$$

    The sums run over `over`; every other dimension, leading sweep dimensions included, holds groups
    that do not see each other. `reference` is the same in plain steps; this function picks a faster
    way to the same numbers where there is one. Half precision is computed in float32 and rounded
    once, at the end.

    Args:
        x: values of any shape, a tensor or an array, floating point.
        over: the dimensions that share statistics, negative ones counted from the end.
        center: False leaves the mean in: `mean` is 0 and `var` the mean square (RMSNorm).
        gain: gamma, any shape that broadcasts against `x`: `(D,)` for cases x units, `(C, 1, 1)`
            for images. Extra leading dimensions sweep: `y` grows by them, `x_hat` does not.
        bias: beta, shapes as for `gain`.
        eps: added to the variance, 0 or more. A tensor that broadcasts against `x` sweeps it.
        mean: given means instead of the group's own (BatchNorm at inference), any shape that
            broadcasts against `x` with size 1 over `over`. Needs `var`.
        var: given variances, shapes as for `mean`. Needs `mean`, unless `center=False`.

    Returns:
        `Normalized(mean, var, x_hat, y)`. Gradients flow through all four.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: `over` names no, unknown or repeated dimensions, groups are empty, `eps` is
            negative, shapes do not broadcast, or only one of `mean` and `var` is given.

    Source: Ba, Kiros and Hinton 2016, equations 2 and 3, with epsilon as in PyTorch's modules;
    Zhang and Sennrich 2019 for `center=False`.

    >>> result = normalize(torch.tensor([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]]), over=-1)
    >>> result.mean.flatten(), result.var.flatten()
    (tensor([ 2.5000, 25.0000]), tensor([  1.2500, 125.0000]))
    >>> result.y
    tensor([[-1.3416, -0.4472,  0.4472,  1.3416],
            [-1.3416, -0.4472,  0.4472,  1.3416]])
    """
    values = as_values(x)
    if mean is not None or var is not None or isinstance(eps, Tensor) or is_followed(values):
        return reference(
            values, over, center=center, gain=gain, bias=bias, eps=eps, mean=mean, var=var
        )
    dims = as_dims(over, values.shape)
    check_eps(eps)
    return _affine(values.dtype, *standardize(upcast(values), dims, center, eps), gain, bias)


def reference(
    x: Values,
    over: int | Sequence[int],
    *,
    center: bool = True,
    gain: Values | None = None,
    bias: Values | None = None,
    eps: Swept = 1e-5,
    mean: Values | None = None,
    var: Values | None = None,
) -> Normalized:
    """Compute what `normalize` computes, written out: one step of the formula a line.

    Formula, arguments, result and errors are those of `normalize`, which answers with this function
    where derivatives are taken, where statistics are given and where `eps` is swept.

    >>> reference(torch.tensor([1.0, 2.0, 3.0, 4.0]), over=0).var
    tensor([1.2500])
    """
    values = as_values(x)
    dims = as_dims(over, values.shape)
    check_eps(eps)
    dtype, values = values.dtype, upcast(values)
    if var is not None or mean is not None:
        mean, var = given_statistics(values, dims, center, mean, var)
        centered = values - mean
    elif center:
        mean = values.mean(dims, keepdim=True)
        centered = values - mean
        var = centered.square().mean(dims, keepdim=True)
    else:
        centered = values
        var = values.square().mean(dims, keepdim=True)
        mean = torch.zeros_like(var)
    sigma = (var + eps).sqrt()
    x_hat = centered / sigma
    return _affine(dtype, mean, var, x_hat, gain, bias)


def one_pass_variance(x: Values, over: int | Sequence[int]) -> Float[Tensor, "..."]:
    r"""Return $E[x^2] - E[x]^2$: a demonstration of how not to compute a variance.

    Equal to the variance on paper. In floating point it subtracts two large numbers that agree in
    all but their last digits, and what is left is rounding, even below zero.

    Args:
        x: values of any shape, floating point.
        over: the dimensions that share statistics.

    Returns:
        The difference, shared dimensions kept with size 1.

    Raises:
        TypeError, ValueError: as `normalize`.

    >>> one_pass_variance(torch.tensor([1.0, 2.0, 3.0, 4.0]) + 1e4, over=0)
    tensor([-8.])
    """
    values = as_values(x)
    dims = as_dims(over, values.shape)
    return values.square().mean(dims, keepdim=True) - values.mean(dims, keepdim=True).square()


def _affine(
    dtype: torch.dtype,
    mean: Tensor,
    var: Tensor,
    x_hat: Tensor,
    gain: Values | None,
    bias: Values | None,
) -> Normalized:
    """Apply gain and bias, and round to the dtype of the input."""
    y = x_hat
    if gain is not None:
        gain = broadcasting("gain", gain, x_hat)
    if bias is not None:
        bias = broadcasting("bias", bias, x_hat)
    if gain is not None and bias is not None:
        if not are_broadcastable(gain.shape, bias.shape):
            raise ValueError(
                f"gain and bias must broadcast against each other, got shapes {tuple(gain.shape)} "
                f"and {tuple(bias.shape)}. Give each sweep a dimension of its own."
            )
        y = torch.addcmul(bias, x_hat, gain)
    elif gain is not None:
        y = x_hat * gain
    elif bias is not None:
        y = x_hat + bias
    rounded = x_hat.to(dtype)
    return Normalized(mean, var, rounded, rounded if y is x_hat else y.to(dtype))


@dataclass(frozen=True)
class Norm:
    """A named norm: which of a layout's axes share one mean and one variance.

    A layout names the last axes of a tensor by letter, in any order: `N` cases, `T` time-steps, `C`
    or `D` features (channels, units), `L` or `H` and `W` places. Dimensions before them are
    sweeps. Layouts in use: `"ND"`, `"NTD"`, `"NCHW"`, and `"DN"` for a transposed grid.

    Attributes:
        key: short name, for addresses and tables.
        label: name as printed.
        shares: letters of the axes along which cells share statistics.
        center: whether the mean is subtracted.
        group_count: into how many groups the feature axis is cut (GroupNorm), otherwise None.
        from_weights: whether sigma is the length of a unit's weights (WeightNorm).

    >>> LAYER.over("NCHW"), BATCH.over("NCHW")
    ((-3, -2, -1), (-4, -2, -1))
    """

    key: str
    label: str
    shares: str
    center: bool = True
    group_count: int | None = None
    from_weights: bool = False

    def over(self, layout: str) -> tuple[int, ...]:
        """Return the dimensions that share statistics, counted from the end: sweeps may lead.

        For GroupNorm the feature axis is among them, though each group holds a part of it only;
        `groups` says which.

        Args:
            layout: axis letters of the last dimensions.

        Returns:
            Negative dimensions in rising order.

        Raises:
            ValueError: the layout is malformed, or has no axis along which this norm shares.

        >>> LAYER.over("NTD")
        (-1,)
        """
        check_layout(layout)
        dims = tuple(i - len(layout) for i, axis in enumerate(layout) if axis in self.shares)
        if not dims:
            raise ValueError(
                f"{self.label} shares statistics along {listed(self.shares)}, got layout "
                f"{layout!r} with none of them. Use a layout such as 'NCHW', or another norm."
            )
        return dims

    def groups(self, shape: Sequence[int], layout: str) -> Int[Tensor, "..."]:
        """Return for every cell the id of its group: same id, same mean and variance.

        Args:
            shape: of the values, sweep dimensions leading.
            layout: axis letters of the last dimensions.

        Returns:
            int64 ids of the given shape, counted from 0 in order of first appearance.

        Raises:
            ValueError: as `over`; the shape is shorter than the layout; the features do not divide
                into the norm's groups.

        Source: Wu and He 2018 (arXiv 1803.08494), section 3.

        >>> LAYER.groups((2, 3), "ND")
        tensor([[0, 0, 0],
                [1, 1, 1]])
        >>> GROUP(3).groups((1, 6), "ND")
        tensor([[0, 0, 1, 1, 2, 2]])
        """
        over = self.over(layout)
        feature = self._feature(shape, layout)
        ids = torch.zeros(tuple(shape), dtype=torch.int64)
        for d in range(-len(shape), 0):
            if d not in over:
                count = shape[d]
            elif d == feature and self.group_count is not None:
                count = self.group_count
            else:
                continue
            index = torch.arange(shape[d]) * count // max(shape[d], 1)
            ids = ids * count + index.view(-1, *[1] * (-d - 1))
        return ids

    def apply(
        self,
        x: Values,
        layout: str,
        *,
        gain: Values | None = None,
        bias: Values | None = None,
        eps: Swept = 1e-5,
        mean: Values | None = None,
        var: Values | None = None,
        weight: Values | None = None,
    ) -> Normalized:
        r"""Normalize `x` by this norm.

        $$y = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$

        WeightNorm takes no statistics from `x`: $\mu_i = 0$ and $\sigma_i = |w_i|$ for unit i.

        Args:
            x: values, the last dimensions as `layout` says, sweep dimensions leading.
            layout: axis letters of the last dimensions.
            gain: as in `normalize`: broadcasts against `x`.
            bias: as in `normalize`: broadcasts against `x`.
            eps: as in `normalize`.
            mean: given means, as in `normalize` (BatchNorm at inference).
            var: given variances, as in `normalize`.
            weight: the units' weights $w_i$ as rows, `(units, inputs)`, sweep dimensions leading.
                Read by WeightNorm alone, which needs them.

        Returns:
            `Normalized` in the shape of `x`; `mean` and `var` broadcast against `x`. GroupNorm
            repeats them along the feature axis, so that every cell finds its group's.

        Raises:
            TypeError: `x` is not floating point.
            ValueError: as `over`, `groups` and `normalize`; statistics given to GroupNorm or
                WeightNorm; WeightNorm without weights, or with weights of another number of units.

        Source: Ba, Kiros and Hinton 2016, equation 5.

        >>> LAYER.apply(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), "ND", eps=0.0).y
        tensor([[-1.,  1.],
                [-1.,  1.]])
        >>> WEIGHT.apply(torch.tensor([[10.0]]), "ND", weight=torch.tensor([[3.0, 4.0]]), eps=0.0).y
        tensor([[2.]])
        """
        values = as_values(x)
        over = self.over(layout)
        feature = self._feature(values.shape, layout)
        if (self.from_weights or self.group_count) and not (mean is None and var is None):
            raise ValueError(
                f"{self.label} takes its statistics from {'weight' if self.from_weights else 'x'}, "
                f"at inference too, got mean= or var=. Leave them out."
            )
        if self.from_weights:
            # Dimensions of size 1 behind the units line them up with the feature axis.
            squared_length = self._squared_length(weight, values.shape[feature])
            before, behind = [1] * (len(layout) + feature), [1] * (-feature - 1)
            var = squared_length.reshape(
                *squared_length.shape[:-1], *before, squared_length.shape[-1], *behind
            )
        if self.group_count is None:
            return normalize(
                values, over, center=self.center, gain=gain, bias=bias, eps=eps, mean=mean, var=var
            )
        # Features become groups x members; dimensions before them move one further from the end.
        members = values.shape[feature] // self.group_count
        at = values.dim() + feature
        cut = upcast(values).reshape(
            *values.shape[:at], self.group_count, members, *values.shape[at + 1 :]
        )
        if isinstance(eps, Tensor) and eps.dim() >= -feature:
            eps = eps.unsqueeze(feature)
        part = normalize(cut, [d - (d < feature) for d in over], eps=eps)
        joined = (feature - 1, feature)
        return _affine(
            values.dtype,
            part.mean.repeat_interleave(members, feature).flatten(*joined),
            part.var.repeat_interleave(members, feature).flatten(*joined),
            part.x_hat.flatten(*joined),
            gain,
            bias,
        )

    def _feature(self, shape: Sequence[int], layout: str) -> int:
        if len(shape) < len(layout):
            raise ValueError(
                f"Layout {layout!r} names {len(layout)} dimensions, got shape {tuple(shape)}. "
                f"Add the missing ones, or name only those there are."
            )
        feature = next(i for i, axis in enumerate(layout) if axis in FEATURES) - len(layout)
        units = shape[feature]
        if self.group_count is not None and units % self.group_count:
            allowed = [str(g) for g in range(1, units + 1) if units % g == 0]
            raise ValueError(
                f"{self.label} needs groups of one size, got {units} features for "
                f"{self.group_count} groups. Use {', '.join(allowed)} groups."
            )
        return feature

    def _squared_length(self, weight: Values | None, units: int) -> Tensor:
        if weight is None:
            raise ValueError(
                f"{self.label} takes sigma from the weights, got none. "
                f"Pass weight=, one row a unit: (units, inputs)."
            )
        rows = upcast(as_values(weight))
        if rows.dim() < 2 or rows.shape[-2] != units:
            raise ValueError(
                f"weight holds one row a unit, (units, inputs) with {units} units, got shape "
                f"{tuple(rows.shape)}. Transpose a matrix; flatten a kernel with weight.flatten(1)."
            )
        return rows.square().sum(-1)


def GROUP(groups: int) -> Norm:
    """Return GroupNorm with `groups` groups of neighboring features.

    One group is LayerNorm; on images, as many groups as channels is InstanceNorm.

    Args:
        groups: how many, 1 or more. Has to divide the number of features the norm meets.

    Returns:
        The norm.

    Raises:
        ValueError: `groups` is less than 1.

    Source: Wu and He 2018 (arXiv 1803.08494), section 3.

    >>> GROUP(2).apply(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), "ND").mean
    tensor([[ 2.,  2., 20., 20.]])
    """
    if groups < 1:
        raise ValueError(f"GroupNorm needs 1 group or more, got {groups}.")
    return Norm("group", "GroupNorm", FEATURES + SPACE, group_count=groups)


BATCH = Norm("batch", "BatchNorm", "NT" + SPACE)
LAYER = Norm("layer", "LayerNorm", FEATURES + SPACE)
INSTANCE = Norm("instance", "InstanceNorm", "T" + SPACE)
RMS = Norm("rms", "RMSNorm", FEATURES + SPACE, center=False)
WEIGHT = Norm("weight", "WeightNorm", "NT" + SPACE, center=False, from_weights=True)
