"""Norms of a model that somebody else wrote: told by their type, and by what they do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm

SAMPLE = 2**15
"""Numbers of an input that are computed again to see what a module does."""
CLOSE = 1e-4
"""How far what is computed again may be from what came out, as a share of its size; in half
precision, `ROUNDINGS` steps of the format."""
ROUNDINGS = 4
TELLING = 10.0
"""How many times `CLOSE` the size of an input has to be from 1: a norm leaves an input of size 1 as
it is, and so does what is no norm, unless its class is called one."""
EPSILONS = ("eps", "variance_epsilon", "epsilon", "norm_eps", "layer_norm_eps")
"""What the field of a module is called that holds its epsilon."""
NARROW = (torch.float16, torch.bfloat16)
WIDE, OWN, EITHER = "float32", "the input's", "not told apart"
"""In which precision a norm takes its statistics."""


@dataclass(frozen=True)
class Facts:
    """What is known of a norm.

    Attributes:
        kind: its key in the catalogue: `layer`, `rms`, `group`, `instance`, `batch`.
        over: the dimensions of `arranged` input that share statistics, counted from the end where
            they are the last ones.
        groups: into how many groups the channels are cut before; 0 where they are not.
        eps: epsilon, read off the module, or fitted where it does not say.
        gain: how the output is multiplied: by `weight`, `1 + weight`, `weight / √n`, or by none.
        precision: the precision of the statistics, where the input is half precision.
        by: `type` or `doing`: how it was found.
    """

    kind: str
    over: tuple[int, ...]
    groups: int = 0
    eps: float = 0.0
    gain: str = "none"
    precision: str = EITHER
    by: str = "type"

    @property
    def centers(self) -> bool:
        """Whether the mean is subtracted."""
        return self.kind != "rms"

    @property
    def shares(self) -> str:
        """What shares one mean and one variance, in words."""
        if self.kind == "batch":
            return "each channel of all examples"
        if self.kind == "instance":
            return "each channel of each example"
        if self.kind == "group":
            return f"each of {self.groups} groups of channels of each example"
        if self.over == (1,):
            return "the channels at each place"
        return "the last axis" if len(self.over) == 1 else f"the last {len(self.over)} axes"

    def arranged(self, x: Tensor) -> Tensor:
        """Return an input as `over` counts its dimensions."""
        if not self.groups:
            return x
        return x.reshape(x.shape[0], self.groups, -1, *x.shape[2:])


def is_norm(module: nn.Module) -> bool:
    """Whether the type of a module says that it is a norm."""
    return isinstance(module, nn.LayerNorm | nn.RMSNorm | nn.GroupNorm | _BatchNorm | _InstanceNorm)


def may_be_norm(module: nn.Module) -> bool:
    """Whether a module could be a norm that somebody wrote.

    It holds no other modules, is none of PyTorch's own, and each of its parameters is one number or
    one a feature.
    """
    own = type(module).__module__.startswith("torch.")
    vectors = all(sum(side > 1 for side in p.shape) <= 1 for p in module.parameters())
    return not own and vectors and next(module.children(), None) is None


def declared(module: nn.Module, x: Tensor) -> Facts | None:
    """Return what the type of a module says of it.

    Args:
        module: the module.
        x: what goes in.
    """
    eps = _epsilon(module, x)
    known = math.nan if eps is None else eps
    gain = "none" if getattr(module, "weight", None) is None else "weight"
    if isinstance(module, nn.LayerNorm | nn.RMSNorm):
        kind = "layer" if isinstance(module, nn.LayerNorm) else "rms"
        return Facts(kind, tuple(range(-len(module.normalized_shape), 0)), 0, known, gain)
    if isinstance(module, nn.GroupNorm):
        return Facts("group", tuple(range(2, x.dim() + 1)), module.num_groups, known, gain)
    if isinstance(module, _InstanceNorm):
        return Facts("instance", tuple(range(2, x.dim())), 0, known, gain)
    if isinstance(module, _BatchNorm):
        return Facts("batch", (0, *range(2, x.dim())), 0, known, gain)
    return None


def recognized(module: nn.Module, x: Tensor, y: Tensor, like: Facts | None = None) -> Facts | None:
    r"""Return what a module does, where it is a norm, by doing it again.

    The output is compared with $g\,\hat x + b$, where $\hat x$ is the input standardized, or
    divided by its root mean square, over the last axes or over the channels, g is a parameter w, 1
    + w, or none, and b a parameter or none. The scale that fits each group best has to be
    $1/\sqrt{v + \epsilon}$, with one epsilon for all groups.

    Args:
        module: the module.
        x: what goes in.
        y: what comes out.
        like: what another module of its class does, which is tried first.

    Returns:
        What it is; None where it is no norm, or where this input does not tell: a norm leaves
        groups of size 1 as they are, as other modules do. Of these, one whose class is called a
        norm is taken for one.
    """
    if x.shape != y.shape or not (x.is_floating_point() and y.is_floating_point()):
        return None
    known = declared(module, x)
    if known and type(module).__module__.startswith("torch."):
        # PyTorch's own classes do what they say; nothing has to be computed again.
        precise = known.kind in ("layer", "rms") and bool(torch.isfinite(y).all())
        return replace(known, precision=_precision(module, x, y, known)) if precise else known
    if like and (same := _again(module, x, y, like)):
        return same
    shapes = [known.over] if known else []
    shapes += [over for over in _shapes(x.dim()) if over not in shapes]
    named = "norm" in type(module).__name__.lower()
    close = _close(x, y)
    fits: list[tuple[float, int, int, bool, _Fit]] = []
    for rank, over in enumerate(shapes):
        if known and known.kind not in ("layer", "rms"):
            break
        sample = _sample(x.dim(), x.shape, over)
        wide, out = (_wide(part, sample) for part in (x, y))
        if not (wide.isfinite().all() and out.isfinite().all()):
            continue
        if any(rank == 0 for _, rank, *_ in fits):
            break  # what the type says, or the last axis, fits: no other axes are tried
        for convention in _conventions(module, x, over, sample):
            for centers in (known.centers,) if known and not rank else (False, True):
                fit = _fit(wide, out, over, centers, convention, _epsilon(module, x))
                if fit is None or fit.error > close:
                    continue
                if fit.told < TELLING * close and not (known or named):
                    continue
                plain = centers != (len(convention.used) > 1)
                fits.append((round(fit.error / close, 1), rank, -len(convention.used), plain, fit))
    if not fits:
        return known or _narrow(module, x, y)
    best = min(fits, key=lambda found: found[:-1])[-1]
    found = Facts(
        "layer" if best.centers else "rms",
        best.over,
        0,
        best.eps,
        best.gain,
        by="type" if is_norm(module) else "doing",
    )
    return replace(found, precision=_precision(module, x, y, found))


def _again(module: nn.Module, x: Tensor, y: Tensor, like: Facts) -> Facts | None:
    """What a module does, if that is what another one does: one formula is computed, not all."""
    if like.kind not in ("layer", "rms") or x.dim() < len(like.over):
        return None
    sample = _sample(x.dim(), x.shape, like.over)
    wide, out = (_wide(part, sample) for part in (x, y))
    if not (wide.isfinite().all() and out.isfinite().all()):
        return None
    close = _close(x, y)
    for convention in _conventions(module, x, like.over, sample):
        if convention.name != like.gain:
            continue
        fit = _fit(wide, out, like.over, like.centers, convention, _epsilon(module, x))
        if fit is not None and fit.error <= close:
            return replace(like, eps=fit.eps)
    return None


def gain_of(module: nn.Module, facts: Facts) -> tuple[int, Tensor] | None:
    """Return the gains of a norm as they multiply, and the version of the parameter.

    Args:
        module: the norm.
        facts: what it does; None comes back where it has no gains.
    """
    words = facts.gain.removeprefix("1 + ").split(" ")
    weight = getattr(module, words[0], None)
    if not isinstance(weight, Tensor):
        return None
    gain = weight.detach()
    if facts.gain.startswith("1 + "):
        gain = 1 + gain
    # In inference mode a tensor has no version; nothing changes a parameter there.
    return (0 if weight.is_inference() else weight._version), gain


def bias_of(module: nn.Module, facts: Facts) -> Tensor | None:
    """Return the biases of a norm that centers, if it has some."""
    gain = facts.gain.removeprefix("1 + ")
    held = dict(module.named_parameters(recurse=False))
    gains = held.pop(gain, None)
    fits = [p.detach() for p in held.values() if gains is not None and p.shape == gains.shape]
    return fits[0] if facts.centers and len(fits) == 1 else None


@dataclass(frozen=True, eq=False)
class _Convention:
    """How a module multiplies and adds: gain and bias, ready to be broadcast."""

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
    told: float  # how far the sizes of groups are from 1, where nothing would show


def _fit(
    x: Tensor,
    y: Tensor,
    over: tuple[int, ...],
    centers: bool,
    convention: _Convention,
    eps: float | None,
) -> _Fit | None:
    """Return how well a formula gives the output; None where there is nothing to compare."""
    centered = x - x.mean(over, keepdim=True) if centers else x
    square = centered.square().mean(over, keepdim=True)
    drawn = centered if convention.gain is None else centered * convention.gain
    wanted = y if convention.bias is None else y - convention.bias
    norm = drawn.square().sum(over, keepdim=True)
    seen = (norm > 0) & (square > 0)
    if not seen.any():
        return None
    scale = (drawn * wanted).sum(over, keepdim=True) / norm.where(seen, 1.0)
    left = (wanted - scale * drawn).square().mean(over, keepdim=True)
    size = wanted.square().mean(over, keepdim=True)
    scale, square, left, size = (part[seen] for part in (scale, square, left, size))
    if not (scale > 0).all():
        return None
    if eps is None:
        eps = max(0.0, float((1 / scale.square() - square).median()))
        if eps < CLOSE * float(square.median()):
            eps = 0.0
    off = (scale * (square + eps).sqrt() - 1).abs()
    error = torch.maximum((left / size).sqrt(), off).max()
    told = (square.sqrt() - 1).abs().max()
    return _Fit(over, centers, convention.name, eps, float(error), float(told))


def _conventions(
    module: nn.Module, x: Tensor, over: tuple[int, ...], sample: tuple[slice, ...]
) -> Iterator[_Convention]:
    """Yield the ways in which a module may use its parameters."""
    count = math.prod(x.shape[axis] for axis in over)
    shape = [x.shape[axis] if axis in _positive(over, x.dim()) else 1 for axis in range(x.dim())]
    held = {
        name: _wide(values.reshape(shape if values.numel() == count else [1] * x.dim()), ())
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


def _shapes(dims: int) -> list[tuple[int, ...]]:
    """The axes that a norm may be over, the likeliest first."""
    found: list[tuple[int, ...]] = [(-1,)]
    if dims > 2:
        found += [(1,), (-2, -1)]
    if dims > 3:
        found += [(-3, -2, -1)]
    return found


def _positive(over: tuple[int, ...], dims: int) -> tuple[int, ...]:
    return tuple(axis % dims for axis in over)


def _sample(dims: int, shape: tuple[int, ...], over: tuple[int, ...]) -> tuple[slice, ...]:
    """Whole groups, as many as make about `SAMPLE` numbers."""
    shared = _positive(over, dims)
    room = max(1, SAMPLE // math.prod(shape[axis] for axis in shared))
    parts = []
    for axis in range(dims):
        if axis in shared:
            parts.append(slice(None))
        else:
            parts.append(slice(0, room))
            room = max(1, room // shape[axis])
    return tuple(parts)


def _wide(values: Tensor, sample: tuple[slice, ...]) -> Tensor:
    return (values.detach()[sample] if sample else values.detach()).cpu().double()


def _close(x: Tensor, y: Tensor) -> float:
    return max(CLOSE, *(ROUNDINGS * torch.finfo(part.dtype).eps for part in (x, y)))


def _epsilon(module: nn.Module, x: Tensor) -> float | None:
    """The epsilon that a module names.

    PyTorch's RMSNorm without one takes the machine epsilon of what it computes in, which is float32
    for 16 bits.
    """
    for name in EPSILONS:
        value = getattr(module, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    wide = torch.float32 if x.dtype in NARROW else x.dtype
    return float(torch.finfo(wide).eps) if isinstance(module, nn.RMSNorm) else None


def _narrow(module: nn.Module, x: Tensor, y: Tensor) -> Facts | None:
    """A norm whose squares went beyond half precision: its output is 0, as it computes it."""
    if x.dtype not in NARROW:
        return None
    for over in _shapes(x.dim()):
        sample = _sample(x.dim(), x.shape, over)
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
            return Facts("rms", over, 0, eps, "weight", OWN, "doing")
    return None


def _precision(module: nn.Module, x: Tensor, y: Tensor, facts: Facts) -> str:
    """In which precision the statistics were taken: which of both gives more of the same numbers.

    The gain may be multiplied before the rounding or after it; both are tried.
    """
    if x.dtype not in NARROW:
        return WIDE if x.dtype == torch.float32 else str(x.dtype).removeprefix("torch.")
    sample = _sample(x.dim(), x.shape, facts.over)
    part, out = x.detach()[sample], y.detach()[sample]
    ways = [
        (held.gain, held.bias)
        for held in _conventions(module, x, facts.over, sample)
        if held.name == facts.gain
    ]
    same = {}
    for name, dtype in ((WIDE, torch.float32), (OWN, x.dtype)):
        values = part.to(dtype)
        values = values - values.mean(facts.over, keepdim=True) if facts.centers else values
        square = values.square().mean(facts.over, keepdim=True)
        normed = values * torch.rsqrt(square + facts.eps)
        same[name] = max(
            float((_times(rounded, gain, bias).to(out.dtype) == out).float().mean())
            for gain, bias in ways
            for rounded in (normed.to(x.dtype), normed)
        )
    best = max(same, key=lambda name: same[name])
    return EITHER if same[WIDE] == same[OWN] else best


def _times(normed: Tensor, gain: Tensor | None, bias: Tensor | None) -> Tensor:
    """Gain and bias in the precision of what they are applied to."""
    if gain is not None:
        normed = normed * gain.to(normed)
    return normed if bias is None else normed + bias.to(normed)
