"""Rules that find problems in a run, each with a threshold and the reason for it.

The thresholds separate healthy from faulty models. The healthy models are: a small convolutional
network with BatchNorm; Transformers of 3 to 24 layers, Pre-LN and Post-LN, untrained and trained;
MiniLM and SmolLM2 as published; and untrained models of `transformers` (Llama, Gemma, T5, BERT,
GPT-2, Qwen3, ViT, ResNet, ConvNeXt) of width 8 to 32. The faulty models are in
`tests/diagnostics/test_rules.py`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING, Finding
from lnviz.diagnostics.norm_spec import IN_INPUT_DTYPE
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.number_format import number

Norms = Sequence[NormStats]

MIN_EPSILON_FRACTION = 0.2
"""Fraction of epsilon in the denominator. Healthy: at most 0.086, in an untrained ConvNeXt whose
last stage has values of 0.003, and 0.012 in an untrained GPT-2. An untrained OLMo 2 of width 32 has
1.0 and is reported.
"""
MIN_CONSTANT_FRACTION = 0.5
"""Fraction of constant groups. Healthy: 0."""
FLOAT16_MARGIN = 4.0
"""Minimum ratio of float16's maximum to the largest value. Healthy: SmolLM2's 22,500 has a ratio of
2.9, but SmolLM2 computes in float32.
"""
MIN_COMPONENT_FRACTION, MIN_COMPONENT_WIDTH = 0.5, 64
"""Fraction of a group's sum of squares in one component, and minimum group size. Without massive
activations: at most 0.45 at width 32, and 0.25 at width 64; SmolLM2 and MiniLM have 0.99.
"""
MIN_GAIN_RATIO, MAX_GAIN_RATIO = 0.02, 50.0
"""Ratio of a gain to the median gain of the model's norms. Healthy: 0.08 to 13, both in SmolLM2."""
DECAYED_GAIN = 0.05
"""Median gain, in at least half of the norms. Healthy: one of SmolLM2's 61 norms has 0.02, the
others 0.1 to 1.8.
"""
MIN_GRADIENT_RATIO, MIN_DEPTH = 10.0, 6
"""Ratio of the gradients after the last norms to those after the first, and minimum number of
norms. Healthy: 0.3 to 0.9 with Pre-LN, and 1 to 3.2 with Post-LN of up to 24 layers. Faulty: 19 to
150, for Post-LN of 8 and 12 layers after 10 to 40 steps of Adam at a learning rate of 0.003 without
warm-up.
"""
MIN_STREAM_GROWTH, MAX_STREAM_UPDATE = 10.0, 0.03
"""Growth of the residual stream's RMS, and the largest relative update in its second half. Healthy:
SmolLM2 grows 250 times with updates of 0.66; an untrained Gemma does not grow, with updates of
0.045.
"""
SMALL_BATCH = 4
"""Batch size. Healthy: 16. Source: Wu and He 2018 (arXiv 1803.08494), figure 1."""
MAX_MEAN_DISTANCE, MAX_VARIANCE_OCTAVES, MIN_GROUP_SIZE = 1.0, 2.0, 16
"""Distance of batch means from running means, in standard deviations, and of batch variances from
running variances, in powers of two; both only where statistics are over at least this many values.
Healthy: 0.3 and 0.5 once trained.
"""
MAX_PADDING_FRACTION = 0.05
"""Fraction of repeated positions. Healthy: 0, since no two positions of real data are equal."""
MAX_MEAN_CHANGE = 0.5
"""Relative change of the output if RMSNorm replaced LayerNorm. Healthy: 0.06 in MiniLM, 0.19 in an
untrained GPT-2 of width 32.
"""


@dataclass(frozen=True)
class Match:
    """A norm in which a rule found its problem: the fields of `Finding` that rules determine.

    Attributes:
        norm: the norm.
        value: as in `Finding`.
        reason: as in `Finding`.
        remedy: as in `Finding`.
        certainty: as in `Finding`.
        severity: as in `Finding`.
        level: as in `Finding`.
    """

    norm: NormStats
    value: float
    reason: str
    remedy: str
    certainty: str
    severity: float
    level: str = WARNING

    def finding(self, kind: str) -> Finding:
        """Return this match as a finding of the given kind."""
        return Finding(
            self.norm.name,
            kind,
            self.level,
            self.value,
            self.reason,
            self.remedy,
            self.certainty,
            self.severity,
        )


Rule = Callable[[Norms], Iterator[Match]]


def find_problems(norms: Norms) -> tuple[Finding, ...]:
    """Apply all rules to a run's norms, and return the worst finding of each type, worst first.

    Args:
        norms: statistics of the norms, in the order of their first calls.
    """
    every = [merge_findings(apply_rule(kind, norms)) for kind in RULES]
    return tuple(
        sorted(
            (finding for finding in every if finding is not None),
            key=lambda finding: (finding.level == NOTE, -finding.severity),
        )
    )


