"""Validation and conversion of the norms' arguments."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

Values = Shaped[Tensor, "..."] | Shaped[np.ndarray, "..."] | float | int
Epsilon = Float[Tensor, "..."] | float | int

FEATURES = "CD"
SPACE = "LHW"
AXES = {
    "N": "cases",
    "T": "time-steps",
    "C": "channels",
    "D": "units",
    "L": "places",
    "H": "rows",
    "W": "columns",
}


def as_float_tensor(x: Values) -> Tensor:
    """Convert floating-point values to a tensor; arrays are copied, tensors are not."""
    values = x if isinstance(x, Tensor) else torch.as_tensor(_copy_array(x))
    if not values.is_floating_point():
        raise TypeError(
            f"x must have floating-point values, but got {values.dtype} of shape "
            f"{tuple(values.shape)}. Convert x first, for example with x.float()."
        )
    return values


def _copy_array(value: Values) -> Values:
    # Torch takes no negative strides and warns of read-only memory.
    return value.copy() if isinstance(value, np.ndarray) else value


def upcast(values: Tensor) -> Tensor:
    """Convert values to the dtype used for computation: float32 instead of half precision."""
    return values.float() if values.dtype in (torch.float16, torch.bfloat16) else values


def canonical_dims(over: int | Sequence[int], shape: torch.Size) -> tuple[int, ...]:
    """Return the given dimensions as sorted, non-negative indices."""
    return _as_dims((over,) if isinstance(over, int) else tuple(over), shape)


@lru_cache(256)  # checked once for each shape: a twentieth of a call at 64 x 256
def _as_dims(named: tuple[int, ...], shape: torch.Size) -> tuple[int, ...]:
    if not named:
        raise ValueError(
            "`over` must list at least one dimension, but got none. List the dimensions that "
            "share statistics."
        )
    unknown = [d for d in named if not -len(shape) <= d < len(shape)]
    if unknown:
        raise ValueError(
            f"`over` lists dimension {unknown[0]}, but x has shape {tuple(shape)}. "
            + (
                f"Use {-len(shape)} to {len(shape) - 1}."
                if shape
                else "Give x a dimension, with x.view(1)."
            )
        )
    dims = tuple(sorted(d % len(shape) for d in named))
    if len(set(dims)) < len(dims):
        raise ValueError(
            f"`over` lists the same dimension twice: {named}, for x of shape {tuple(shape)}. List "
            "each dimension once."
        )
    empty = [d for d in dims if shape[d] == 0]
    if empty:
        raise ValueError(
            f"A group must have at least one value, but got x of shape {tuple(shape)} with "
            f"over={named}. Give dimension {empty[0]} at least one entry."
        )
    return dims


def check_eps(eps: Epsilon) -> None:
    """Raise a `ValueError` if epsilon is negative or not finite."""
    if not isinstance(eps, Tensor) and not 0 <= eps < math.inf:
        raise ValueError(
            f"eps must be 0 or greater, but got {eps}. It is added to a variance; PyTorch's "
            "default is 1e-5."
        )


def check_layout(layout: str) -> None:
    """Raise a `ValueError` unless a layout has distinct axes, with exactly one feature axis."""
    once = len(set(layout)) == len(layout) and set(layout) <= set(AXES)
    if not once or sum(axis in FEATURES for axis in layout) != 1:
        raise ValueError(
            f"A layout must name axes once each, one of them C or D, but got {layout!r}. The axes "
            f"are {describe_axes(AXES)}. Examples are 'ND', 'NTD' and 'NCHW'."
        )


def describe_axes(axes: Iterable[str]) -> str:
    """Return text that lists axis letters with their meanings.

    >>> describe_axes("HW")
    'H (rows), W (columns)'
    """
    return ", ".join(f"{axis} ({AXES[axis]})" for axis in axes)


def checked_statistics(
    values: Tensor,
    dims: tuple[int, ...],
    center: bool,
    mean: Values | None,
    var: Values | None,
) -> tuple[Tensor, Tensor]:
    """Validate a given mean and variance; return them as tensors broadcastable to `values`."""
    if var is None or (mean is None) == center:
        names = " and ".join(n for n, s in (("mean=", mean), ("var=", var)) if s is not None)
        raise ValueError(
            "With given statistics, pass mean= and var= if center=True, and only var= if "
            f"center=False, but got {names} with center={center}. To compute the statistics from "
            "x, leave both out."
        )
    var = _expand_statistic("var", var, values)
    mean = torch.zeros_like(var) if mean is None else _expand_statistic("mean", mean, values)
    for name, statistic in (("mean", mean), ("var", var)):
        if any(statistic.shape[d - values.dim()] != 1 for d in dims):
            raise ValueError(
                f"Values that share statistics must have one {name}, but got {name} of shape "
                f"{tuple(statistic.shape)} for x of shape {tuple(values.shape)}, with statistics "
                f"shared over dimensions {dims}. Give {name} size 1 in these dimensions, for "
                "example with keepdim=True."
            )
    return mean, var


def _expand_statistic(name: str, value: Values, values: Tensor) -> Tensor:
    # With as many dimensions as the values, so that the shared ones are found from either end.
    tensor = to_broadcastable(name, value, values)
    return tensor.view((1,) * (values.dim() - tensor.dim()) + tensor.shape)


def to_broadcastable(name: str, value: Values, values: Tensor) -> Tensor:
    """Convert a tensor to the dtype and device of `values`; raise if it does not broadcast."""
    tensor = torch.as_tensor(_copy_array(value), dtype=values.dtype, device=values.device)
    if not are_broadcastable(tensor.shape, values.shape):
        raise ValueError(
            f"{name} must broadcast against x, but got {name} of shape {tuple(tensor.shape)} for "
            f"x of shape {tuple(values.shape)}. For one entry per channel of (N, C, H, W), use "
            "shape (C, 1, 1)."
        )
    return tensor


def are_broadcastable(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes broadcast; ten times as fast as `torch.broadcast_shapes`.

    >>> are_broadcastable((3, 1), (4, 3, 5)), are_broadcastable((3, 2), (4, 3, 5))
    (True, False)
    """
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(a == b or a == 1 or b == 1 for a, b in pairs)
