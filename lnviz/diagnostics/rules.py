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
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch

from lnviz.diagnostics.detection import IN_INPUT_DTYPE
from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING, Finding
from lnviz.diagnostics.norm_statistics import NormStats
from lnviz.number_format import number

Norms = Sequence[NormStats]
Rule = Callable[[Norms], list[Finding]]

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


def find_problems(norms: Norms) -> tuple[Finding, ...]:
    """Apply all rules to a run's norms, and return the worst finding of each type, worst first.

    Args:
        norms: statistics of the norms, in the order of their first calls.
    """
    every = [merge_findings(rule(norms)) for rule in RULES.values()]
    return tuple(
        sorted(
            (finding for finding in every if finding is not None),
            key=lambda finding: (finding.level == NOTE, -finding.severity),
        )
    )


def merge_findings(findings: list[Finding]) -> Finding | None:
    """Merge findings of one type into the worst of them, which then lists all their modules."""
    if not findings:
        return None
    worst = max(findings, key=lambda finding: (finding.level == WARNING, finding.severity))
    return worst.with_modules(tuple(finding.module for finding in findings if finding is not worst))


def check_epsilon(norms: Norms) -> list[Finding]:
    """Find norms where epsilon is a large fraction of the variance plus epsilon."""
    return [
        Finding(
            norm.name,
            "epsilon",
            WARNING,
            share,
            f"Epsilon ({number(norm.spec.eps, 'g2')}) is {number(share, '0%')} of what this norm "
            "divides by, so its output is smaller than that of a norm.",
            f"Lower epsilon, or give the input a size far above {_root(norm.spec.eps)}, the "
            "root of epsilon.",
            SURE,
            severity=60 * share,
        )
        for norm in norms
        if (share := norm.median("epsilon")) >= MIN_EPSILON_FRACTION
        and norm.median("constant") < MIN_CONSTANT_FRACTION
    ]


def check_overflow(norms: Norms) -> list[Finding]:
    """Find norm inputs that are not finite, or so large that their squares overflow float16."""
    findings = []
    for norm in norms:
        lost = norm.maximum("infinite")
        if lost > 0:
            return [
                Finding(
                    norm.name,
                    "overflow",
                    WARNING,
                    lost,
                    f"What goes into this norm is infinite or no number in {number(lost, '0%')} of "
                    "its groups, here first.",
                    "Look at the layer before it, and compute that in float32 or bfloat16.",
                    SURE,
                    severity=100,
                )
            ]
        if norm.dtype != "float16":
            continue
        most, end = norm.maximum("x_largest"), torch.finfo(torch.float16).max
        if norm.spec.precision == IN_INPUT_DTYPE and most**2 > end:
            findings.append(
                Finding(
                    norm.name,
                    "overflow",
                    WARNING,
                    most,
                    f"The square of its largest input ({number(most, 'g3')}) is beyond float16, "
                    "which ends at 65,504, and this norm takes its statistics in float16.",
                    "Take the statistics in float32, as x.float() in front of the square does.",
                    SURE,
                    severity=95,
                )
            )
        elif most > end / FLOAT16_MARGIN:
            findings.append(
                Finding(
                    norm.name,
                    "overflow",
                    WARNING,
                    most,
                    f"Its largest input is {number(most, 'g3')}, and float16 ends at 65,504.",
                    "Use bfloat16 or float32 for the stream that leads here.",
                    LIKELY,
                    severity=80,
                )
            )
    return findings


def check_constant_inputs(norms: Norms) -> list[Finding]:
    """Find norms for which most groups of inputs are constant, so that the output is 0."""
    return [
        Finding(
            norm.name,
            "constant",
            WARNING,
            share,
            f"In {number(share, '0%')} of its groups all {norm.group_size} numbers are the same, "
            f"and {'centering leaves 0' if norm.spec.centers else 'the norm leaves 0'} of them.",
            "Share statistics among more numbers, or look at what makes the input constant.",
            SURE if norm.group_size == 1 else LIKELY,
            severity=90 * share,
        )
        for norm in norms
        if (share := norm.median("constant")) >= MIN_CONSTANT_FRACTION
    ]


def check_dominant_component(norms: Norms) -> list[Finding]:
    """Find norms where one component has most of the sum of squares (a massive activation)."""
    findings = []
    for norm in norms:
        shares = norm.calls["share"].nan_to_num(0.0)
        at = int(shares.argmax())
        share, largest = float(shares[at]), float(norm.calls["x_largest"][at])
        if (
            share < MIN_COMPONENT_FRACTION
            or norm.group_size < MIN_COMPONENT_WIDTH
            or norm.spec.over[-1] != -1
        ):
            continue
        which, group = int(norm.calls["component"][at]), int(norm.calls["group"][at])
        findings.append(
            Finding(
                norm.name,
                "component",
                NOTE,
                largest,
                f"Component {which} of group {group} is {number(largest, 'g4')} in size and "
                f"{number(share, '0%')} of its group's squares, so that all others come out small.",
                "Leave it where a trained model has learned it, and keep it out of the range of "
                "quantized activations.",
                SURE,
                severity=largest,
            )
        )
    return findings


