"""Rules on the gains of norms."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from lnviz.diagnostics.findings import LIKELY, NOTE, WARNING
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.diagnostics.rules.match import Match, Norms, last_value
from lnviz.number_format import number

MIN_GAIN_RATIO, MAX_GAIN_RATIO = 0.02, 50.0
"""Ratio of a gain to the median gain of the model's norms. Healthy: 0.08 to 13, both in SmolLM2."""
DECAYED_GAIN = 0.05
"""Median gain, in at least half of the norms. Healthy: one of SmolLM2's 61 norms has 0.02, the
others 0.1 to 1.8.
"""
FALLEN_GAIN = 0.25
"""Ratio of the median gain to that of the run's first pass, in at least half of the norms. Healthy:
0.8 to 1.4 after 3,000 steps.
"""
MIN_NEGATIVE, MAX_STORED_GAIN = 0.2, 0.3
"""Fraction of negative gains, and median gain by absolute value, in at least half of the norms.
Gains that are stored minus 1 have both; a healthy norm's gains are rarely negative.
"""
MAX_DISTANCE_FROM_2 = 0.2
"""Distance of the median gain from 2 under the convention 1 + w, in at least half of the norms."""


def check_gains(norms: Norms) -> Iterator[Match]:
    """Find norms whose gains differ strongly from the median gain in the model."""
    medians = {
        norm.name: middle
        for norm in norms
        if norm.gains is not None
        and math.isfinite(middle := last_value(norm, "gain_median"))
        and not (middle < MAX_STORED_GAIN and _has_both_signs(norm))  # they began at 0
    }
    if len(medians) < 2:
        return
    usual = statistics.median(medians.values())
    for norm in norms:
        if norm.name not in medians or usual <= 0 or _is_neutral(norm):
            continue
        middle, most = medians[norm.name], last_value(norm, "gain_largest")
        if most == 0:
            continue  # gains initialized to 0 switch a branch off on purpose
        small = middle < MIN_GAIN_RATIO * usual
        if not small and not most > MAX_GAIN_RATIO * usual:
            continue
        value = middle if small else most
        yield Match(
            norm,
            value,
            f"Its {'median' if small else 'largest'} gain is {number(value, 'g2')}, "
            f"{number(value / usual, 'g2')} times the median gain of the model's norms.",
            "Check whether the gain had this value at the start; if not, look at its learning "
            "rate and weight decay.",
            LIKELY,
            severity=50 + abs(math.log10(max(value / usual, 1e-9))),
        )


def check_weight_decay(norms: Norms) -> Iterator[Match]:
    """Find norms whose gains have decayed, if most of the model's norms are affected.

    Either the gains are near 0, or the run shows how they have fallen.
    """
    candidates = [norm for norm in _with_gains(norms) if last_value(norm, "gain_largest") > 0]
    small = [
        norm
        for norm in candidates
        if (last_value(norm, "gain_median") < DECAYED_GAIN or _fall(norm) < FALLEN_GAIN)
        and last_value(norm, "gain_spread") > 0  # equal gains are those of the start
        and not _has_both_signs(norm)
    ]
    if len(small) < 2 or 2 * len(small) < len(candidates):
        return
    for norm in small:
        last, first = last_value(norm, "gain_median"), float(norm.calls["gain_median"][0])
        fallen = f", and was {number(first, 'g2')} at first" if _fall(norm) < FALLEN_GAIN else ""
        yield Match(
            norm,
            last,
            f"The median gain is {number(last, 'g2')}{fallen}; that of {len(small)} of "
            f"{len(candidates)} norms is below {DECAYED_GAIN:g} or has fallen to less than a "
            "quarter, as is typical of weight decay.",
            "Put gains and biases into a parameter group without weight decay.",
            LIKELY,
            severity=70 - last,
        )


def check_convention(norms: Norms) -> Iterator[Match]:
    """Find gains that look as if the 1 in 1 + w was left out or added twice."""
    candidates = [norm for norm in _with_gains(norms) if norm.spec.kind in ("layer", "rms")]
    shifted = [norm for norm in candidates if norm.spec.gain.startswith("1 + ")]
    plain = [norm for norm in candidates if norm not in shifted]
    twice = [
        norm for norm in shifted if abs(last_value(norm, "gain_median") - 2) < MAX_DISTANCE_FROM_2
    ]
    left_out = [norm for norm in plain if _is_around_0(norm)]
    if len(left_out) < len(plain):  # gains of 0 switch some branches off on purpose
        left_out = [norm for norm in left_out if last_value(norm, "gain_largest") > 0]
    mixed = len(plain) - len(left_out) > 1  # ported weights have one convention
    for found, among, level, reason, remedy in (
        (
            twice,
            shifted,
            WARNING,
            "lie around 2 under the convention 1 + w, as if w already contained the 1",
            "Subtract 1 from the weights, or use a norm that multiplies by w.",
        ),
        (
            left_out,
            plain,
            NOTE if mixed else WARNING,
            "lie around 0, as if they were stored for the convention 1 + w"
            f"{', or as in branches that begin with gains of 0' if mixed else ''}",
            f"{'If the weights were ported, add' if mixed else 'Add'} 1 to them, or use a norm "
            "that multiplies by 1 + w.",
        ),
    ):
        if len(found) < 2 or 2 * len(found) < len(among):
            continue
        for norm in found:
            yield Match(
                norm,
                last_value(norm, "gain_median"),
                f"Its gains {reason}, and so do those of {len(found)} of {len(among)} norms.",
                remedy,
                LIKELY,
                severity=71,
                level=level,
            )


def _with_gains(norms: Norms) -> list[NormStats]:
    return [norm for norm in norms if norm.gains is not None]


def _fall(norm: NormStats) -> float:
    """Return the ratio of the last median gain to the first; NaN without a positive first one."""
    first = float(norm.calls["gain_median"][0])
    return last_value(norm, "gain_median") / first if first > 0 else math.nan


def _is_neutral(norm: NormStats) -> bool:
    """Return whether all gains are 1."""
    return norm.gains is not None and bool((norm.gains == 1).all())


def _has_both_signs(norm: NormStats) -> bool:
    return norm.gains is not None and float((norm.gains < 0).double().mean()) >= MIN_NEGATIVE


def _is_around_0(norm: NormStats) -> bool:
    """Return whether gains are all 0, or small and of both signs."""
    if last_value(norm, "gain_largest") == 0:
        return True
    return _has_both_signs(norm) and last_value(norm, "gain_median") < MAX_STORED_GAIN
