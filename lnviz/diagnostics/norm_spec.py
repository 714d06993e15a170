"""Specification of a norm: what it computes, and where it keeps its parameters and epsilon."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

EPSILON_FIELDS = ("eps", "variance_epsilon", "epsilon", "norm_eps", "layer_norm_eps")
"""Names of the attributes in which modules store their epsilon."""
HALF_DTYPES = (torch.float16, torch.bfloat16)
IN_FLOAT32, IN_INPUT_DTYPE, UNDETERMINED = "float32", "the input's", "not told apart"
"""The precision in which a norm computes its statistics."""
BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
INSTANCE_NORMS = {nn.InstanceNorm1d: 1, nn.InstanceNorm2d: 2, nn.InstanceNorm3d: 3}
"""InstanceNorms, with the number of axes that one mean is computed over."""
GATED_INPUT, GATED_OUTPUT, ADDED = "x · silu(gate)", "y · silu(gate)", "x + residual"
"""What a norm does with a second argument."""


@dataclass(frozen=True)
class NormSpec:
    """Specification of a detected norm: type, axes, groups, epsilon, conventions, precision.

    Attributes:
        kind: key in the catalogue: `layer`, `rms`, `group`, `instance`, `batch`.
        over: the dimensions that share statistics, of the input after `split_groups`; negative
            indices for the last dimensions.
        groups: number of groups of channels or features; 0 without groups.
        eps: epsilon, read from the module, or fitted if no attribute holds it.
        gain: the factor of the output: `weight`, `1 + weight`, `weight / √n`, or `none`.
        precision: precision of the statistics for half-precision inputs.
        detected_by: the method of detection: `type`, or `doing` (by recomputing the output).
        correction: 1 if the variance is divided by n − 1, as `Tensor.std` does by default, else 0.
        eps_outside: whether epsilon is added to the standard deviation instead of the variance.
        extra: what the module computes in addition: `x · silu(gate)`, `y · silu(gate)`,
            `x + residual`, the name of an activation, or an empty string.
    """

    kind: str
    over: tuple[int, ...]
    groups: int = 0
    eps: float = 0.0
    gain: str = "none"
    precision: str = UNDETERMINED
    detected_by: str = "type"
    correction: int = 0
    eps_outside: bool = False
    extra: str = ""

    @property
    def centers(self) -> bool:
        """True if the norm subtracts the mean."""
        return self.kind != "rms"

    @property
    def is_over_features(self) -> bool:
        """True if the statistics are over the last axes: the features of one position."""
        return self.kind in ("layer", "rms") and self.over[-1] == -1

    @property
    def statistics_over(self) -> str:
        """A description in words of the values that share one mean and one variance."""
        if self.kind == "batch":
            return "each channel of all examples"
        if self.kind == "instance":
            return "each channel of each example"
        if self.kind == "group":
            return f"each of {self.groups} groups of channels of each example"
        if self.groups:
            return f"each of {self.groups} groups of the last axis"
        if self.over == (1,):
            return "the channels at each position"
        return "the last axis" if len(self.over) == 1 else f"the last {len(self.over)} axes"

    @property
    def convention(self) -> str:
        """How the norm differs from PyTorch's version: gain, divisor, epsilon, and extras."""
        parts = (
            "" if self.gain in ("none", "weight") else f"gain {self.gain}",
            "divides by n − 1" if self.correction else "",
            "ε outside the root" if self.eps_outside else "",
            self.extra,
        )
        return ", ".join(part for part in parts if part)

    def split_groups(self, x: Tensor) -> Tensor:
        """Reshape the input: split the channel axis into groups and channels per group."""
        if not self.groups:
            return x
        if self.kind == "group":
            return x.reshape(x.shape[0], self.groups, -1, *x.shape[2:])
        return x.reshape(*x.shape[:-1], self.groups, -1)

    def denominator(self, square: Tensor, count: int) -> Tensor:
        """Return the norm's denominator: the standard deviation or RMS, with epsilon.

        Args:
            square: mean square of each group, after centering if the norm centers.
            count: number of values of a group.
        """
        square = square * count / (count - self.correction) if count > 1 else square
        return square.sqrt() + self.eps if self.eps_outside else (square + self.eps).sqrt()

    def normalized_input(self, tensors: list[Tensor]) -> Tensor:
        """Return the tensor that the norm normalizes, given the tensor arguments of a call."""
        if self.extra == GATED_INPUT:
            return tensors[0] * nn.functional.silu(tensors[1])
        return tensors[0] + tensors[1] if self.extra == ADDED else tensors[0]


