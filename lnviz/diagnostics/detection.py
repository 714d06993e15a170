"""Detection of norms in any model, by a module's type or by recomputing its output."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

SAMPLE_SIZE = 2**15
"""Number of input values that are recomputed to identify a module."""
TOLERANCE = 1e-4
"""Maximum relative error of the recomputed output; for half precision, `TOLERANCE_STEPS` machine
epsilons.
"""
TOLERANCE_STEPS = 4
MIN_DISTANCE = 10.0
"""Minimum distance of a group's RMS from 1, in multiples of `TOLERANCE`. Norms leave inputs of RMS
1 unchanged, as an identity does, so such an input identifies a norm only if its class name says so.
"""
EPSILON_FIELDS = ("eps", "variance_epsilon", "epsilon", "norm_eps", "layer_norm_eps")
"""Names of the attributes in which modules store their epsilon."""
BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
INSTANCE_NORMS = {nn.InstanceNorm1d: 1, nn.InstanceNorm2d: 2, nn.InstanceNorm3d: 3}
"""InstanceNorms, with the number of axes that one mean is computed over."""
HALF_DTYPES = (torch.float16, torch.bfloat16)
IN_FLOAT32, IN_INPUT_DTYPE, UNDETERMINED = "float32", "the input's", "not told apart"
"""The precision in which a norm computes its statistics."""


@dataclass(frozen=True)
class NormSpec:
    """Specification of a detected norm: type, axes, groups, epsilon, gain convention, precision.

    Attributes:
        kind: key in the catalogue: `layer`, `rms`, `group`, `instance`, `batch`.
        over: the dimensions that share statistics, of the input after `split_groups`; negative
            indices for the last dimensions.
        groups: number of groups of channels; 0 without groups.
        eps: epsilon, read from the module, or fitted if no attribute holds it.
        gain: the factor of the output: `weight`, `1 + weight`, `weight / √n`, or `none`.
        precision: precision of the statistics for half-precision inputs.
        detected_by: the method of detection: `type`, or `doing` (by recomputing the output).
    """

    kind: str
    over: tuple[int, ...]
    groups: int = 0
    eps: float = 0.0
    gain: str = "none"
    precision: str = UNDETERMINED
    detected_by: str = "type"

    @property
    def centers(self) -> bool:
        """True if the norm subtracts the mean."""
        return self.kind != "rms"

    @property
    def is_over_features(self) -> bool:
        """True if the statistics are over the last axes, those of the features of one position."""
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
        if self.over == (1,):
            return "the channels at each place"
        return "the last axis" if len(self.over) == 1 else f"the last {len(self.over)} axes"

    def split_groups(self, x: Tensor) -> Tensor:
        """Reshape the input: the channel axis becomes two, groups and channels per group."""
        if not self.groups:
            return x
        return x.reshape(x.shape[0], self.groups, -1, *x.shape[2:])


def is_norm(module: nn.Module) -> bool:
    """Return whether a module is an instance of one of PyTorch's norm classes."""
    plain = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm)
    return isinstance(module, (*plain, *BATCH_NORMS, *INSTANCE_NORMS))


def is_named_norm(name: str) -> bool:
    """Return whether a class is called a norm."""
    return "norm" in name.lower()


def may_be_norm(module: nn.Module) -> bool:
    """Return whether a module of an unknown class could be a norm, judged by its parameters.

    Such a module has no child modules, is not one of PyTorch's own classes, and each of its
    parameters is a scalar or a vector.
    """
    is_builtin = type(module).__module__.startswith("torch.")
    vectors = all(sum(side > 1 for side in p.shape) <= 1 for p in module.parameters())
    return not is_builtin and vectors and next(module.children(), None) is None


def spec_from_type(module: nn.Module, x: Tensor) -> NormSpec | None:
    """Return the specification of one of PyTorch's own norms, or None for other modules.

    Args:
        module: the module.
        x: its input.
    """
    eps = _epsilon(module, x)
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


