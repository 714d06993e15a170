"""Comparison of two implementations of a model: the first norm that differs, and the reason.

Each pair of norms is called on the same input. What a norm computes is measured from outside, by
changing its input, so that norms of any class can be compared: which values share statistics, the
mean, gains, biases, and epsilon. The copies that are measured compute in float64; what differs only
in the model's own precision is a difference in rounding.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import torch
from torch import Tensor, nn

from lnviz.diagnostics.detection import detect_norm
from lnviz.diagnostics.norm_spec import (
    HALF_DTYPES,
    dtype_name,
    is_norm,
    is_norm_by_class,
    may_be_norm,
)
from lnviz.diagnostics.probe import Call
from lnviz.diagnostics.weights import BIAS, GAIN, NormParameter
from lnviz.number_format import number

EXACT: Final = 1e-9
"""Maximum difference of outputs in float64, relative to their RMS, that rounding explains."""
SINGLE: Final = 2e-6
"""The same where a norm computes in float32 whatever its input's dtype."""
CONSTANT: Final = 1e-5
"""Maximum deviation of a ratio or a difference of gains that is called constant."""
EPSILON_ERROR: Final = 1e-2
"""Minimum relative difference of two measured epsilons."""
MIN_UNIT: Final = 0.1
"""Minimum size of a standardized value by which an output is divided to measure its factor."""
MAX_EXAMPLES: Final = 8
"""Maximum length of the first axis of the inputs on which norms are measured."""
LARGE, SMALL, SMALLER = 1e4, 1e-3, 1e-4
"""RMS of inputs at which epsilon is negligible, and at which it is measured."""
MIN_UNEQUAL: Final = 0.01
"""Minimum fraction of values that differ in half precision."""
MAX_LISTED: Final = 12
MAX_LISTED_NAMES: Final = 3

N_MINUS_1: Final = "n - 1"


@dataclass(frozen=True)
class NormDifference:
    """A difference between two norms, measured on the same input.

    Attributes:
        theirs: name of the norm in the first model or file.
        mine: name of the norm in the second.
        kind: `axes`, `mean`, `gain`, `n - 1`, `bias`, `epsilon`, `precision`, `casts`, `shape`, or
            `other`.
        reason: the difference, in one sentence with the measured values.
        effect: RMS of the outputs' difference, relative to the first output's RMS; for files, NaN.
    """

    theirs: str
    mine: str
    kind: str
    reason: str
    effect: float = math.nan

    def __str__(self) -> str:
        names = self.theirs if self.theirs == self.mine else f"{self.theirs} and {self.mine}"
        effect = "" if math.isnan(self.effect) else f" Outputs differ by {_percent(self.effect)}."
        return f"{self.kind} at {names}: {self.reason}{effect}"


@dataclass(frozen=True)
class Comparison:
    """Result of comparing two models or two weight files.

    Attributes:
        pairs: number of pairs of norms that were compared.
        differences: the differences, in the order of the norms' calls.
        notes: sentences on what was not compared, and on where the inputs of norms first differ.
    """

    pairs: int
    differences: tuple[NormDifference, ...]
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> NormDifference | None:
        """The first difference, or None."""
        return self.differences[0] if self.differences else None

    def __str__(self) -> str:
        names = {(one.theirs, one.mine) for one in self.differences}
        lines = [f"Pairs of norms that were compared: {self.pairs:,}; that differ: {len(names):,}."]
        lines += map(str, self.differences[:MAX_LISTED])
        if len(self.differences) > MAX_LISTED:
            lines.append(f"and {len(self.differences) - MAX_LISTED:,} more differences")
        return "\n".join([*lines, *self.notes])


