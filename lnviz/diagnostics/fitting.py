"""Fitting of norms to a module's inputs and outputs: axes, gain, bias, epsilon, and extras."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch
from torch import Tensor
from torch.nn import functional as F

from lnviz.diagnostics.norm_spec import ADDED, GATED_INPUT, GATED_OUTPUT, NormSpec

SAMPLE_SIZE = 2**15
"""Number of input values that are recomputed to identify a module."""
TOLERANCE = 1e-4
"""Maximum relative error of the recomputed output; for half precision, `TOLERANCE_STEPS` machine
epsilons.
"""
TOLERANCE_STEPS = 4
MIN_DISTANCE = 10.0
"""Minimum distance of a group's RMS from 1, in multiples of the tolerance. Norms leave inputs of
RMS 1 unchanged, as an identity does.
"""
MAX_FITTED_EPSILON = 0.1
"""Maximum epsilon that is fitted to a model's own inputs, as a fraction of their median mean
square. A layer that multiplies by a constant c fits any norm with an epsilon of 1/c² instead. On a
`Probe`, whose inputs differ in size, no such layer fits, and this does not apply.
"""
NO_EPSILON = 1e-5
"""An epsilon below this fraction of the smallest mean squares is 0 but for rounding."""
MAX_FEATURE_GROUPS = 64
ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
    "tanh": torch.tanh,
}


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs and outputs of a module, in float64.

    Attributes:
        x: the inputs, calls first.
        y: the outputs.
        other: a second argument of the same shape, or None.
        parameters: the module's parameters.
        tolerance: maximum relative error of a fit.
        chosen: whether inputs and parameters are those of a `Probe`.
    """

    x: Tensor
    y: Tensor
    other: Tensor | None
    parameters: Mapping[str, Tensor]
    tolerance: float
    chosen: bool

    @property
    def are_finite(self) -> bool:
        """True if no value is infinite or NaN."""
        held = (self.x, self.y, *self.parameters.values())
        return all(bool(values.isfinite().all()) for values in held)


@dataclass(frozen=True, eq=False)
class Convention:
    """Gain and bias as a module may apply them, such as `1 + weight`, in broadcastable shapes."""

    name: str
    gain: Tensor | None
    bias: Tensor | None
    used: tuple[str, ...]


def tolerance(*dtypes: torch.dtype) -> float:
    """Return the maximum relative error that a fit may have for tensors of the given dtypes."""
    return max(TOLERANCE, *(TOLERANCE_STEPS * torch.finfo(dtype).eps for dtype in dtypes))


def find_spec(
    samples: Samples, declared: NormSpec | None, eps: float | None, *, named: bool
) -> NormSpec | None:
    r"""Return the norm that reproduces a module's outputs from its inputs, or None if none does.

    The output is compared with $g\,\hat x + b$, where $\hat x$ is the input, standardized or
    divided by its RMS, over the last axes or over the channels; g is a parameter w, 1 + w, or 1,
    and b is a parameter or 0. The best-fitting scale of each group must be $1/\sqrt{v +
    \epsilon}$ or $1/(\sqrt v + \epsilon)$, with one epsilon for all groups.

    Args:
        samples: the inputs and outputs.
        declared: the specification of PyTorch's class that the module is derived from, or None.
        eps: the module's epsilon, or None if it is to be fitted.
        named: whether the module's class is called a norm.
    """
    axes = _candidate_axes(samples, declared, named)
    for over, groups in axes:
        cut, conventions = _conventions(samples, over)
        fits = [
            (fit, (extra != "", -len(convention.used), centers == (len(convention.used) < 2)))
            for extra, centers, convention in product(_extras(samples), (False, True), conventions)
            for spec in [NormSpec("layer" if centers else "rms", over, groups, extra=extra)]
            if (fit := _fit(cut, spec, convention, eps, sure=named or declared is not None))
        ]
        if fits:
            best, _ = min(
                fits, key=lambda each: (round(each[0][1] / samples.tolerance, 1), each[1])
            )
            return best[0]
    return _find_activated(samples, axes, eps or 0.0) if named and samples.chosen else None


def reproduces(samples: Samples, spec: NormSpec) -> bool:
    """Return whether a norm reproduces a module's outputs from its inputs."""
    cut, conventions = _conventions(samples, spec.over)
    return any(
        _relative_error(apply_norm(cut, spec, convention), cut.y) <= samples.tolerance
        for convention in conventions
        if convention.name == spec.gain
    )