def dtype_name(x: Tensor) -> str:
    """Return the name of a tensor's dtype, such as `float32`."""
    return str(x.dtype).removeprefix("torch.")


def is_norm(module: nn.Module) -> bool:
    """Return whether a module is an instance of one of PyTorch's norm classes."""
    plain = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm)
    return isinstance(module, (*plain, *BATCH_NORMS, *INSTANCE_NORMS))


def is_named_norm(name: str) -> bool:
    """Return whether a class name contains "norm"."""
    return "norm" in name.lower()


def is_norm_by_class(module: nn.Module) -> bool:
    """Return whether a module's class is a norm of PyTorch, or has "norm" in its name."""
    return is_norm(module) or is_named_norm(type(module).__name__)


def may_be_norm(module: nn.Module) -> bool:
    """Return whether a module of an unknown class could be a norm, judged by its parameters.

    Such a module is not one of PyTorch's own classes, has no child modules, and each of its
    parameters is a scalar or a vector. A class that is called a norm may also have a matrix of
    gains, for several heads, and child modules without parameters, such as an activation.
    """
    named = is_named_norm(type(module).__name__)
    sides = max((sum(side > 1 for side in p.shape) for p in module.parameters()), default=0)
    children = [*module.children()]
    return (
        not type(module).__module__.startswith("torch.")
        and sides <= (2 if named else 1)
        and (not children or (named and not any(has_own_values(child) for child in children)))
    )


def has_own_values(module: nn.Module) -> bool:
    """Return whether a module has parameters or buffers, or contains a norm."""
    held = (*module.parameters(), *module.buffers())
    return bool(held) or any(is_norm(each) for each in module.modules())


def spec_from_type(module: nn.Module, x: Tensor) -> NormSpec | None:
    """Return the specification of one of PyTorch's own norms, or None for other modules.

    Args:
        module: the module.
        x: its input.
    """
    eps = read_epsilon(module, x.dtype)
    known = math.nan if eps is None else eps
    gain = "none" if getattr(module, "weight", None) is None else "weight"
    if isinstance(module, nn.LayerNorm | nn.RMSNorm):
        kind = "layer" if isinstance(module, nn.LayerNorm) else "rms"
        return NormSpec(kind, tuple(range(-len(module.normalized_shape), 0)), 0, known, gain)
    if isinstance(module, nn.GroupNorm):
        return NormSpec("group", tuple(range(2, x.dim() + 1)), module.num_groups, known, gain)
    for owner, count in INSTANCE_NORMS.items():
        if isinstance(module, owner):  # its input may be a single example
            return NormSpec("instance", tuple(range(-count, 0)), 0, known, gain)
    if isinstance(module, BATCH_NORMS):
        return NormSpec("batch", (0, *range(2, x.dim())), 0, known, gain)
    return None


def read_epsilon(module: nn.Module, dtype: torch.dtype) -> float | None:
    """Return a module's epsilon, or None if no attribute holds it.

    PyTorch's RMSNorm without epsilon uses the machine epsilon of the dtype it computes in, which is
    float32 for 16-bit inputs.

    Args:
        module: the module.
        dtype: the dtype of its input.
    """
    for name in EPSILON_FIELDS:
        value = getattr(module, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    wide = torch.float32 if dtype in HALF_DTYPES else dtype
    return float(torch.finfo(wide).eps) if isinstance(module, nn.RMSNorm) else None


def read_gain(module: nn.Module, spec: NormSpec) -> tuple[int, Tensor] | None:
    """Return the version counter of the gain parameter, and the effective gains, or None.

    Args:
        module: the norm.
        spec: the norm's specification.
    """
    parts = spec.gain.removeprefix("1 + ").split(" ")
    weight = getattr(module, parts[0], None)
    if not isinstance(weight, Tensor):
        return None
    gain = weight.detach()
    if spec.gain.startswith("1 + "):
        gain = 1 + gain
    # In inference mode a tensor has no version; nothing changes a parameter there.
    return (0 if weight.is_inference() else weight._version), gain


def read_bias(module: nn.Module, spec: NormSpec) -> Tensor | None:
    """Return the bias vector of a norm that subtracts the mean; None for other norms."""
    gain = spec.gain.removeprefix("1 + ")
    parameters = dict(module.named_parameters(recurse=False))
    gains = parameters.pop(gain, None)
    fits = [p.detach() for p in parameters.values() if gains is not None and p.shape == gains.shape]
    return fits[0] if spec.centers and len(fits) == 1 else None