def compare(theirs: nn.Module, mine: nn.Module, inputs: Any) -> Comparison:
    """Compare the norms of two models; return their differences, with reasons, in call order.

    Both models run once in eval mode, without gradients. Each norm of `mine` is then called on the
    input of the norm of `theirs` with the same name; norms of other names are paired in the order
    of their first calls.

    Args:
        theirs: the model that is right.
        mine: the model that is checked.
        inputs: the input of both models: a tensor, a tuple of arguments, or a dict of keyword
            arguments.

    Raises:
        RuntimeError: a model raises an error on these inputs, which is the cause.
        ValueError: a model calls no norm.

    >>> norm = nn.LayerNorm(8, eps=1e-3)
    >>> compare(nn.LayerNorm(8), norm, torch.randn(4, 8, generator=torch.manual_seed(0))).first.kind
    'epsilon'
    """
    with torch.no_grad():
        pairs, notes = _pair(
            _record_norms("theirs", theirs, inputs),
            _record_norms("mine", mine, inputs),
            "the order of their calls",
        )
        found = [_compare_norms(*pair) for pair in pairs]
        differing = next((at for at, each in enumerate(found) if each), len(pairs))
        notes += _first_unequal_input(pairs[: differing + 1])
    differences = tuple(difference for each in found for difference in each)
    return Comparison(len(pairs), differences, tuple(notes))


@dataclass(frozen=True, eq=False)
class _Call:
    """First call of a norm: its arguments, the position of the input among them, and the output."""

    name: str
    module: nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    argument: int | str
    y: Tensor

    @property
    def x(self) -> Tensor:
        held: Tensor = (
            self.args[self.argument]
            if isinstance(self.argument, int)
            else self.kwargs[self.argument]
        )
        return held

    def of(self, module: nn.Module, x: Tensor) -> Tensor:
        """Call a module with this call's arguments but a different input; return its output."""
        others = {
            key: value.to(x.dtype)
            if isinstance(value, Tensor) and value.is_floating_point()
            else value
            for key, value in (*enumerate(self.args), *self.kwargs.items())
            if key != self.argument
        }
        args = [x if at == self.argument else others[at] for at in range(len(self.args))]
        kwargs = {key: x if key == self.argument else others[key] for key in self.kwargs}
        y: Tensor = _first_tensor(module(*args, **kwargs))
        return y