def conventions_of(samples: Samples, spec: NormSpec) -> tuple[Samples, list[Convention]]:
    """Return part of the samples, and a norm's gain conventions for it, with and without a bias."""
    cut, conventions = _conventions(samples, spec.over)
    return cut, [convention for convention in conventions if convention.name == spec.gain]


def apply_norm(samples: Samples, spec: NormSpec, convention: Convention) -> Tensor:
    """Return the output of a norm on samples."""
    x = spec.split_groups(_normalized(samples, spec.extra))
    centered, square = _center(x, spec)
    count = centered.numel() // square.numel()
    y = (centered / spec.denominator(square, count)).reshape_as(samples.x)
    y = y if convention.gain is None else y * convention.gain
    y = y if convention.bias is None else y + convention.bias
    if spec.extra == GATED_OUTPUT and samples.other is not None:
        y = y * F.silu(samples.other)
    return ACTIVATIONS[spec.extra](y) if spec.extra in ACTIVATIONS else y


def _fit(
    samples: Samples, spec: NormSpec, convention: Convention, eps: float | None, *, sure: bool
) -> tuple[NormSpec, float] | None:
    """Fit a norm to samples; return the fitted norm and the error, or None if it does not fit."""
    centered, square = _center(spec.split_groups(_normalized(samples, spec.extra)), spec)
    factor = torch.ones_like(samples.x) if convention.gain is None else convention.gain
    if spec.extra == GATED_OUTPUT and samples.other is not None:
        factor = factor * F.silu(samples.other)
    basis = centered * spec.split_groups(factor.expand_as(samples.x))
    target = samples.y if convention.bias is None else samples.y - convention.bias
    target = spec.split_groups(target)
    norm = basis.square().sum(spec.over, keepdim=True)
    usable = (norm > 0) & (square > 0)
    if not usable.any():
        return None
    scale = (basis * target).sum(spec.over, keepdim=True) / norm.where(usable, 1.0)
    residual = (target - scale * basis).square().mean(spec.over, keepdim=True)
    size = target.square().mean(spec.over, keepdim=True)
    scale, square, residual, size = (part[usable] for part in (scale, square, residual, size))
    misfit = float((residual / size).sqrt().max())
    if not (scale > 0).all() or not misfit <= samples.tolerance:
        return None
    count = centered.numel() // norm.numel()
    fits = []
    for correction, outside in product(
        (0, 1) if spec.centers and count > 1 else (0,), (False, True)
    ):
        tried = replace(spec, gain=convention.name, correction=correction, eps_outside=outside)
        fitted = _fit_epsilon(scale, square, tried, count)
        for rank, known in enumerate([fitted] if eps is None else [eps, fitted]):
            used = replace(tried, eps=known)
            error = float((scale * used.denominator(square, count) - 1).abs().max())
            fits.append((max(misfit, error), correction + outside + 3 * rank, used))
    error, _, best = min(fits, key=lambda each: (round(each[0] / samples.tolerance), each[1]))
    if not error <= samples.tolerance:
        return None
    if not (samples.chosen or sure):
        distance = float((square.sqrt() - 1).abs().max())
        large = best.eps != eps and best.eps > MAX_FITTED_EPSILON * float(square.median())
        if large or distance < MIN_DISTANCE * samples.tolerance:
            return None
    return best, error


def _fit_epsilon(scale: Tensor, square: Tensor, spec: NormSpec, count: int) -> float:
    """Return the epsilon that fits the groups with the smallest mean squares; 0 if negligible."""
    small = square <= square.quantile(0.25)
    size = replace(spec, eps=0.0).denominator(square[small], count)
    size = size if spec.eps_outside else size.square()
    inverse = 1 / scale[small]
    rest = (inverse if spec.eps_outside else inverse.square()) - size
    eps = float(rest.median())
    return float(f"{eps:.2e}") if eps > NO_EPSILON * float(size.median()) else 0.0