def check_gains(norms: Norms) -> list[Finding]:
    """Find norms whose gains differ strongly from the median gain of the model."""
    medians = {
        norm.name: _last_value(norm, "gain_median") for norm in norms if norm.gains is not None
    }
    if len(medians) < 2:
        return []
    usual = statistics.median(medians.values())
    findings = []
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
        findings.append(
            Finding(
                norm.name,
                "gain",
                WARNING,
                middle if small else most,
                f"Its {'median' if small else 'largest'} gain is "
                f"{number(middle if small else most, 'g2')}, {number(times, 'g2')} times the "
                "median gain of the model's norms.",
                "Look at the rate and the decay that this gain is trained with, and set it back "
                "to 1.",
                LIKELY,
                severity=50 + abs(math.log10(max(times, 1e-9))),
            )
        )
    return findings


def check_weight_decay(norms: Norms) -> list[Finding]:
    """Find norms whose gains have decayed to near 0, if most of the model's norms are affected."""
    candidates = [
        norm for norm in norms if norm.gains is not None and _last_value(norm, "gain_largest") > 0
    ]
    small = [norm for norm in candidates if _last_value(norm, "gain_median") < DECAYED_GAIN]
    if len(small) < 2 or 2 * len(small) < len(candidates):
        return []
    return [
        Finding(
            norm.name,
            "decay",
            WARNING,
            _last_value(norm, "gain_median"),
            f"The median gain is {number(_last_value(norm, 'gain_median'), 'g2')}, and "
            f"{len(small)} of {len(candidates)} norms have one below {DECAYED_GAIN:g}, as weight "
            "decay "
            "leaves them.",
            "Put gains and biases into a group of parameters without weight decay.",
            LIKELY,
            severity=70 - _last_value(norm, "gain_median"),
        )
        for norm in small
    ]


