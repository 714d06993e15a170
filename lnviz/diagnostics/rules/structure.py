"""Rules on where norms are in a model, and over which axes they normalize."""

from __future__ import annotations

from collections.abc import Iterator

from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING
from lnviz.diagnostics.norm_statistics import ALONE, NormStats
from lnviz.diagnostics.rules.match import Match, Norms, with_varying_inputs
from lnviz.number_format import number

MAX_PADDING_FRACTION, MAX_REPEATED_FRACTION = 0.05, 0.3
"""Fraction of repeated positions, and of rows that equal the row before them. Healthy: 0, since no
two positions of real data are equal.
"""
SAME_GRADIENT = 1e-6
"""Maximum relative difference between the gradient of a norm's output and that of its only reader's
input, which are the same numbers. In CPUBone, where a residual stream also reads the first norm and
the second norm divides by 0.003, it is 7e-5.
"""
AXES = {
    "channels": (
        "The statistics are over the last axis of a convolution's output, a spatial axis.",
        "Use GroupNorm(1, C), or move the channels to the last axis first.",
    ),
    "features": (
        "The norm treats the second axis as channels, but the layer before it has its features on "
        "the last axis.",
        "Transpose the last two axes before the norm, or use LayerNorm.",
    ),
    "tokens": (
        "The statistics are over the tokens, too, so each token's output depends on all others, "
        "even on later tokens and on padding.",
        "Use LayerNorm(D), over the features of one token.",
    ),
    "rows": (
        "The input has no axis of examples, so the norm takes its rows for the channels of one "
        "example, and their number is not num_features.",
        "Add the missing axis: x.unsqueeze(1) for examples of one channel, x.unsqueeze(0) for one "
        "example.",
    ),
}
"""For each of `WRONG_AXES`: the reason and the remedy."""


def check_axis(norms: Norms) -> Iterator[Match]:
    """Find norms that normalize over an axis other than the features."""
    for norm in norms:
        if norm.wrong_axis:
            reason, remedy = AXES[norm.wrong_axis]
            yield Match(norm, float(norm.group_size), reason, remedy, LIKELY, severity=85)


def check_padding(norms: Norms) -> Iterator[Match]:
    """Find norms whose statistics include padding: repeated values at the ends of examples."""
    for norm in with_varying_inputs(norms):
        if (share := norm.median("padding")) > MAX_PADDING_FRACTION:
            yield Match(
                norm,
                share,
                f"Of the positions, {number(share, '0%')} equal the first or last one of their "
                "example, so they may be padding, and the statistics include them.",
                "Mask padding in the statistics, or use LayerNorm, which normalizes each position "
                "separately.",
                LIKELY,
                severity=57,
            )
        elif (share := norm.median("repeated")) > MAX_REPEATED_FRACTION:
            yield Match(
                norm,
                share,
                f"Of the rows, {number(share, '0%')} equal the row before them, so they may be "
                "padding, and the statistics include them.",
                "Remove padded rows before the norm, or use LayerNorm.",
                LIKELY,
                severity=57,
            )


def check_double_norm(norms: Norms) -> Iterator[Match]:
    """Find norms whose input is the output of another norm."""
    named = {norm.name: norm for norm in norms}
    for norm in norms:
        if not norm.input_norm:
            continue
        first = named.get(norm.input_norm)
        only = ALONE in norm.facts or (first is not None and _is_only_reader(norm, first))
        if not only and first is not None and not norm.calls["gradient_in"].isnan().all():
            continue  # something else reads the first, such as the residual stream
        yield Match(
            norm,
            1.0,
            f"The input is the output of the norm {norm.input_norm}, with nothing in between.",
            "Remove one of them."
            if only
            else f"Check what else reads {norm.input_norm}; if nothing does, remove one of them.",
            SURE if only else LIKELY,
            severity=40,
            level=WARNING if only else NOTE,
        )


def _is_only_reader(norm: NormStats, first: NormStats) -> bool:
    """Return whether only `norm` uses the output of the norm `first`, judged by the gradients."""
    own, outer = norm.calls["gradient_in"], first.calls["gradient_out"]
    if len(own) != len(outer):
        return False
    same = (own - outer).abs() <= SAME_GRADIENT * outer.abs()
    return bool(same[~own.isnan()].all()) and not bool(own.isnan().all())