def _record_norms(who: str, model: nn.Module, inputs: Any) -> list[_Call]:
    """Run a model in eval mode; return the first call of each norm, in the order of the calls."""
    calls: dict[str, _Call] = {}

    def record(
        name: str, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        arguments: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        tensors = [key for key, value in arguments if isinstance(value, Tensor)]
        y = _first_tensor(result)
        if name in calls or not tensors or not isinstance(y, Tensor):
            return
        call = _Call(name or "the model", module, args, kwargs, tensors[0], y)
        if call.x.shape == y.shape:
            calls[name] = call

    training = [module for module in model.modules() if module.training]
    with ExitStack() as stack:
        for module in training:
            stack.callback(setattr, module, "training", True)
        model.eval()
        for name, module in model.named_modules():
            if is_norm(module) or may_be_norm(module):
                hook = module.register_forward_hook(partial(record, name), with_kwargs=True)
                stack.callback(hook.remove)
        try:
            if isinstance(inputs, Mapping):
                model(**inputs)
            else:
                model(*(inputs if isinstance(inputs, tuple) else (inputs,)))
        except Exception as error:
            raise RuntimeError(
                f'The model "{who}" ({type(model).__name__}) raises {type(error).__name__} on '
                f"these inputs: {error}"
            ) from error
    norms = [call for call in calls.values() if _is_norm(call)]
    if not norms:
        raise ValueError(f'On these inputs, the model "{who}" calls no norm.')
    return norms


def _is_norm(call: _Call) -> bool:
    """Return whether a module is a norm by its class, by its name, or by what it computes."""
    if is_norm_by_class(call.module):
        return True
    return detect_norm(call.module, Call(call.args, call.kwargs, call.y)).spec is not None


def _first_tensor(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) and result else result


_Named = TypeVar("_Named", _Call, NormParameter)


def _pair(
    theirs: Sequence[_Named], mine: Sequence[_Named], order: str
) -> tuple[list[tuple[_Named, _Named]], list[str]]:
    """Pair norms by name, and those whose names differ in an order; describe the latter."""
    by_name = {one.name: one for one in mine}
    partners = {one.name: by_name.pop(one.name) for one in theirs if one.name in by_name}
    others = [one for one in theirs if one.name not in partners], list(by_name.values())
    partners |= {one.name: other for one, other in zip(*others, strict=False)}
    notes = []
    if count := min(map(len, others)):
        notes.append(f"Names differ, and norms of other names were paired in {order}.")
    for side, rest in zip(("theirs", "mine"), others, strict=True):
        if alone := [one.name for one in rest[count:]]:
            listed = ", ".join(alone[:MAX_LISTED_NAMES])
            more = len(alone) - MAX_LISTED_NAMES
            notes.append(
                f"Only {side} has {listed}{f' and {more:,} more' if more > 0 else ''}, which "
                f"{'were' if len(alone) > 1 else 'was'} not compared."
            )
    return [(one, partners[one.name]) for one in theirs if one.name in partners], notes


def _first_unequal_input(pairs: Sequence[tuple[_Call, _Call]]) -> Iterator[str]:
    """Yield a sentence about the first norm whose inputs differ when both models run."""
    before = ""
    for theirs, mine in pairs:
        where = f"between {before} and {theirs.name}" if before else f"before {theirs.name}"
        if theirs.x.shape != mine.x.shape:
            yield (
                f"In the running models, the inputs of {theirs.name} have different shapes, "
                f"{_shape(theirs.x)} and {_shape(mine.x)}: look at the layers {where}."
            )
            return
        effect = _relative(theirs.x, mine.x)
        if effect > _rounding(theirs.x.dtype):
            yield (
                f"In the running models, the inputs of {theirs.name} are the first to differ, by "
                f"{_percent(effect)}: look at the layers {where}."
            )
            return
        before = theirs.name


def _compare_norms(theirs: _Call, mine: _Call) -> list[NormDifference]:
    """Compare the outputs of two norms on the first norm's input; return the differences."""
    x, y = theirs.x, theirs.y
    sizes = [_parameter_size(call.module) for call in (theirs, mine)]
    is_wider = sizes[0] != sizes[1] or (not sizes[0] and x.shape[-1] != mine.x.shape[-1])
    if is_wider and mine.x.shape != x.shape:
        reason = f"Their inputs have shapes {_shape(x)} and {_shape(mine.x)}."
        return [NormDifference(theirs.name, mine.name, "shape", reason)]
    try:
        other = mine.of(copy.deepcopy(mine.module).eval(), x)
    except Exception as error:
        raised = f"Mine raises {type(error).__name__} on the input of theirs"
        reason = f"{raised}, of shape {_shape(x)}: {error}"
        return [NormDifference(theirs.name, mine.name, "shape", reason)]
    effect = _relative(y, other)
    found = partial(NormDifference, theirs.name, mine.name, effect=effect)
    measured = [_Measured(call, x) for call in (theirs, mine)]
    differences = [found(kind, reason) for kind, reason in _formula_differences(*measured)]
    if not differences:
        differences = [
            found(kind, reason) for kind, reason in _rounding_differences(x, y, other, measured[0])
        ]
    return differences


class _Measured:
    """A norm's function, measured in float64 on scaled, negated and modified inputs.

    Args:
        call: a call of the norm.
        x: the input on which it is measured, of which the first examples are used.
    """

    def __init__(self, call: _Call, x: Tensor) -> None:
        self.module = module = copy.deepcopy(call.module).double().eval()
        if isinstance(module, nn.RMSNorm) and module.eps is None:
            # PyTorch's default is that of the dtype in which it computes.
            module.eps = torch.finfo(x.dtype if x.dtype == torch.float64 else torch.float32).eps
        count = (
            len(x)
            if any(
                isinstance(value, Tensor) and key != call.argument
                for key, value in (*enumerate(call.args), *call.kwargs.items())
            )
            else MAX_EXAMPLES
        )
        self.x = x[:count].detach().double()
        self._call = call
        self.y = self._apply(self.x)
        # A norm that casts its input to float32 says so in the digits of its output.
        is_single = bool((self.y == self.y.float().double()).all())
        self.tolerance = SINGLE if is_single else EXACT
        self.axes, self.groups = self._shared_axes()
        self.bias = (self.y + self._apply(-self.x)) / 2
        self.centers = self._subtracts_mean()
        self.unit = self._standardize()
        self.gain = (self._apply(LARGE * self.unit) - self.bias) / (
            self.unit if self.axes else LARGE * self.unit
        )
        self.size = math.prod(self.x.shape[axis] for axis in self.axes) // self.groups

    def _apply(self, x: Tensor) -> Tensor:
        return self._call.of(self.module, x).double()

    def _shared_axes(self) -> tuple[tuple[int, ...], int]:
        """Return the axes along which values share statistics, and the number of groups."""
        place = tuple(side // 2 for side in self.x.shape)
        is_changed = torch.zeros_like(self.y, dtype=torch.bool)
        # Both ways: of two features, LayerNorm leaves only which is larger.
        for distance in (10, -10):
            changed = self.x.clone()
            changed[place] += distance * (1 + self.x.abs().max())
            moved = (self._apply(changed) - self.y).abs()
            is_changed |= moved > 1e-12 * self.y.abs().max()
        is_changed[place] = True
        places = is_changed.nonzero()
        axes = tuple(axis for axis in range(self.x.dim()) if len(places[:, axis].unique()) > 1)
        groups, rest = divmod(math.prod(self.x.shape[axis] for axis in axes), len(places))
        is_grouped = not rest and 1 in axes and self.x.shape[1] % groups == 0
        return axes, groups if is_grouped else 1

    def _standardize(self) -> Tensor:
        """Return inputs with RMS 1 in each group, and mean 0 if the norm subtracts the mean."""
        if not self.axes:
            return self.x / self.x.square().mean().sqrt().clamp_min(1e-300)
        x, axes = self.x, self.axes
        if self.groups > 1:
            x, axes = x.reshape(len(x), self.groups, -1), (2,)
        x = x - x.mean(axes, keepdim=True) if self.centers else x
        rms = x.square().mean(axes, keepdim=True).sqrt()
        # Where the mean is large, subtracting it leaves few digits.
        self.tolerance *= max(1.0, float(self.x.abs().max() / rms.min().clamp_min(1e-300)))
        return (x / rms.clamp_min(1e-300)).reshape(self.x.shape)

    def _subtracts_mean(self) -> bool:
        if not self.axes:
            return False
        shift = self.x.std() + 1
        moved = (self._apply(self.x + shift) - self.y).abs().max()
        return bool(moved <= 1e-3 * self.y.abs().max())

    def epsilon(self) -> tuple[float, bool]:
        """Return epsilon, and whether it is added to the square root instead of under it."""

        def shrink(scale: float) -> float:
            y = self._apply(scale * self.unit) - self.bias
            return float((y / (self.gain * self.unit)).nanmedian())

        small, smaller = shrink(SMALL), shrink(SMALLER)
        inside = [
            scale**2 * (1 / ratio**2 - 1) for scale, ratio in ((SMALL, small), (SMALLER, smaller))
        ]
        outside = [scale * (1 / ratio - 1) for scale, ratio in ((SMALL, small), (SMALLER, smaller))]
        is_outside = _unequal(*outside) < _unequal(*inside)
        return max((outside if is_outside else inside)[1], 0.0), is_outside


def _unequal(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-30)


def _formula_differences(theirs: _Measured, mine: _Measured) -> Iterator[tuple[str, str]]:
    """Yield the kind and the reason of each difference between the formulas of two norms."""
    tolerance = max(theirs.tolerance, mine.tolerance)
    missing = [~measured.y.isfinite() for measured in (theirs, mine)]
    if not torch.equal(*missing):
        counts = [int(each.sum()) for each in missing]
        yield (
            "gain",
            (
                f"Of {theirs.y.numel():,} finite inputs, {counts[0]:,} give NaN or infinity in "
                f"theirs, and {counts[1]:,} in mine."
            ),
        )
        return
    if theirs.axes != mine.axes:
        yield (
            "axes",
            (
                f"Of an input of shape {_shape(theirs.x)}, theirs shares statistics over "
                f"{_axes(theirs.axes)}, mine over {_axes(mine.axes)}."
            ),
        )
        return
    if theirs.groups != mine.groups:
        yield (
            "axes",
            (
                f"Theirs shares statistics among {theirs.size:,} values ({theirs.groups} groups), "
                f"mine among {mine.size:,} ({mine.groups} groups)."
            ),
        )
        return
    if theirs.centers != mine.centers:
        names = ("theirs", "mine") if theirs.centers else ("mine", "theirs")
        yield "mean", f"{names[0].capitalize()} subtracts the mean, {names[1]} does not."
        return
    gains = list(_gain_differences(theirs, mine))
    yield from gains
    offset, first, second = map(_largest, (mine.bias - theirs.bias, theirs.bias, mine.bias))
    is_shifted = offset > CONSTANT * max(1.0, first)
    if is_shifted and theirs.axes:
        yield (
            "bias",
            (
                f"The largest bias is {number(first, 'g3')} in theirs and "
                f"{number(second, 'g3')} in mine; the largest difference is "
                f"{number(offset, 'g3')}."
            ),
        )
    elif is_shifted and not gains:
        yield (
            "bias",
            (
                "The offsets of the channels (the bias, and the running mean) differ by up to "
                f"{number(offset, 'g3')}."
            ),
        )
    eps = list(_epsilon_difference(theirs, mine, gains)) if theirs.axes else []
    yield from eps
    is_equal = _relative(theirs.y, mine.y, largest=True) <= tolerance
    if not (is_equal or gains or is_shifted or eps):
        yield "other", "The two norms compute different functions of the same input."


def _unequal_parts(theirs: nn.Module, mine: nn.Module) -> dict[str, tuple[Tensor, Tensor]]:
    """Return the parts of the channels' factors that differ between two BatchNorms of PyTorch."""
    parts = {"gains": "weight", "running variances": "running_var", "epsilon": "eps"}
    unequal = {}
    for part, name in parts.items():
        held = [getattr(module, name, None) for module in (theirs, mine)]
        if any(each is None for each in held):
            continue
        first, second = (torch.as_tensor(each, dtype=torch.float64) for each in held)
        if first.shape != second.shape or not torch.allclose(first, second, CONSTANT, 0):
            unequal[part] = first, second
    return unequal


def _epsilon_difference(
    theirs: _Measured, mine: _Measured, gains: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    (eps, outside), (other, other_outside) = theirs.epsilon(), mine.epsilon()
    if any(kind == N_MINUS_1 for kind, _ in gains):  # epsilon was measured at a variance of 1 by n
        wider = theirs.size / (theirs.size - 1)
        if float(theirs.gain.abs().median()) < float(mine.gain.abs().median()):
            eps *= wider**0.5 if outside else wider
        else:
            other *= wider**0.5 if other_outside else wider
    if max(eps, other) <= 1e-15:
        return
    if outside != other_outside and min(eps, other) > 0:
        words = {True: "outside the root", False: "under the root"}
        yield (
            "epsilon",
            (
                f"Theirs adds epsilon ({number(eps, 'g3')}) {words[outside]}, mine "
                f"({number(other, 'g3')}) {words[other_outside]}."
            ),
        )
    elif _unequal(eps, other) > EPSILON_ERROR:
        yield (
            "epsilon",
            (f"Epsilon is {number(eps, 'g3')} in theirs and {number(other, 'g3')} in mine."),
        )


def _gain_differences(theirs: _Measured, mine: _Measured) -> Iterator[tuple[str, str]]:
    """Yield the difference between two norms' gains or divisors (n or n - 1)."""
    usable = (theirs.unit.abs() > MIN_UNIT) & theirs.gain.isfinite() & mine.gain.isfinite()
    first, second = theirs.gain[usable], mine.gain[usable]
    if not len(first) or float((second - first).abs().max()) <= CONSTANT * float(first.abs().max()):
        return
    shift = second - first
    ratio = second / first
    if not theirs.axes:  # BatchNorm in eval mode: the running statistics are in the factor
        causes = _unequal_parts(theirs.module, mine.module)
        if [*causes] == ["epsilon"]:
            eps, other = (number(float(each), "g3") for each in causes["epsilon"])
            yield "epsilon", f"Epsilon is {eps} in theirs and {other} in mine."
            return
        why = f", since {' and '.join(causes)} differ" if causes else ""
        middle = number(float(ratio.median()), "g4")
        yield (
            "gain",
            (
                "The factors of the channels (gain over running standard deviation) differ"
                f"{why}: the median ratio of mine to theirs is {middle}."
            ),
        )
        return
    for name, extra in (("mine", 1.0), ("theirs", -1.0)):
        if float((shift - extra).abs().max()) <= 10 * CONSTANT * float(second.abs().max() + 1):
            yield "gain", _describe_added_one(name, theirs, mine)
            return
    constant = float((first * second).sum() / first.square().sum())
    residual = _largest(second - constant * first)
    if abs(constant - 1) > CONSTANT and residual <= 10 * CONSTANT * _largest(second):
        bessel = math.sqrt((theirs.size - 1) / theirs.size) if theirs.size > 1 else 0.0
        for value, who in ((bessel, "mine"), (1 / bessel if bessel else 0.0, "theirs")):
            if abs(constant - value) <= 0.1 * abs(1 - value):
                other = "theirs" if who == "mine" else "mine"
                yield (
                    N_MINUS_1,
                    (
                        f"{who.capitalize()} divides the sum of squares by n − 1 = "
                        f"{theirs.size - 1:,}, {other} by n = {theirs.size:,}: the ratio of the "
                        f"factors is {number(constant, 'g6')}."
                    ),
                )
                return
        yield "gain", f"All factors of mine are {number(constant, 'g6')} times those of theirs."
        return
    unequal = (shift.abs() > CONSTANT * first.abs().max()).reshape(-1)
    yield (
        "gain",
        (
            f"{number(100 * float(unequal.double().mean()), 'g2')}% of the factors differ: from "
            f"{_range(first)} in theirs, and "
            f"from {_range(second)} in mine."
        ),
    )


def _describe_added_one(larger: str, theirs: _Measured, mine: _Measured) -> str:
    """Return a sentence about gains that differ by 1, given the side with the larger gains."""
    stored = [_stored_gain(measured) for measured in (theirs, mine)]
    medians = [
        float(measured.gain[theirs.unit.abs() > MIN_UNIT].median()) for measured in (theirs, mine)
    ]
    held = (
        f"The median factor is {number(medians[0], 'g4')} in theirs and "
        f"{number(medians[1], 'g4')} in mine."
    )
    if stored[0] is not None and stored[1] is not None and stored[0].shape == stored[1].shape:
        shift = float((stored[1] - stored[0]).median())
        if larger == "mine" and abs(shift - 1) < 1e-3:
            return (
                f"Mine adds 1 to stored gains that already include it, so 1 is added twice. {held}"
            )
        if larger == "theirs" and abs(shift) < 1e-3:
            return f"Theirs multiplies by 1 + w, mine by w, so 1 is never added. {held}"
        if larger == "mine" and abs(shift) < 1e-3:
            return f"Mine multiplies by 1 + w, theirs by w. {held}"
    return f"All factors of {larger} are larger by 1, as if only {larger} added 1 to w. {held}"


def _stored_gain(measured: _Measured) -> Tensor | None:
    vectors = [held for held in measured.module.parameters(recurse=False) if held.numel() > 1]
    return vectors[0].detach() if vectors else None


def _rounding_differences(
    x: Tensor, y: Tensor, other: Tensor, theirs: _Measured
) -> Iterator[tuple[str, str]]:
    """Yield differences in precision and rounding between norms with the same formula."""
    if y.dtype != other.dtype:
        yield "precision", f"Theirs returns {dtype_name(y)}, mine {dtype_name(other)}."
        return
    if x.dtype in HALF_DTYPES:
        unequal = float((y != other).double().mean())
        if unequal < MIN_UNEQUAL:
            return
        ways = _rounding_orders(x, theirs)
        best = [
            max(ways, key=lambda way: float((ways[way] == out).double().mean()))
            for out in (y[:MAX_EXAMPLES], other[:MAX_EXAMPLES])
        ]
        steps = 2 * torch.finfo(x.dtype).eps * _largest(y.double())
        if best[0] == best[1] and _largest(y.double() - other.double()) <= steps:
            return  # the last digit, as between two orders of summation
        kind = "casts" if all("float32" in way for way in best) else "precision"
        same = "" if best[0] != best[1] else ", as far as can be told"
        yield (
            kind,
            (
                f"{number(100 * unequal, 'g3')}% of the values differ in {dtype_name(x)}. Theirs "
                f"{best[0]}; mine {best[1]}{same}."
            ),
        )
        return
    errors = [_relative(theirs.y, out[:MAX_EXAMPLES]) for out in (y, other)]
    tolerance = _rounding(x.dtype)
    if max(errors) <= tolerance or max(errors) <= 10 * min(errors):
        return
    ratio = max(errors) / max(min(errors), 1e-9)
    worse, better = ("mine", "theirs") if errors[1] > errors[0] else ("theirs", "mine")
    yield (
        "precision",
        (
            f"In {dtype_name(x)}, {worse} is {number(ratio, 'g2')} times as "
            f"far from the exact result as {better}: it computes in lower precision, or "
            "subtracts large numbers, as the variance in one pass does."
        ),
    )


def _rounding_orders(x: Tensor, norm: _Measured) -> dict[str, Tensor]:
    """Return a norm's outputs for each possible order of casts, keyed by its description."""
    part = x[:MAX_EXAMPLES]
    eps, outside = norm.epsilon() if norm.axes else (0.0, False)
    gain = norm.gain.nan_to_num(posinf=0, neginf=0)
    results = {}
    for dtype, words in ((torch.float32, "float32"), (x.dtype, dtype_name(x))):
        values = part.to(dtype)
        if norm.centers:
            values = values - values.mean(norm.axes, keepdim=True)
        square = values.square().mean(norm.axes, keepdim=True) if norm.axes else torch.ones(())
        scale = 1 / (square.sqrt() + eps) if outside else (square + eps).rsqrt()
        normed = values * scale.to(dtype)
        late = (gain.to(dtype) * normed + norm.bias.to(dtype)).to(x.dtype)
        early = gain.to(x.dtype) * normed.to(x.dtype) + norm.bias.to(x.dtype)
        if dtype == x.dtype:
            results[f"computes in {words}"] = late
        else:
            results[f"computes in {words} and casts after the gain"] = late
            results[f"computes in {words} and casts before the gain"] = early
    return results


def compare_weights(theirs: Sequence[NormParameter], mine: Sequence[NormParameter]) -> Comparison:
    """Compare the gains, biases and running statistics of two weight files.

    Tensors are paired by name; those of other names, in the order of their role.

    >>> one = NormParameter("norm.weight", torch.tensor([0.1, -0.2]))
    >>> other = NormParameter("norm.weight", torch.tensor([1.1, 0.8]))
    >>> compare_weights([one], [other]).first.reason
    'All values of mine are larger by 1: one file stores w, the other 1 + w.'
    """
    pairs: list[tuple[NormParameter, NormParameter]] = []
    notes: list[str] = []
    for role in dict.fromkeys(one.role for one in (*theirs, *mine)):
        first, second = ([one for one in side if one.role == role] for side in (theirs, mine))
        found, said = _pair(first, second, "the order of the files")
        pairs += found
        notes += said
    place = {one.name: at for at, one in enumerate(theirs)}
    pairs.sort(key=lambda pair: place[pair[0].name])
    differences = [
        NormDifference(one.name, other.name, kind, reason)
        for one, other in pairs
        for kind, reason in _weight_difference(one, other)
    ]
    return Comparison(len(pairs), tuple(differences), tuple(dict.fromkeys(notes)))


def _weight_difference(theirs: NormParameter, mine: NormParameter) -> Iterator[tuple[str, str]]:
    first, second = theirs.values.double(), mine.values.double()
    kind = {GAIN: "gain", BIAS: "bias"}.get(theirs.role, "running statistics")
    if first.shape != second.shape:
        yield "shape", f"There are {len(first):,} values in theirs and {len(second):,} in mine."
        return
    unlike = int((first.isfinite() != second.isfinite()).sum())
    if unlike:
        yield (
            kind,
            (f"{unlike:,} of {len(first):,} values are NaN or infinite in only one of the files."),
        )
        return
    valid = first.isfinite() & second.isfinite()
    first, second = first[valid], second[valid]
    size = float(first.abs().max()) if len(first) else 0.0
    tolerance = 1e-6 * max(size, 1e-30)
    shift = second - first
    largest = float(shift.abs().max()) if len(first) else 0.0
    if largest <= tolerance:
        return
    for name, extra in (("mine", 1.0), ("theirs", -1.0)):
        if theirs.role == GAIN and float((shift - extra).abs().max()) <= 0.01:
            yield kind, f"All values of {name} are larger by 1: one file stores w, the other 1 + w."
            return
    ratio = second / first
    constant = float(ratio.nanmedian())
    is_constant = float((second - constant * first).abs().max()) <= 1e-3 * size * abs(constant)
    if is_constant and abs(constant - 1) > 1e-3:
        yield kind, f"All values of mine are {number(constant, 'g4')} times those of theirs."
        return
    if largest <= 2**-8 * size:
        yield (
            "precision",
            (
                f"The values differ by at most {number(largest / size, 'g2')} of the largest, as "
                "after rounding to half precision."
            ),
        )
        return
    count = int((shift.abs() > tolerance).sum())
    yield (
        kind,
        (
            f"{count:,} of {len(valid):,} values differ, by at most {number(largest, 'g3')}; the "
            f"median is {number(float(first.median()), 'g3')} in theirs and "
            f"{number(float(second.median()), 'g3')} in mine."
        ),
    )


def _relative(one: Tensor, other: Tensor, *, largest: bool = False) -> float:
    """Return the RMS (or the maximum) of a difference, relative to the RMS of the first tensor."""
    if one.shape != other.shape:
        return math.inf
    gap = other.double() - one.double()
    size = float(one.double().square().mean().sqrt())
    measure = float(gap.abs().max()) if largest else float(gap.square().mean().sqrt())
    if math.isnan(measure):
        both = bool((one.isnan() == other.isnan()).all())
        return 0.0 if both and bool((gap[~gap.isnan()] == 0).all()) else math.inf
    return measure / size if size else (0.0 if not measure else math.inf)


def _rounding(dtype: torch.dtype) -> float:
    """Return the relative difference that rounding in a dtype can explain."""
    return 30 * torch.finfo(dtype).eps if dtype.is_floating_point else 0.0


def _parameter_size(module: nn.Module) -> int:
    return max((held.numel() for held in module.parameters()), default=0)


def _largest(values: Tensor) -> float:
    return float(values.nan_to_num(posinf=0, neginf=0).abs().max())


def _range(values: Tensor) -> str:
    return f"{number(float(values.min()), 'g3')} to {number(float(values.max()), 'g3')}"


def _shape(x: Tensor) -> str:
    return " × ".join(map(str, x.shape))


def _axes(axes: tuple[int, ...]) -> str:
    if not axes:
        return "no axis (it uses running statistics)"
    named = ", ".join(map(str, axes))
    return f"axis {named}" if len(axes) == 1 else f"axes {named}"


def _percent(fraction: float) -> str:
    if math.isinf(fraction):
        return "infinitely much"
    if fraction < 1e-3:
        return f"{number(fraction, 'g2')} of their RMS"
    return f"{number(100 * fraction, 'g2')}%"
