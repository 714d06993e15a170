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
            f"Normalizing needs floating-point values, got {values.dtype} of shape "
            f"{tuple(values.shape)}. Convert them first, for example with x.float()."
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
            "over needs at least one dimension, got none. Name those that share statistics."
        )
    unknown = [d for d in named if not -len(shape) <= d < len(shape)]
    if unknown:
        raise ValueError(
            f"over= names dimension {unknown[0]}, but x has shape {tuple(shape)}. "
            + (f"Use {-len(shape)} to {len(shape) - 1}." if shape else "Give x one, as x.view(1).")
        )
    dims = tuple(sorted(d % len(shape) for d in named))
    if len(set(dims)) < len(dims):
        raise ValueError(
            f"over names a dimension twice: {named}, for x of shape {tuple(shape)}. "
            f"Name each dimension once."
        )
    empty = [d for d in dims if shape[d] == 0]
    if empty:
        raise ValueError(
            f"A group needs at least one value, got x of shape {tuple(shape)} with over={named}. "
            f"Give dimension {empty[0]} at least one entry."
        )
    return dims


def check_eps(eps: Epsilon) -> None:
    """Raise a `ValueError` if epsilon is negative or not finite."""
    if not isinstance(eps, Tensor) and not 0 <= eps < math.inf:
        raise ValueError(
            f"eps is added to a variance and is 0 or more, got {eps}. PyTorch's default is 1e-5."
        )


def check_layout(layout: str) -> None:
    """Raise a `ValueError` unless a layout has distinct axes, with exactly one feature axis."""
    once = len(set(layout)) == len(layout) and set(layout) <= set(AXES)
    if not once or sum(axis in FEATURES for axis in layout) != 1:
        raise ValueError(
            f"A layout names axes once each, one of them C or D, out of {describe_axes(AXES)}; "
            f"got {layout!r}. Examples are 'ND', 'NTD' and 'NCHW'."
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
            f"Given statistics are mean= and var= when centering, var= alone when not; got {names} "
            f"with center={center}. Leave both out to compute them from x."
        )
    var = _expand_statistic("var", var, values)
    mean = torch.zeros_like(var) if mean is None else _expand_statistic("mean", mean, values)
    for name, statistic in (("mean", mean), ("var", var)):
        if any(statistic.shape[d - values.dim()] != 1 for d in dims):
            raise ValueError(
                f"Cells that share statistics share one {name}, got {name} of shape "
                f"{tuple(statistic.shape)} for x of shape {tuple(values.shape)} shared over "
                f"dimensions {dims}. Give {name} size 1 there, for example with keepdim=True."
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
            f"{name} must broadcast against x, got {name} of shape {tuple(tensor.shape)} for x of "
            f"shape {tuple(values.shape)}. One entry a channel of (N, C, H, W) is (C, 1, 1)."
        )
    return tensor


def are_broadcastable(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes broadcast; ten times as fast as `torch.broadcast_shapes`.

    >>> are_broadcastable((3, 1), (4, 3, 5)), are_broadcastable((3, 2), (4, 3, 5))
    (True, False)
    """
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(a == b or a == 1 or b == 1 for a, b in pairs)
