"""Rules on the values that norms receive and output: their magnitude and precision."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from lnviz.diagnostics.findings import LIKELY, NOTE, SURE
from lnviz.diagnostics.norm_spec import IN_INPUT_DTYPE
from lnviz.diagnostics.norm_statistics import DTYPES, NormStats
from lnviz.diagnostics.rules.match import (
    MIN_CONSTANT_FRACTION,
    Match,
    Norms,
    first_event,
    with_varying_inputs,
)
from lnviz.number_format import number

MIN_EPSILON_FRACTION = 0.2
"""Fraction of epsilon in the denominator. Healthy: at most 0.086, in an untrained ConvNeXt whose
last stage has values of 0.003, and 0.012 in an untrained GPT-2. An untrained OLMo 2 of width 32 has
1.0 and is reported.
"""
FLOAT16_MARGIN = 4.0
"""Minimum ratio of float16's maximum to the largest value. Healthy: SmolLM2's 22,500 has a ratio of
2.9, but SmolLM2 computes in float32.
"""
MIN_COMPONENT_FRACTION, MIN_COMPONENT_WIDTH = 0.5, 64
"""Fraction of a group's sum of squares in one component, and minimum group size. Without massive
activations: at most 0.45 at width 32, and 0.25 at width 64; SmolLM2 and MiniLM have 0.99.
"""
MAX_MEAN_CHANGE = 0.5
"""Relative change of the output if RMSNorm replaced LayerNorm. Healthy: 0.06 in MiniLM, 0.19 in an
untrained GPT-2 of width 32.
"""
IN_FLOAT32_REMEDY = "Compute the statistics in float32, with x.float() before the square."


def check_epsilon(norms: Norms) -> Iterator[Match]:
    """Find norms where epsilon is a large fraction of the variance plus epsilon."""
    for norm in with_varying_inputs(norms):
        if (share := norm.median("epsilon")) >= MIN_EPSILON_FRACTION:
            spread = "standard deviation" if norm.spec.eps_outside else "variance"
            size = norm.spec.eps if norm.spec.eps_outside else math.sqrt(norm.spec.eps)
            yield Match(
                norm,
                share,
                f"Epsilon ({number(norm.spec.eps, 'g2')}) is {number(share, '0%')} of the {spread} "
                "plus epsilon, so the outputs are too small.",
                f"Lower epsilon, or scale the inputs far above {number(size, 'g2')}"
                f"{'' if norm.spec.eps_outside else ', the root of epsilon'}.",
                SURE,
                severity=60 * share,
            )


def check_nonfinite_output(norms: Norms) -> Iterator[Match]:
    """Find norms whose inputs are finite and whose outputs are infinite or NaN."""
    begun = _first_nonfinite_output(norms)
    for at, norm in enumerate(norms):
        spoiled = {
            part: int((~values.isfinite()).sum())
            for part, values in (("gains", norm.gains), ("biases", norm.biases))
            if values is not None and not values.isfinite().all()
        }
        for part, count in spoiled.items():
            length = len(norm.gains if part == "gains" else norm.biases)  # type: ignore[arg-type]
            yield Match(
                norm,
                float(count),
                f"Of its {length} {part}, {count} {'are' if count > 1 else 'is'} infinite or NaN.",
                "Load the last checkpoint without them, and clip gradients.",
                SURE,
                severity=101,
            )
        if not spoiled and begun is not None and begun[1] == at:
            reason, remedy = _nonfinite_cause(norm)
            yield Match(norm, 1.0, reason, remedy, SURE, severity=101)


def _nonfinite_cause(norm: NormStats) -> tuple[str, str]:
    narrow = norm.spec.precision == IN_INPUT_DTYPE or norm.dtype in ("float32", "float64")
    constant = norm.maximum("constant") > 0
    if narrow and constant and _vanishes(norm):
        return (
            f"Its input is finite, but its output is not: epsilon ({number(norm.spec.eps, 'g2')}) "
            f"is 0 in {norm.dtype}, and a group without variance is divided by 0.",
            "Compute the statistics in float32, or use a larger epsilon.",
        )
    if narrow and _vanishes(norm) and _has_tiny_squares(norm):
        return (
            f"Its input is finite and its output is not: epsilon ({number(norm.spec.eps, 'g2')}) "
            f"and the squares of its inputs (median RMS {number(norm.median('x_median'), 'g2')}) "
            f"are 0 in {norm.dtype}, so it divides by 0.",
            IN_FLOAT32_REMEDY,
        )
    if constant and norm.spec.eps == 0:
        return (
            "Its input is finite, but its output is not: without an epsilon, a group without "
            "variance is divided by 0.",
            "Add an epsilon to the variance.",
        )
    if narrow and norm.maximum("x_largest") ** 2 > _finfo(norm).max:
        return (
            "Its input is finite, but its output is not: the square of the largest input "
            f"({number(norm.maximum('x_largest'), 'g3')}) exceeds the maximum of {norm.dtype}.",
            IN_FLOAT32_REMEDY,
        )
    return (
        "Its input is finite, but its output is infinite or NaN, for the first time at this norm.",
        "Compute this norm in float32, and check its epsilon and its other arguments.",
    )


def check_overflow(norms: Norms) -> Iterator[Match]:
    """Find norm inputs that are not finite, or so large that their squares overflow float16."""
    begun = first_event(norms, [norm.calls["infinite"] > 0 for norm in norms])
    output = _first_nonfinite_output(norms)
    if begun is not None:
        if output is None or begun < output:
            norm = norms[begun[1]]
            fraction = norm.maximum("infinite")
            yield Match(
                norm,
                fraction,
                f"The input is infinite or NaN in {number(fraction, '0%')} of the groups, for the "
                "first time at this norm.",
                f"Check the layer before this norm{_wider(norm)}.",
                SURE,
                severity=100,
            )
        return
    for norm in norms:
        if norm.dtype != "float16":
            continue
        most, end = norm.maximum("x_largest"), torch.finfo(torch.float16).max
        if norm.spec.precision == IN_INPUT_DTYPE and most**2 > end:
            yield Match(
                norm,
                most,
                f"The square of the largest input ({number(most, 'g3')}) exceeds float16's maximum "
                "of 65,504, and this norm computes its statistics in float16.",
                IN_FLOAT32_REMEDY,
                SURE,
                severity=95,
            )
        elif most > end / FLOAT16_MARGIN:
            yield Match(
                norm,
                most,
                f"The largest input is {number(most, 'g3')}, and float16's maximum is 65,504.",
                "Use bfloat16 or float32 for the residual stream before this norm.",
                LIKELY,
                severity=80,
            )


def check_underflow(norms: Norms) -> Iterator[Match]:
    """Find norms whose epsilon or squared inputs underflow to 0 in the dtype of the statistics."""
    for norm in norms:
        if norm.spec.precision != IN_INPUT_DTYPE or norm.dtype not in ("float16", "bfloat16"):
            continue
        if not norm.calls["y_rms"].isfinite().all():
            continue  # its output is not finite, which is told with its cause
        size = norm.median("x_median")
        if _vanishes(norm):
            yield Match(
                norm,
                norm.spec.eps,
                f"Epsilon ({number(norm.spec.eps, 'g2')}) is 0 in {norm.dtype}, in which this norm "
                "computes its statistics, so a group of zeros becomes NaN.",
                "Compute the statistics in float32, or use an epsilon above "
                f"{number(_finfo(norm).tiny, 'g2')}.",
                SURE,
                severity=88,
            )
        elif _has_tiny_squares(norm):
            yield Match(
                norm,
                size,
                f"The squares of its inputs (median RMS {number(size, 'g2')}) are too small for "
                f"{norm.dtype}, in which this norm computes its statistics.",
                IN_FLOAT32_REMEDY,
                SURE,
                # Squares far below epsilon change nothing: that is what `check_epsilon` tells.
                severity=87 if size**2 > norm.spec.eps else 10,
            )


def check_constant_inputs(norms: Norms) -> Iterator[Match]:
    """Find norms for which most groups of inputs are constant, so that the output is 0."""
    for norm in norms:
        if (share := norm.median("constant")) >= MIN_CONSTANT_FRACTION:
            alone = norm.group_size == 1
            yield Match(
                norm,
                share,
                f"In {number(share, '0%')} of the groups, all {norm.group_size} values are equal, "
                f"so {'centering' if norm.spec.centers else 'the norm'} turns them into 0.",
                "Share statistics among more values."
                if alone
                else "Find out why the input is constant. If it is padding, ignore this.",
                SURE if alone else LIKELY,
                severity=90 * share,
            )


def check_sign(norms: Norms) -> Iterator[Match]:
    """Find norms over so few values that only the signs of the inputs are left in the outputs."""
    for norm in with_varying_inputs(norms):
        own = norm.calls["size"][norm.calls["fixed"] == 0]
        few = 2 if norm.spec.centers else 1
        if len(own) and float(own.median()) == few:
            values = "two values" if few == 2 else "a single value"
            yield Match(
                norm,
                float(few),
                f"The statistics are over {values}, so only a sign is left: all outputs are −1 or "
                "1, before gain and bias.",
                "Share statistics among more values, or leave out this norm.",
                SURE,
                severity=89,
            )


def check_dominant_component(norms: Norms) -> Iterator[Match]:
    """Find norms where one component dominates the sum of squares (a massive activation)."""
    for norm in norms:
        shares = norm.calls["share"].nan_to_num(0.0)
        at = int(shares.argmax())
        share, largest = float(shares[at]), float(norm.calls["x_largest"][at])
        if (
            share < MIN_COMPONENT_FRACTION
            or norm.group_size < MIN_COMPONENT_WIDTH
            or not norm.spec.is_over_features
            or not math.isfinite(largest)
        ):
            continue
        which, group = int(norm.calls["component"][at]), int(norm.calls["group"][at])
        yield Match(
            norm,
            largest,
            f"Component {which} of group {group} has the size {number(largest, 'g4')} and makes "
            f"up {number(share, '0%')} of its group's sum of squares, so all other outputs are "
            "small.",
            "If a trained model has learned it, keep it, but exclude it from the range of "
            "quantized activations.",
            SURE,
            severity=largest,
            level=NOTE,
        )


def check_mean(norms: Norms) -> Iterator[Match]:
    """Find LayerNorms with input means so large that RMSNorm would give different outputs."""
    for norm in with_varying_inputs(norms):
        change = float(norm.details["swapped"]) if norm.details else math.nan
        if change > MAX_MEAN_CHANGE and norm.group_size > 2:
            yield Match(
                norm,
                change,
                "Replacing this norm with an RMSNorm with the same gains would change the output "
                f"by {number(change, '0%')}, since {number(norm.median('mean_share'), '0%')} of "
                "the input's mean square comes from its mean.",
                "Keep LayerNorm here, or keep training after you have replaced it.",
                SURE,
                severity=change,
                level=NOTE,
            )


def check_dtype(norms: Norms) -> Iterator[Match]:
    """Find norms whose outputs have a wider dtype than their inputs, outside of autocast."""
    for norm in norms:
        wider = norm.calls["output_format"] > norm.calls["format"]
        wider &= norm.calls["output_format"] >= DTYPES.index("float32")
        wider &= norm.calls["format"] < DTYPES.index("float32")
        if 2 * int(wider.sum()) < len(wider) or not wider.any():
            continue
        at = int(wider.double().argmax())
        into, out = (DTYPES[int(norm.calls[name][at])] for name in ("format", "output_format"))
        yield Match(
            norm,
            float(wider.double().mean()),
            f"The input is {into} and the output {out}, as with gains of {out}, so the next "
            f"layers compute in {out}, or fail.",
            f"Convert the gains, or the output, to {into}.",
            LIKELY,
            severity=56,
        )


def _first_nonfinite_output(norms: Norms) -> tuple[int, int] | None:
    events = [(norm.calls["infinite"] == 0) & ~norm.calls["y_rms"].isfinite() for norm in norms]
    return first_event(norms, events)


def _finfo(norm: NormStats) -> torch.finfo:
    return torch.finfo(getattr(torch, norm.dtype))


def _vanishes(norm: NormStats) -> bool:
    """Return whether a positive epsilon underflows to 0 in the dtype of the inputs."""
    dtype = getattr(torch, norm.dtype)
    rounded = torch.tensor(norm.spec.eps, dtype=torch.float64).to(dtype)
    return norm.spec.eps > 0 and float(rounded) == 0


def _has_tiny_squares(norm: NormStats) -> bool:
    """Return whether the squares of the inputs are too small for the dtype of the inputs."""
    return 0 < norm.median("x_median") ** 2 < _finfo(norm).tiny


def _wider(norm: NormStats) -> str:
    if norm.dtype != "float16":
        return ", the loss and the learning rate"
    return ", and compute it in float32 or bfloat16"