def check_gradients(norms: Norms) -> list[Finding]:
    """Find gradients that grow strongly with depth, as in deep Post-LN models that cannot learn."""
    stream = _residual_stream(norms)
    sizes = [norm.median("gradient_out") for norm in stream][:-1]
    if len(sizes) < MIN_DEPTH or any(math.isnan(size) for size in sizes):
        return []
    part = max(1, len(sizes) // 4)
    first, last = statistics.median(sizes[:part]), statistics.median(sizes[-part:])
    times = last / first if first > 0 else math.inf
    if times < MIN_GRADIENT_RATIO:
        return []
    return [
        Finding(
            stream[-2].name,
            "gradient",
            WARNING,
            times,
            f"Gradients after the last norms are {number(times, 'g2')} times those after the "
            "first, as in deep networks with Post-LN.",
            "Use Pre-LN, or warm the rate up, or begin with smaller sublayers.",
            LIKELY,
            severity=65,
        )
    ]


def check_residual_stream(norms: Norms) -> list[Finding]:
    """Find residual streams that have grown so large that the last layers hardly change them."""
    along = _residual_stream(norms)
    if len(along) < MIN_DEPTH:
        return []
    late = along[len(along) // 2 :]
    sizes = [norm.median("x_median") for norm in along]
    grown = max(sizes) / sizes[0] if sizes[0] > 0 else 0.0
    changes = max(norm.median("update") for norm in late)
    above = min(norm.median("x_median") / max(norm.median("y_rms"), 1e-30) for norm in late)
    if not (
        grown >= MIN_STREAM_GROWTH and changes <= MAX_STREAM_UPDATE and above >= MIN_STREAM_GROWTH
    ):
        return []
    steps = [after / max(before, 1e-30) for before, after in pairwise(sizes)]
    at = steps.index(max(steps)) + 1
    return [
        Finding(
            along[at].name,
            "stream",
            WARNING,
            grown,
            f"The stream grows {number(grown, 'g3')} times, most of it before this norm, and no "
            f"layer of the second half changes it by more than {number(changes, '1%')}.",
            "Begin with smaller output matrices in the sublayers before this norm.",
            LIKELY,
            severity=55,
        )
    ]


def check_batch_size(norms: Norms) -> list[Finding]:
    """Find BatchNorm layers whose batch statistics are computed from too few examples."""
    findings = []
    for norm in norms:
        trained = norm.calls["training"] == 1
        if norm.spec.kind != "batch" or not trained.any():
            continue
        examples = float(norm.calls["batch"][trained].median())
        if examples <= SMALL_BATCH:
            findings.append(
                Finding(
                    norm.name,
                    "batch",
                    WARNING,
                    examples,
                    f"Its statistics come from batches of {int(examples)}, and another batch gives "
                    "others.",
                    "Use GroupNorm, SyncBatchNorm over several devices, or a larger batch.",
                    LIKELY,
                    severity=58 - examples,
                )
            )
    return findings


def check_running_statistics(norms: Norms) -> list[Finding]:
    """Find BatchNorms whose running statistics were never updated or differ from the batches'."""
    findings = []
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
            findings.append(
                Finding(
                    norm.name,
                    "running",
                    WARNING,
                    0.0,
                    f"Its running mean is still 0 and its running variance still 1, {why}.",
                    "Train with a momentum above 0, or load the statistics with the weights.",
                    SURE,
                    severity=75,
                )
            )
        elif evaluated.any() and norm.group_size >= MIN_GROUP_SIZE:
            mean = float(norm.calls["batch_mean"][evaluated].median())
            powers = float(norm.calls["batch_variance"][evaluated].median())
            if mean > MAX_MEAN_DISTANCE or powers > MAX_VARIANCE_OCTAVES:
                findings.append(
                    Finding(
                        norm.name,
                        "running",
                        WARNING,
                        max(mean, powers),
                        f"Batches have means {number(mean, 'g2')} running standard deviations away "
                        f"from the running means, and variances {number(2**powers, 'g2')} times "
                        "larger or smaller.",
                        "Prepare data as in training, or take the statistics anew from "
                        "some batches.",
                        LIKELY,
                        severity=62 + min(9.0, mean),
                    )
                )
    return findings


def check_mode(norms: Norms) -> list[Finding]:
    """Find BatchNorm layers that run in training mode although no gradients are computed."""
    findings = []
    for norm in norms:
        trains = norm.calls["training"] == 1
        if norm.spec.kind != "batch" or not trains.any():
            continue
        alone = (norm.calls["frozen"] == 1) & norm.calls["gradient_out"].isnan()
        share = float(alone[trains].double().mean())
        if share == 1.0:
            findings.append(
                Finding(
                    norm.name,
                    "mode",
                    WARNING,
                    float(trains.sum()),
                    "It is in training mode where no gradients are taken, so each example's output "
                    "depends on the others of its batch.",
                    "Call model.eval() before inference.",
                    LIKELY,
                    severity=78,
                )
            )
    return findings


def check_axis(norms: Norms) -> list[Finding]:
    """Find norms that normalize over an axis other than the features."""
    return [
        Finding(
            norm.name,
            "axis",
            WARNING,
            float(norm.group_size),
            "It takes statistics over the last axis of what a convolution gives, which is a place."
            if norm.wrong_axis == "channels"
            else "It takes the second axis for channels, and the layer before it has its features "
            "on the last one.",
            "Use GroupNorm(1, C), or move the channels to the last axis first."
            if norm.wrong_axis == "channels"
            else "Transpose the last two axes before it, or use LayerNorm.",
            LIKELY,
            severity=85,
        )
        for norm in norms
        if norm.wrong_axis
    ]


def check_padding(norms: Norms) -> list[Finding]:
    """Find norms whose statistics include padding: repeated values at the ends of examples."""
    return [
        Finding(
            norm.name,
            "padding",
            WARNING,
            share,
            f"Of the places, {number(share, '0%')} are the same as the last one of their "
            "example, as padding is, and count in the statistics.",
            "Take statistics over real places alone, or use LayerNorm, which knows one place.",
            LIKELY,
            severity=57,
        )
        for norm in norms
        if (share := norm.median("padding")) > MAX_PADDING_FRACTION
        and norm.median("constant") < MIN_CONSTANT_FRACTION
    ]


def check_double_norm(norms: Norms) -> list[Finding]:
    """Find norms whose input is the output of another norm."""
    return [
        Finding(
            norm.name,
            "double",
            WARNING,
            1.0,
            f"It reads what {norm.fed_by} gives, with nothing between the two.",
            "Leave out one of them.",
            SURE,
            severity=40,
        )
        for norm in norms
        if norm.fed_by
    ]


def check_mean(norms: Norms) -> list[Finding]:
    """Find LayerNorms with input means so large that RMSNorm would give different outputs."""
    findings = []
    for norm in norms:
        change = float(norm.details["swapped"]) if norm.details else math.nan
        if change > MAX_MEAN_CHANGE and norm.median("constant") < MIN_CONSTANT_FRACTION:
            findings.append(
                Finding(
                    norm.name,
                    "mean",
                    NOTE,
                    change,
                    f"RMSNorm in its place, with the same gains, would change its output by "
                    f"{number(change, '0%')}, since {number(norm.median('mean_share'), '0%')} of "
                    "the input's mean square is its mean.",
                    "Keep LayerNorm here, or train on after replacing it.",
                    SURE,
                    severity=change,
                )
            )
    return findings


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


def _last_value(norm: NormStats, name: str) -> float:
    return float(norm.calls[name][-1])


def _root(eps: float) -> str:
    return number(math.sqrt(eps), "g2")


def _residual_stream(norms: Norms) -> list[NormStats]:
    """Return the norms on the residual stream: over the last axis, with the most common width."""
    along = [norm for norm in norms if norm.spec.over == (-1,)]
    sizes = [norm.group_size for norm in along]
    if not sizes:
        return []
    usual = statistics.mode(sizes)
    return [norm for norm in along if norm.group_size == usual]