def detect_norm(
    module: nn.Module, x: Tensor, y: Tensor, like: NormSpec | None = None
) -> NormSpec | None:
    r"""Return the norm that reproduces a module's output from its input, or None if no norm does.

    The output is compared with $g\,\hat x + b$, where $\hat x$ is the input, standardized or
    divided by its RMS, over the last axes or over the channels; g is a parameter w, 1 + w, or 1,
    and b is a parameter or 0. The best-fitting scale of each group must be $1/\sqrt{v +
    \epsilon}$, with the same epsilon for all groups.

    Args:
        module: the module.
        x: its input.
        y: its output.
        like: specification of another module of the same class, which is tried first.

    Returns:
        The specification; None if the module is not a norm, or if this input is inconclusive.
            Inputs with RMS 1 in all groups are inconclusive, since norms and many other modules
            leave them unchanged; a module whose class name contains "norm" then counts as a norm.
    """
    if x.shape != y.shape or not (x.is_floating_point() and y.is_floating_point()):
        return None
    declared = spec_from_type(module, x)
    if declared and type(module).__module__.startswith("torch."):
        # PyTorch's own classes do what they say; nothing has to be computed again.
        precise = declared.kind in ("layer", "rms") and bool(torch.isfinite(y).all())
        return (
            replace(declared, precision=_precision(module, x, y, declared)) if precise else declared
        )
    if like and (same := _try_known_spec(module, x, y, like)):
        return same
    shapes = [declared.over] if declared else []
    shapes += [over for over in _candidate_axes(x.dim()) if over not in shapes]
    named = is_named_norm(type(module).__name__)
    close = _tolerance(x, y)
    fits: list[tuple[float, int, int, bool, _Fit]] = []
    for rank, over in enumerate(shapes):
        if declared and declared.kind not in ("layer", "rms"):
            break
        sample = _sample_slices(x.dim(), x.shape, over)
        wide, out = (_to_float64(part, sample) for part in (x, y))
        if not (wide.isfinite().all() and out.isfinite().all()):
            continue
        if any(rank == 0 for _, rank, *_ in fits):
            break  # what the type says, or the last axis, fits: no other axes are tried
        for convention in _conventions(module, x, over, sample):
            for centers in (declared.centers,) if declared and not rank else (False, True):
                fit = _fit(wide, out, over, centers, convention, _epsilon(module, x))
                if fit is None or fit.error > close:
                    continue
                if fit.distance_from_identity < MIN_DISTANCE * close and not (declared or named):
                    continue
                plain = centers != (len(convention.used) > 1)
                fits.append((round(fit.error / close, 1), rank, -len(convention.used), plain, fit))
    if not fits:
        return declared or _detect_overflowed(module, x, y)
    best = min(fits, key=lambda found: found[:-1])[-1]
    found = NormSpec(
        "layer" if best.centers else "rms",
        best.over,
        0,
        best.eps,
        best.gain,
        detected_by="type" if is_norm(module) else "doing",
    )
    return replace(found, precision=_precision(module, x, y, found))


def _try_known_spec(module: nn.Module, x: Tensor, y: Tensor, like: NormSpec) -> NormSpec | None:
    """Return `like` with this module's epsilon if that reproduces its output, else None."""
    if like.kind not in ("layer", "rms") or x.dim() < len(like.over):
        return None
    sample = _sample_slices(x.dim(), x.shape, like.over)
    wide, out = (_to_float64(part, sample) for part in (x, y))
    if not (wide.isfinite().all() and out.isfinite().all()):
        return None
    close = _tolerance(x, y)
    for convention in _conventions(module, x, like.over, sample):
        if convention.name != like.gain:
            continue
        fit = _fit(wide, out, like.over, like.centers, convention, _epsilon(module, x))
        if fit is not None and fit.error <= close:
            return replace(like, eps=fit.eps)
    return None


