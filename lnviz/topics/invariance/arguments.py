"""Validation of the arguments of the invariance measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lnviz.norms import INSTANCE


def require(name: str, given: str, allowed: Mapping[str, object]) -> None:
    """Raise an error unless a name is one of the known names."""
    if given not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {given!r}.")


def require_sizes(**sizes: int) -> None:
    """Raise an error if a size is below 1."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be 1 or more, got {size}.")


def require_squares(summed: Float[Tensor, "..."]) -> None:
    """Raise an error if squares of the values would overflow, so that variances would be infinite.

    16-bit values are squared in 32 bits, as in the norms.
    """
    wide = summed.float() if summed.dtype.itemsize < 4 else summed
    if not bool(wide.square().sum().isfinite()):
        name = str(summed.dtype).removeprefix("torch.")
        raise ValueError(
            f"The squares of the pre-activations must fit into {name}, whose largest number is "
            f"{torch.finfo(summed.dtype).max:.3g}; got pre-activations up to "
            f"{float(summed.abs().max()):.3g}. Divide the data, or choose smaller strengths."
        )


def as_strengths(strengths: Sequence[float]) -> Float[Tensor, " S"]:
    """Validate the strengths of a transformation, and return them as a tensor."""
    tensor = torch.tensor(tuple(strengths), dtype=torch.float64)
    if not tensor.numel() or not bool(tensor.isfinite().all()):
        raise ValueError(f"strengths must be finite numbers, at least one; got {tuple(strengths)}.")
    return tensor


def as_data(data: Shaped[Tensor, "..."]) -> Float[Tensor, "N P I"]:
    """Validate input data; return it as a float64 tensor (examples x positions x inputs)."""
    if not data.is_floating_point():
        raise TypeError(
            f"Data must be floating point, got {data.dtype}. Convert it, for example with "
            f"data.float()."
        )
    if data.dim() not in (2, 3) or not data.numel():
        raise ValueError(
            f"Data must be cases x inputs, or cases x places x inputs, with at least one of each; "
            f"got shape {tuple(data.shape)}. One case is data[None]."
        )
    if not bool(data.isfinite().all()):
        raise ValueError(
            "Data must be finite, got NaN or infinity in it. Leave those cases out, or put a "
            "number there."
        )
    return (data[:, None] if data.dim() == 2 else data).double()


def reason_not_applicable(norm: str, places: int) -> str:
    """Return the reason why a norm cannot be used in a layer, or "" if it can be used.

    Args:
        norm: the norm's key.
        places: number of positions per example where the layer is applied: 1 in a fully connected
            layer, the number of pixels in a convolution.

    Returns:
        A sentence, or "".

    >>> reason_not_applicable("layer", 1), reason_not_applicable("instance", 4)
    ('', '')
    >>> reason_not_applicable("instance", 1)
    'InstanceNorm averages over an example’s positions; this layer has one, so nothing is left.'
    """
    if norm == INSTANCE.key and places == 1:
        return (
            f"{INSTANCE.label} averages over an example’s positions; this layer has one, so "
            "nothing is left."
        )
    return ""