def _find_activated(
    samples: Samples, axes: Sequence[tuple[tuple[int, ...], int]], eps: float
) -> NormSpec | None:
    """Return the norm that reproduces the outputs if an activation follows it, or None."""
    for over, groups in axes:
        cut, conventions = _conventions(samples, over)
        cut = replace(cut, x=cut.x[:1], y=cut.y[:1])  # the largest, where epsilon does not matter
        for extra, kind, convention in product(ACTIVATIONS, ("rms", "layer"), conventions):
            spec = NormSpec(kind, over, groups, eps, convention.name, extra=extra)
            if _relative_error(apply_norm(cut, spec, convention), cut.y) <= samples.tolerance:
                return spec
    return None


def _relative_error(guess: Tensor, y: Tensor) -> float:
    return float((guess - y).norm() / y.norm())


def _normalized(samples: Samples, extra: str) -> Tensor:
    """Return the tensor that the norm normalizes."""
    if samples.other is None or extra not in (GATED_INPUT, ADDED):
        return samples.x
    return samples.x * F.silu(samples.other) if extra == GATED_INPUT else samples.x + samples.other


def _center(x: Tensor, spec: NormSpec) -> tuple[Tensor, Tensor]:
    """Return the input, centered if the norm subtracts the mean, and each group's mean square."""
    centered = x - x.mean(spec.over, keepdim=True) if spec.centers else x
    return centered, centered.square().mean(spec.over, keepdim=True)


def _extras(samples: Samples) -> tuple[str, ...]:
    """Return the possible uses of a module's second argument, such as adding it to the input."""
    return ("",) if samples.other is None else ("", GATED_INPUT, GATED_OUTPUT, ADDED)


def _candidate_axes(
    samples: Samples, declared: NormSpec | None, named: bool
) -> list[tuple[tuple[int, ...], int]]:
    """Return candidates for the normalized axes and the number of groups, most likely first."""
    dims = samples.x.dim() - 1
    found: list[tuple[tuple[int, ...], int]] = [(declared.over, 0)] if declared else []
    found += [((-1,), 0)]
    found += [((1 - dims,), 0), ((-2, -1), 0)] if dims > 2 else []
    found += [((-3, -2, -1), 0)] if dims > 3 else []
    width = samples.x.shape[-1]
    if named:
        most = min(width // 2, MAX_FEATURE_GROUPS)
        found += [((-1,), groups) for groups in range(2, most + 1) if width % groups == 0]
    return list(dict.fromkeys(found))


def _conventions(samples: Samples, over: tuple[int, ...]) -> tuple[Samples, list[Convention]]:
    """Return part of the samples, in whole groups, and all possible gain and bias conventions."""
    shape = samples.x.shape[1:]
    cut = (slice(None), *sample_slices(shape, over, len(samples.x)))
    other = samples.other
    sample = replace(
        samples, x=samples.x[cut], y=samples.y[cut], other=None if other is None else other[cut]
    )
    count = math.prod(shape[axis] for axis in over)
    shared = {axis % len(shape) for axis in over}
    own = [side if axis in shared else 1 for axis, side in enumerate(shape)]
    held = {}
    for name, values in samples.parameters.items():
        if values.numel() in (1, count):
            held[name] = values.reshape(own if values.numel() == count else [1] * len(shape))
        elif values.dim() > 1 and _broadcasts(values.shape, shape):
            held[name] = values.expand(shape)[cut[1:]]
    conventions = []
    for name, values in held.items():
        biases = [(other, held[other]) for other in held if other != name]
        for used, bias in (*biases, (None, None)):
            names = (name,) if used is None else (name, used)
            conventions.append(Convention(name, values, bias, names))
            conventions.append(Convention(f"1 + {name}", 1 + values, bias, names))
        if values.numel() == 1:
            conventions.append(Convention(f"{name} / √n", values / math.sqrt(count), None, (name,)))
    return sample, [*conventions, Convention("none", None, None, ())]


def _broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    ends = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(one in (1, other) for one, other in ends)


def sample_slices(shape: Sequence[int], over: tuple[int, ...], calls: int = 1) -> tuple[slice, ...]:
    """Return slices that select about `SAMPLE_SIZE` values of a tensor, in whole groups."""
    shared = {axis % len(shape) for axis in over}
    room = max(1, SAMPLE_SIZE // math.prod((calls, *(shape[axis] for axis in shared))))
    parts = []
    for axis, side in enumerate(shape):
        if axis in shared:
            parts.append(slice(None))
        else:
            parts.append(slice(0, room))
            room = max(1, room // side)
    return tuple(parts)