def read_gain(module: nn.Module, spec: NormSpec) -> tuple[int, Tensor] | None:
    """Return the gain parameter's version and the effective gains, or None without gains.

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


@dataclass(frozen=True, eq=False)
class _Convention:
    """A convention for applying gain and bias, such as `1 + weight`; both are broadcastable."""

    name: str
    gain: Tensor | None
    bias: Tensor | None
    used: tuple[str, ...]


@dataclass(frozen=True)
class _Fit:
    over: tuple[int, ...]
    centers: bool
    gain: str
    eps: float
    error: float
    distance_from_identity: float  # of the groups' RMS from 1


def _fit(
    x: Tensor,
    y: Tensor,
    over: tuple[int, ...],
    centers: bool,
    convention: _Convention,
    eps: float | None,
) -> _Fit | None:
    """Return the fit of a candidate norm to a module's output; None if it does not fit."""
    centered = x - x.mean(over, keepdim=True) if centers else x
    square = centered.square().mean(over, keepdim=True)
    basis = centered if convention.gain is None else centered * convention.gain
    target = y if convention.bias is None else y - convention.bias
    norm = basis.square().sum(over, keepdim=True)
    usable = (norm > 0) & (square > 0)
    if not usable.any():
        return None
    scale = (basis * target).sum(over, keepdim=True) / norm.where(usable, 1.0)
    residual = (target - scale * basis).square().mean(over, keepdim=True)
    size = target.square().mean(over, keepdim=True)
    scale, square, residual, size = (part[usable] for part in (scale, square, residual, size))
    if not (scale > 0).all():
        return None
    if eps is None:
        eps = max(0.0, float((1 / scale.square() - square).median()))
        if eps < TOLERANCE * float(square.median()):
            eps = 0.0
    off = (scale * (square + eps).sqrt() - 1).abs()
    error = torch.maximum((residual / size).sqrt(), off).max()
    distance = (square.sqrt() - 1).abs().max()
    return _Fit(over, centers, convention.name, eps, float(error), float(distance))


def _conventions(
    module: nn.Module, x: Tensor, over: tuple[int, ...], sample: tuple[slice, ...]
) -> Iterator[_Convention]:
    """Yield every convention by which a module could apply its parameters as gain and bias."""
    count = math.prod(x.shape[axis] for axis in over)
    shape = [x.shape[axis] if axis in _nonnegative(over, x.dim()) else 1 for axis in range(x.dim())]
    held = {
        name: _to_float64(values.reshape(shape if values.numel() == count else [1] * x.dim()), ())
        for name, values in module.named_parameters(recurse=False)
        if values.numel() in (1, count)
    }
    root = math.sqrt(count)
    for name, values in held.items():
        others = [other for other in held if other != name]
        for used, bias in ((other, held[other]) for other in others):
            yield _Convention(name, values, bias, (name, used))
            yield _Convention(f"1 + {name}", 1 + values, bias, (name, used))
        yield _Convention(name, values, None, (name,))
        yield _Convention(f"1 + {name}", 1 + values, None, (name,))
        if values.numel() == 1:
            yield _Convention(f"{name} / √n", values / root, None, (name,))
    yield _Convention("none", None, None, ())


def _candidate_axes(dims: int) -> list[tuple[int, ...]]:
    """Return the sets of axes over which a norm might compute its statistics, most likely first."""
    found: list[tuple[int, ...]] = [(-1,)]
    if dims > 2:
        found += [(1,), (-2, -1)]
    if dims > 3:
        found += [(-3, -2, -1)]
    return found


def _nonnegative(over: tuple[int, ...], dims: int) -> tuple[int, ...]:
    return tuple(axis % dims for axis in over)


