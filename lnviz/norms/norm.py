"""The class `Norm`: a norm's shared axes, formula and names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.norms.arguments import (
    FEATURES,
    Epsilon,
    Values,
    as_float_tensor,
    check_layout,
    describe_axes,
    upcast,
)
from lnviz.norms.normalize import Normalized, apply_affine, normalize

Family = Literal["case", "batch", "places", "values"]
"""The set of values that a norm's statistics are computed over: one example (`case`), several
examples (`batch`), the positions of one feature (`places`), or none (`values`), so that each value
is transformed independently.
"""


@dataclass(frozen=True)
class Norm:
    """A normalization method, defined by the axes that share one mean and one variance.

    A layout names the last axes of a tensor by letter, in any order: `N` examples, `T` time steps,
    `C` or `D` features (channels, units), `L` or `H` and `W` positions. Leading dimensions before
    them are independent. Layouts in use: `"ND"`, `"NTD"`, `"NCHW"`, and `"DN"` for a transposed
    grid.

    A replacement for a norm, and "no norm", have no shared axes and no statistics; `elementwise` is
    their function.

    Attributes:
        key: short name, in URLs and tables. The theme defines the norm's color as the CSS variable
            `--ln-` followed by the key.
        label: printed name.
        equation: the output for a pre-activation a, without gain and bias, in LaTeX.
        note: Markdown that the reference prints after the equation. Shapes of statistics in it,
            such as (N, 1), are those of `groups`.
        shared_axes: letters of the axes along which statistics are shared; empty for a replacement.
        code: a PyTorch expression of `x`, examples x features, with `F` for `torch.nn.functional`.
            WeightNorm's expression also uses `weight`, with one row of weights per unit.
        color: text color on light and on dark pages, both `#RRGGBB`. The hues are from the
            Okabe-Ito palette (safe for color-blind readers), with the lightness changed if the
            palette's shade has a contrast below 4.5.
        dash: dash pattern of its line in charts, which distinguishes coinciding lines.
        center: whether the mean is subtracted.
        group_count: number of groups of features (GroupNorm), or None.
        from_weights: whether sigma is the Euclidean norm of a unit's weights (WeightNorm).
        elementwise: the function of a replacement, or None.
        self_gate: a function of the normalized values, whose result is multiplied with them;
            gradients do not flow through this factor (AdaNorm). Such a norm has neither gain nor
            bias.
        one_gain: whether all features share one gain (ScaleNorm).
        successor: whether it was proposed as a replacement of LayerNorm; the reference lists these
            separately.

    >>> from lnviz.norms import BATCH, LAYER
    >>> LAYER.over("NCHW"), BATCH.over("NCHW")
    ((-3, -2, -1), (-4, -2, -1))
    """

    key: str
    label: str
    equation: str
    note: str
    shared_axes: str
    code: str
    color: tuple[str, str]
    dash: str = "solid"
    center: bool = True
    group_count: int | None = None
    from_weights: bool = False
    elementwise: Callable[[Tensor], Tensor] | None = None
    self_gate: Callable[[Tensor], Tensor] | None = None
    one_gain: bool = False
    successor: bool = False

    @property
    def family(self) -> Family:
        """The type of set over which statistics are computed, such as an example or a batch.

        >>> from lnviz.norms import CATALOGUE
        >>> [CATALOGUE[key].family for key in ("layer", "batch", "instance", "weight")]
        ['case', 'batch', 'places', 'values']
        """
        if not self.shared_axes or self.from_weights:
            return "values"
        if "N" in self.shared_axes:
            return "batch"
        return "case" if set(FEATURES) & set(self.shared_axes) else "places"

    def over(self, layout: str) -> tuple[int, ...]:
        """Return the dimensions along which statistics are shared, as negative indices.

        For GroupNorm, they include the feature axis, although each group covers only part of it;
        see `groups`.

        Args:
            layout: axis letters of the last dimensions.

        Returns:
            Negative dimensions in ascending order; none for a replacement.

        Raises:
            ValueError: the layout is malformed, or has none of the norm's shared axes.

        >>> from lnviz.norms import LAYER
        >>> LAYER.over("NTD")
        (-1,)
        """
        check_layout(layout)
        dims = tuple(i - len(layout) for i, axis in enumerate(layout) if axis in self.shared_axes)
        if not dims and self.shared_axes:
            raise ValueError(
                f"{self.label} shares statistics along {describe_axes(self.shared_axes)}, but "
                f"layout {layout!r} has none of these axes. Use a layout such as 'NCHW', or "
                "another norm."
            )
        return dims

    def groups(self, shape: Sequence[int], layout: str) -> Int[Tensor, "..."]:
        """Return the group id of every value; values with the same id share mean and variance.

        Args:
            shape: the shape of the values, with any leading dimensions.
            layout: axis letters of the last dimensions.

        Returns:
            int64 ids of the given shape, counted from 0 in order of first appearance.

        Raises:
            ValueError: the shape has fewer dimensions than the layout, or the number of groups does
                not divide the number of features, or `over` raises it.

        Source: Wu and He 2018 (arXiv 1803.08494), section 3.

        >>> from lnviz.norms import LAYER, group_norm
        >>> LAYER.groups((2, 3), "ND")
        tensor([[0, 0, 0],
                [1, 1, 1]])
        >>> group_norm(3).groups((1, 6), "ND")
        tensor([[0, 0, 1, 1, 2, 2]])
        """
        over = self.over(layout)
        feature = self._feature_dim(shape, layout)
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
        eps: Epsilon = 1e-5,
        mean: Values | None = None,
        var: Values | None = None,
        weight: Values | None = None,
    ) -> Normalized:
        r"""Normalize the values `x` with this norm.

        $$y = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$

        WeightNorm computes no statistics from `x`: $\mu_i = 0$ and $\sigma_i = |w_i|$ for unit i. A
        replacement computes $y = \gamma f(x) + \beta$; its `mean` is 0 and its `var` is 1. AdaNorm
        multiplies the fraction by its `self_gate`.

        Args:
            x: values; the last dimensions are those of `layout`, and leading dimensions are
                independent.
            layout: axis letters of the last dimensions.
            gain: as in `normalize`: broadcasts against `x`.
            bias: as in `normalize`: broadcasts against `x`.
            eps: as in `normalize`.
            mean: given means, as in `normalize` (BatchNorm at inference).
            var: given variances, as in `normalize`.
            weight: the weights $w_i$ of the units as rows, `(units, inputs)`, with any leading
                dimensions. Required by WeightNorm, ignored by other norms.

        Returns:
            The result in the shape of `x`; `mean` and `var` broadcast against `x`. For GroupNorm,
            they are repeated for every feature of their group.

        Raises:
            TypeError: `x` is not floating point.
            ValueError: `mean` or `var` is given to GroupNorm or WeightNorm, or WeightNorm has no
                weights or weights for another number of units, or `over`, `groups` or
                `normalize` raises it.

        Source: Ba, Kiros and Hinton 2016, equation 5.

        >>> from lnviz.norms import LAYER, WEIGHT
        >>> LAYER.apply(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), "ND", eps=0.0).y
        tensor([[-1.,  1.],
                [-1.,  1.]])
        >>> WEIGHT.apply(torch.tensor([[10.0]]), "ND", weight=torch.tensor([[3.0, 4.0]]), eps=0.0).y
        tensor([[2.]])
        """
        values = as_float_tensor(x)
        over = self.over(layout)
        feature = self._feature_dim(values.shape, layout)
        if mean is not None or var is not None:
            self._check_takes_statistics()
        if self.elementwise:
            wide = upcast(values)
            one = wide.new_ones(())
            return apply_affine(values.dtype, 0 * one, one, self.elementwise(wide), gain, bias)
        if self.group_count is not None:
            return self._apply_by_groups(values, over, feature, self.group_count, gain, bias, eps)
        if self.from_weights:
            var = self._squared_weight_norm(weight, values.shape[feature])
            # Dimensions of size 1 around the units line them up with the feature axis.
            before, behind = [1] * (len(layout) + feature), [1] * (-feature - 1)
            var = var.reshape(*var.shape[:-1], *before, var.shape[-1], *behind)
        if self.self_gate is not None:
            part = normalize(upcast(values), over, eps=eps, mean=mean, var=var)
            x_hat = self.self_gate(part.x_hat.detach()) * part.x_hat
            return apply_affine(values.dtype, part.mean, part.var, x_hat, gain, bias)
        return normalize(
            values, over, center=self.center, gain=gain, bias=bias, eps=eps, mean=mean, var=var
        )

    def _check_takes_statistics(self) -> None:
        if self.elementwise:
            raise ValueError(
                f"{self.label} has no statistics, but got mean= or var=. Leave them out."
            )
        if self.from_weights or self.group_count is not None:
            source = "weight" if self.from_weights else "x"
            raise ValueError(
                f"{self.label} always takes its statistics from {source}, even at inference, but "
                "got mean= or var=. Leave them out."
            )

    def _apply_by_groups(
        self,
        values: Tensor,
        over: tuple[int, ...],
        feature: int,
        count: int,
        gain: Values | None,
        bias: Values | None,
        eps: Epsilon,
    ) -> Normalized:
        # Features become groups x members; dimensions before them move one further from the end.
        members = values.shape[feature] // count
        cut = upcast(values).unflatten(feature, (count, members))
        if isinstance(eps, Tensor) and eps.dim() >= -feature:
            eps = eps.unsqueeze(feature)
        part = normalize(cut, [d - (d < feature) for d in over], eps=eps)
        joined = (feature - 1, feature)
        return apply_affine(
            values.dtype,
            part.mean.repeat_interleave(members, feature).flatten(*joined),
            part.var.repeat_interleave(members, feature).flatten(*joined),
            part.x_hat.flatten(*joined),
            gain,
            bias,
        )

    def _feature_dim(self, shape: Sequence[int], layout: str) -> int:
        if len(shape) < len(layout):
            raise ValueError(
                f"Layout {layout!r} names {len(layout)} dimensions, but the shape is "
                f"{tuple(shape)}. Name exactly the dimensions of the shape."
            )
        feature = next(i for i, axis in enumerate(layout) if axis in FEATURES) - len(layout)
        units = shape[feature]
        if self.group_count is not None and units % self.group_count:
            allowed = [str(g) for g in range(1, units + 1) if units % g == 0]
            raise ValueError(
                f"{self.label} needs groups of equal size, but got {units} features for "
                f"{self.group_count} groups. Use {', '.join(allowed)} groups."
            )
        return feature

    def _squared_weight_norm(self, weight: Values | None, units: int) -> Tensor:
        if weight is None:
            raise ValueError(
                f"{self.label} computes sigma from the weights, but got none. Pass weight=, with "
                "one row per unit: (units, inputs)."
            )
        rows = upcast(as_float_tensor(weight))
        if rows.dim() < 2 or rows.shape[-2] != units:
            raise ValueError(
                f"weight must have one row per unit, (units, inputs) with {units} units, but got "
                f"shape {tuple(rows.shape)}. Transpose a matrix; flatten a kernel with "
                "weight.flatten(1)."
            )
        return rows.square().sum(-1)
