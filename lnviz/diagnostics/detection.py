"""Detection of norms in any model, by a module's type or by recomputing its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lnviz.diagnostics.fitting import (
    Convention,
    Samples,
    conventions_of,
    find_spec,
    reproduces,
    tolerance,
)
from lnviz.diagnostics.norm_spec import (
    ADDED,
    HALF_DTYPES,
    IN_FLOAT32,
    IN_INPUT_DTYPE,
    UNDETERMINED,
    NormSpec,
    dtype_name,
    is_named_norm,
    is_norm,
    read_epsilon,
    spec_from_type,
)
from lnviz.diagnostics.probe import SIZES, Call, Probe

MAX_VALUES = 2**22
"""Maximum number of values of a call that are copied to the CPU."""


@dataclass(frozen=True)
class Detection:
    """Result of trying to detect a norm in a module.

    Attributes:
        spec: the specification; None if the module does not act as a norm.
        is_final: False if other inputs might give another result.
    """

    spec: NormSpec | None
    is_final: bool = True


def detect_norm(module: nn.Module, call: Call, like: NormSpec | None = None) -> Detection:
    """Detect the norm that a module computes, and return its specification in a `Detection`.

    PyTorch's own classes tell it. For others, the specification of a module of the same class is
    tried on the call; then a copy of the module is called on inputs and parameters that tell norms
    apart (`Probe`). Only if that fails, the call itself is used, whose inputs may not tell.

    Args:
        module: the module.
        call: a call of it, with an input and an output of one shape.
        like: specification of another module of the same class.
    """
    x, y = call.tensors[0], call.output
    if y is None or x.shape != y.shape or not x.is_floating_point() or not y.is_floating_point():
        return Detection(None)
    declared = spec_from_type(module, x)
    if declared and type(module).__module__.startswith("torch."):
        return Detection(_with_precision(module, call, declared))
    if declared and declared.kind not in ("layer", "rms"):
        return Detection(declared)
    eps = read_epsilon(module, x.dtype)
    samples = _samples(module, [call], dict(module.named_parameters()))
    if like is not None:
        same = replace(like, eps=like.eps if eps is None else eps)
        if not samples.are_finite or reproduces(samples, _of_samples(same, x.dim())):
            return Detection(same)
    named = is_named_norm(type(module).__name__)
    probe = Probe(module, call)
    found = None
    probed = _probe(probe) if probe.is_possible and x.dim() > 0 else None
    if probed is not None and probed.are_finite:
        found = find_spec(probed, declared, eps, named=named)
    elif samples.are_finite and samples.x.numel():
        found = find_spec(samples, declared, eps, named=named)
    if found is None:
        return Detection(declared, is_final=probed is not None or declared is not None)
    if found.over == (1 - x.dim(),) and x.dim() > 2:
        found = replace(found, over=(1,))
    detected = replace(found, detected_by="type" if is_norm(module) else "doing")
    return Detection(_with_precision(module, call, detected))


def _probe(probe: Probe) -> Samples | None:
    """Call copies of a module on random inputs; return the samples, or None if that fails."""
    parameters = probe.parameters()
    dtypes = dict.fromkeys((torch.float32, probe.call.tensors[0].dtype))
    for dtype in dtypes:
        for whole in (False, True):
            try:
                calls = [probe.run(size, dtype, parameters, whole=whole) for size in SIZES]
            except Exception:
                continue
            if all(_maps_to_its_shape(call) for call in calls):
                return _samples(probe.module, calls, parameters, chosen=True)
    return None


def _maps_to_its_shape(call: Call) -> bool:
    y = call.output
    return y is not None and y.shape == call.tensors[0].shape and y.is_floating_point()


def _samples(
    module: nn.Module,
    calls: Sequence[Call],
    parameters: Mapping[str, Tensor],
    *,
    chosen: bool = False,
) -> Samples:
    """Return inputs and outputs of calls as float64 CPU tensors, limited to the first examples."""
    x = [call.tensors[0] for call in calls]
    y = [call.output for call in calls]
    others = [
        [each for each in call.tensors[1:] if each.shape == call.tensors[0].shape] for call in calls
    ]
    return Samples(
        torch.stack([_wide(part) for part in x]),
        torch.stack([_wide(part) for part in y if part is not None]),
        torch.stack([_wide(held[0]) for held in others]) if others[0] else None,
        {name: _wide(values) for name, values in parameters.items()},
        tolerance(*(part.dtype for part in (*x, *y) if part is not None)),
        chosen,
    )


def _wide(values: Tensor) -> Tensor:
    values = values.detach()
    if values.dim() > 1 and values.numel() > MAX_VALUES:
        values = values[: max(1, MAX_VALUES * len(values) // values.numel())]
    return values.cpu().double()


def _with_precision(module: nn.Module, call: Call, spec: NormSpec) -> NormSpec:
    """Return the specification with the precision of the statistics that best fits the output.

    An output that is not finite tells nothing; the module is then called on another input.
    """
    x = call.tensors[0]
    if spec.kind not in ("layer", "rms"):
        return spec
    if x.dtype not in HALF_DTYPES:
        name = IN_FLOAT32 if x.dtype == torch.float32 else dtype_name(x)
        return replace(spec, precision=name)
    if spec.extra not in ("", ADDED):
        return spec
    samples = _samples(module, [call], dict(module.named_parameters()))
    if not samples.are_finite:
        samples = _call_again(module, call) or samples
    cut, ways = conventions_of(samples, _of_samples(spec, x.dim()))
    same = {
        name: max(
            float((rounded.to(x.dtype).double() == cut.y).double().mean())
            for way in ways
            for rounded in _rounded_outputs(cut, spec, way, dtype, x.dtype)
        )
        for name, dtype in ((IN_FLOAT32, torch.float32), (IN_INPUT_DTYPE, x.dtype))
    }
    best = max(same, key=lambda name: same[name])
    told = UNDETERMINED if same[IN_FLOAT32] == same[IN_INPUT_DTYPE] else best
    return replace(spec, precision=told)


def _call_again(module: nn.Module, call: Call) -> Samples | None:
    """Call a module on a random input of its dtype; return the samples, or None if impossible."""
    probe, parameters = Probe(module, call), dict(module.named_parameters())
    if not probe.is_possible:
        return None
    again = probe.run(1.0, call.tensors[0].dtype, parameters, whole=True)
    return _samples(module, [again], parameters)


def _rounded_outputs(
    samples: Samples, spec: NormSpec, way: Convention, dtype: torch.dtype, rounds_to: torch.dtype
) -> Iterator[Tensor]:
    """Yield a norm's output with statistics in a dtype, rounded before or after gain and bias."""
    over = _of_samples(spec, samples.x.dim() - 1).over
    x = (
        samples.x + samples.other
        if spec.extra == ADDED and samples.other is not None
        else samples.x
    )
    values = spec.split_groups(x.to(dtype))
    values = values - values.mean(over, keepdim=True) if spec.centers else values
    square = values.square().mean(over, keepdim=True)
    count = values.numel() // square.numel()
    inverse = (
        1 / spec.denominator(square, count)
        if spec.eps_outside or spec.correction
        else torch.rsqrt(square + spec.eps)
    )
    normed = (values * inverse).reshape_as(x)
    for part in (normed.to(rounds_to), normed):
        scaled = part if way.gain is None else part * way.gain.to(part)
        yield scaled if way.bias is None else scaled + way.bias.to(part)


def _of_samples(spec: NormSpec, dims: int) -> NormSpec:
    """Return the specification with axes counted from the end; samples have an extra axis."""
    return replace(spec, over=tuple(axis - dims if axis >= 0 else axis for axis in spec.over))