def _sample_slices(dims: int, shape: tuple[int, ...], over: tuple[int, ...]) -> tuple[slice, ...]:
    """Return slices that select about `SAMPLE_SIZE` values of a tensor, in whole groups."""
    shared = _nonnegative(over, dims)
    room = max(1, SAMPLE_SIZE // math.prod(shape[axis] for axis in shared))
    parts = []
    for axis in range(dims):
        if axis in shared:
            parts.append(slice(None))
        else:
            parts.append(slice(0, room))
            room = max(1, room // shape[axis])
    return tuple(parts)


def _to_float64(values: Tensor, sample: tuple[slice, ...]) -> Tensor:
    return (values.detach()[sample] if sample else values.detach()).cpu().double()


def _tolerance(x: Tensor, y: Tensor) -> float:
    return max(TOLERANCE, *(TOLERANCE_STEPS * torch.finfo(part.dtype).eps for part in (x, y)))


def _epsilon(module: nn.Module, x: Tensor) -> float | None:
    """Return a module's epsilon, or None if no attribute holds one.

    PyTorch's RMSNorm without epsilon uses the machine epsilon of the dtype it computes in, which is
    float32 for 16-bit inputs.
    """
    for name in EPSILON_FIELDS:
        value = getattr(module, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    wide = torch.float32 if x.dtype in HALF_DTYPES else x.dtype
    return float(torch.finfo(wide).eps) if isinstance(module, nn.RMSNorm) else None


def _detect_overflowed(module: nn.Module, x: Tensor, y: Tensor) -> NormSpec | None:
    """Return the specification of an RMSNorm that outputs 0 because squares overflowed float16."""
    if x.dtype not in HALF_DTYPES:
        return None
    for over in _candidate_axes(x.dim()):
        sample = _sample_slices(x.dim(), x.shape, over)
        part, out = x.detach()[sample], y.detach()[sample]
        square = part.square().mean(over, keepdim=True)
        if not (square.isinf().any() and part.isfinite().all()):
            continue
        eps = _epsilon(module, x) or 0.0
        gone = square.isinf().expand_as(out)
        same = part * torch.rsqrt(square + eps)
        kept = out[~gone].float().norm() > 0 or bool(gone.all())
        named = any(p.numel() == x.shape[-1] for p in module.parameters())
        if kept and named and bool((out[gone] == 0).all()) and bool(same.isfinite().all()):
            return NormSpec("rms", over, 0, eps, "weight", IN_INPUT_DTYPE, "doing")
    return None


def _precision(module: nn.Module, x: Tensor, y: Tensor, spec: NormSpec) -> str:
    """Return the precision of a norm's statistics that reproduces its output best.

    The gain may be applied before or after rounding; both are tried.
    """
    if x.dtype not in HALF_DTYPES:
        return IN_FLOAT32 if x.dtype == torch.float32 else str(x.dtype).removeprefix("torch.")
    sample = _sample_slices(x.dim(), x.shape, spec.over)
    part, out = x.detach()[sample], y.detach()[sample]
    ways = [
        (held.gain, held.bias)
        for held in _conventions(module, x, spec.over, sample)
        if held.name == spec.gain
    ]
    same = {}
    for name, dtype in ((IN_FLOAT32, torch.float32), (IN_INPUT_DTYPE, x.dtype)):
        values = part.to(dtype)
        values = values - values.mean(spec.over, keepdim=True) if spec.centers else values
        square = values.square().mean(spec.over, keepdim=True)
        normed = values * torch.rsqrt(square + spec.eps)
        same[name] = max(
            float((_apply_affine(rounded, gain, bias).to(out.dtype) == out).float().mean())
            for gain, bias in ways
            for rounded in (normed.to(x.dtype), normed)
        )
    best = max(same, key=lambda name: same[name])
    return UNDETERMINED if same[IN_FLOAT32] == same[IN_INPUT_DTYPE] else best


def _apply_affine(normed: Tensor, gain: Tensor | None, bias: Tensor | None) -> Tensor:
    """Multiply normalized values by the gain and add the bias, in the dtype of the values."""
    if gain is not None:
        normed = normed * gain.to(normed)
    return normed if bias is None else normed + bias.to(normed)