def apply_rule(kind: str, norms: Norms) -> list[Finding]:
    """Return all findings of one kind in a run's norms, in the order of the norms."""
    return [match.finding(kind) for match in RULES[kind](norms)]


def merge_findings(findings: Sequence[Finding]) -> Finding | None:
    """Merge findings of one type into the worst of them, which then lists all their modules."""
    if not findings:
        return None
    worst = max(findings, key=lambda finding: (finding.level == WARNING, finding.severity))
    return worst.with_modules(tuple(finding.module for finding in findings if finding is not worst))


def check_epsilon(norms: Norms) -> Iterator[Match]:
    """Find norms where epsilon is a large fraction of the variance plus epsilon."""
    for norm in _varying(norms):
        if (share := norm.median("epsilon")) >= MIN_EPSILON_FRACTION:
            yield Match(
                norm,
                share,
                f"Epsilon ({number(norm.spec.eps, 'g2')}) is {number(share, '0%')} of the variance "
                "plus epsilon, so the outputs are too small.",
                f"Lower epsilon, or scale the inputs far above {_root(norm.spec.eps)}, the root of "
                "epsilon.",
                SURE,
                severity=60 * share,
            )


def check_overflow(norms: Norms) -> Iterator[Match]:
    """Find norm inputs that are not finite, or so large that their squares overflow float16."""
    for norm in norms:
        if (fraction := norm.maximum("infinite")) > 0:
            yield Match(
                norm,
                fraction,
                f"The input is infinite or NaN in {number(fraction, '0%')} of the groups; this is "
                "the first such norm.",
                "Compute the layer before this norm in float32 or bfloat16.",
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
                "Compute the statistics in float32, with x.float() before the square.",
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


def check_constant_inputs(norms: Norms) -> Iterator[Match]:
    """Find norms for which most groups of inputs are constant, so that the output is 0."""
    for norm in norms:
        if (share := norm.median("constant")) >= MIN_CONSTANT_FRACTION:
            yield Match(
                norm,
                share,
                f"In {number(share, '0%')} of the groups, all {norm.group_size} values are equal, "
                f"so {'centering' if norm.spec.centers else 'the norm'} turns them into 0.",
                "Share statistics among more values, or find out why the input is constant.",
                SURE if norm.group_size == 1 else LIKELY,
                severity=90 * share,
            )


def check_dominant_component(norms: Norms) -> Iterator[Match]:
    """Find norms where one component has most of the sum of squares (a massive activation)."""
    for norm in norms:
        shares = norm.calls["share"].nan_to_num(0.0)
        at = int(shares.argmax())
        share, largest = float(shares[at]), float(norm.calls["x_largest"][at])
        if (
            share < MIN_COMPONENT_FRACTION
            or norm.group_size < MIN_COMPONENT_WIDTH
            or not norm.spec.is_over_features
        ):
            continue
        which, group = int(norm.calls["component"][at]), int(norm.calls["group"][at])
        yield Match(
            norm,
            largest,
            f"Component {which} of group {group} is {number(largest, 'g4')} in size and "
            f"{number(share, '0%')} of its group's squares, so all other outputs are small.",
            "Keep it if a trained model has learned it, but exclude it from the range of quantized "
            "activations.",
            SURE,
            severity=largest,
            level=NOTE,
        )


def check_gains(norms: Norms) -> Iterator[Match]:
    """Find norms whose gains differ strongly from the median gain of the model."""
    medians = {
        norm.name: _last_value(norm, "gain_median") for norm in norms if norm.gains is not None
    }
    if len(medians) < 2:
        return
    usual = statistics.median(medians.values())
    for norm in norms:
        if norm.name not in medians or usual <= 0:
            continue
        middle, most = medians[norm.name], _last_value(norm, "gain_largest")
        if most == 0:
            continue  # gains initialized to 0 switch a branch off on purpose
        times = middle / usual if middle < MIN_GAIN_RATIO * usual else most / usual
        if MIN_GAIN_RATIO * usual <= middle and most <= MAX_GAIN_RATIO * usual:
            continue
        small = middle < MIN_GAIN_RATIO * usual
        yield Match(
            norm,
            middle if small else most,
            f"Its {'median' if small else 'largest'} gain is "
            f"{number(middle if small else most, 'g2')}, {number(times, 'g2')} times the "
            "median gain of the model's norms.",
            "Check the learning rate and weight decay of this gain, and reset it to 1.",
            LIKELY,
            severity=50 + abs(math.log10(max(times, 1e-9))),
        )


def check_weight_decay(norms: Norms) -> Iterator[Match]:
    """Find norms whose gains have decayed to near 0, if most of the model's norms are affected."""
    candidates = [
        norm for norm in norms if norm.gains is not None and _last_value(norm, "gain_largest") > 0
    ]
    small = [norm for norm in candidates if _last_value(norm, "gain_median") < DECAYED_GAIN]
    if len(small) < 2 or 2 * len(small) < len(candidates):
        return
    for norm in small:
        yield Match(
            norm,
            _last_value(norm, "gain_median"),
            f"The median gain is {number(_last_value(norm, 'gain_median'), 'g2')}, and "
            f"{len(small)} of {len(candidates)} norms have one below {DECAYED_GAIN:g}, as is "
            "typical of weight decay.",
            "Put gains and biases into a parameter group without weight decay.",
            LIKELY,
            severity=70 - _last_value(norm, "gain_median"),
        )


def check_gradients(norms: Norms) -> Iterator[Match]:
    """Find gradients that grow strongly with depth, as in deep Post-LN models that cannot learn."""
    stream = _residual_stream(norms)
    sizes = [norm.median("gradient_out") for norm in stream][:-1]
    if len(sizes) < MIN_DEPTH or any(math.isnan(size) for size in sizes):
        return
    part = max(1, len(sizes) // 4)
    first, last = statistics.median(sizes[:part]), statistics.median(sizes[-part:])
    times = last / first if first > 0 else math.inf
    if times < MIN_GRADIENT_RATIO:
        return
    yield Match(
        stream[-2],
        times,
        f"Gradients after the last norms are {number(times, 'g2')} times those after the "
        "first, as in deep networks with Post-LN.",
        "Use Pre-LN, learning-rate warm-up, or a smaller initialization of the sublayers.",
        LIKELY,
        severity=65,
    )


def check_residual_stream(norms: Norms) -> Iterator[Match]:
    """Find residual streams that have grown so large that the last layers hardly change them."""
    along = _residual_stream(norms)
    if len(along) < MIN_DEPTH:
        return
    late = along[len(along) // 2 :]
    sizes = [norm.median("x_median") for norm in along]
    grown = max(sizes) / sizes[0] if sizes[0] > 0 else 0.0
    changes = max(norm.median("update") for norm in late)
    above = min(norm.median("x_median") / max(norm.median("y_rms"), 1e-30) for norm in late)
    if not (
        grown >= MIN_STREAM_GROWTH and changes <= MAX_STREAM_UPDATE and above >= MIN_STREAM_GROWTH
    ):
        return
    steps = [after / max(before, 1e-30) for before, after in pairwise(sizes)]
    at = steps.index(max(steps)) + 1
    yield Match(
        along[at],
        grown,
        f"The residual stream grows {number(grown, 'g3')} times, mostly before this norm, and no "
        f"layer of the second half changes it by more than {number(changes, '1%')}.",
        "Initialize the output matrices of the sublayers before this norm with smaller weights.",
        LIKELY,
        severity=55,
    )


def check_batch_size(norms: Norms) -> Iterator[Match]:
    """Find BatchNorm layers whose batch statistics are computed from too few examples."""
    for norm in norms:
        trained = norm.calls["training"] == 1
        if norm.spec.kind != "batch" or not trained.any():
            continue
        examples = float(norm.calls["batch"][trained].median())
        if examples <= SMALL_BATCH:
            yield Match(
                norm,
                examples,
                f"The statistics come from batches of {int(examples)}, and differ strongly between "
                "batches.",
                "Use GroupNorm, SyncBatchNorm over several devices, or a larger batch.",
                LIKELY,
                severity=58 - examples,
            )


def check_running_statistics(norms: Norms) -> Iterator[Match]:
    """Find BatchNorms whose running statistics were never updated or differ from the batches'."""
    for norm in norms:
        if norm.spec.kind != "batch":
            continue
        evaluated = (norm.calls["training"] == 0) & ~norm.calls["batch_mean"].isnan()
        trained = norm.calls["training"] == 1
        if norm.untouched and len(norm.calls["training"]):
            why = (
                f"though it was called in training mode (calls: {int(trained.sum())})"
                if trained.any()
                else "and this norm evaluates with them"
            )
            yield Match(
                norm,
                0.0,
                f"The running mean is still 0 and the running variance still 1, {why}.",
                "Train with a momentum above 0, or load the statistics with the weights.",
                SURE,
                severity=75,
            )
        elif evaluated.any() and norm.group_size >= MIN_GROUP_SIZE:
            mean = float(norm.calls["batch_mean"][evaluated].median())
            powers = float(norm.calls["batch_variance"][evaluated].median())
            if mean > MAX_MEAN_DISTANCE or powers > MAX_VARIANCE_OCTAVES:
                yield Match(
                    norm,
                    max(mean, powers),
                    f"Batches have means {number(mean, 'g2')} running standard deviations away "
                    f"from the running means, and variances {number(2**powers, 'g2')} times "
                    "larger or smaller.",
                    "Preprocess data as in training, or recompute the statistics on some batches.",
                    LIKELY,
                    severity=62 + min(9.0, mean),
                )


def check_mode(norms: Norms) -> Iterator[Match]:
    """Find BatchNorm layers that run in training mode although no gradients are computed."""
    for norm in norms:
        trains = norm.calls["training"] == 1
        if norm.spec.kind != "batch" or not trains.any():
            continue
        alone = (norm.calls["frozen"] == 1) & norm.calls["gradient_out"].isnan()
        share = float(alone[trains].double().mean())
        if share == 1.0:
            yield Match(
                norm,
                float(trains.sum()),
                "The norm is in training mode although no gradients are computed, so outputs "
                "depend on the other examples of the batch.",
                "Call model.eval() before inference.",
                LIKELY,
                severity=78,
            )


def check_axis(norms: Norms) -> Iterator[Match]:
    """Find norms that normalize over an axis other than the features."""
    for norm in norms:
        if norm.wrong_axis:
            yield Match(
                norm,
                float(norm.group_size),
                "The statistics are over the last axis of a convolution's output, a spatial axis."
                if norm.wrong_axis == "channels"
                else "The norm treats the second axis as channels, but the layer before it has its "
                "features on the last axis.",
                "Use GroupNorm(1, C), or move the channels to the last axis first."
                if norm.wrong_axis == "channels"
                else "Transpose the last two axes before the norm, or use LayerNorm.",
                LIKELY,
                severity=85,
            )


def check_padding(norms: Norms) -> Iterator[Match]:
    """Find norms whose statistics include padding: repeated values at the ends of examples."""
    for norm in _varying(norms):
        if (share := norm.median("padding")) > MAX_PADDING_FRACTION:
            yield Match(
                norm,
                share,
                f"Of the positions, {number(share, '0%')} equal the last one of their example, as "
                "padding does, and the statistics include them.",
                "Mask padding in the statistics, or use LayerNorm, which normalizes each position "
                "separately.",
                LIKELY,
                severity=57,
            )


def check_double_norm(norms: Norms) -> Iterator[Match]:
    """Find norms whose input is the output of another norm."""
    for norm in norms:
        if norm.input_norm:
            yield Match(
                norm,
                1.0,
                f"The input is the output of the norm {norm.input_norm}, with nothing between the "
                "two.",
                "Remove one of them.",
                SURE,
                severity=40,
            )


def check_mean(norms: Norms) -> Iterator[Match]:
    """Find LayerNorms with input means so large that RMSNorm would give different outputs."""
    for norm in _varying(norms):
        change = float(norm.details["swapped"]) if norm.details else math.nan
        if change > MAX_MEAN_CHANGE:
            yield Match(
                norm,
                change,
                f"Replacing it by RMSNorm with the same gains would change the output by "
                f"{number(change, '0%')}, since {number(norm.median('mean_share'), '0%')} of the "
                "input's mean square comes from its mean.",
                "Keep LayerNorm here, or continue training after replacing it.",
                SURE,
                severity=change,
                level=NOTE,
            )


RULES: dict[str, Rule] = {
    "epsilon": check_epsilon,
    "overflow": check_overflow,
    "constant": check_constant_inputs,
    "component": check_dominant_component,
    "gain": check_gains,
    "gradient": check_gradients,
    "stream": check_residual_stream,
    "batch": check_batch_size,
    "running": check_running_statistics,
    "mode": check_mode,
    "axis": check_axis,
    "padding": check_padding,
    "decay": check_weight_decay,
    "double": check_double_norm,
    "mean": check_mean,
}
"""The rules by the kind of their findings."""


def _varying(norms: Norms) -> list[NormStats]:
    """Return the norms whose inputs are not constant in most groups."""
    return [norm for norm in norms if norm.median("constant") < MIN_CONSTANT_FRACTION]


def _last_value(norm: NormStats, name: str) -> float:
    return float(norm.calls[name][-1])


def _root(eps: float) -> str:
    return number(math.sqrt(eps), "g2")


def _residual_stream(norms: Norms) -> list[NormStats]:
    """Return the norms on the residual stream: over the last axis, with the most common width."""
    along = [norm for norm in norms if norm.spec.is_over_features and norm.spec.over == (-1,)]
    sizes = [norm.group_size for norm in along]
    if not sizes:
        return []
    usual = statistics.mode(sizes)
    return [norm for norm in along if norm.group_size == usual]
