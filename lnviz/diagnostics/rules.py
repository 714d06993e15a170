"""The rules by which a run is judged: each with its threshold and what that was measured on.

Healthy were: a small network of convolutions with BatchNorm and Transformers of 3 to 24 layers,
Pre-LN and Post-LN, fresh and trained; MiniLM and SmolLM2 as they are; and fresh models of
`transformers` (Llama, Gemma, T5, BERT, GPT-2, Qwen3, ViT, ResNet, ConvNeXt) of width 8 to 32.
Faulty were the models of `tests/diagnostics/test_rules.py`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch

from lnviz.diagnostics.detection import OWN
from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING, Finding
from lnviz.diagnostics.norm_statistics import Seen
from lnviz.number_format import number

Norms = Sequence[Seen]
Rule = Callable[[Norms], list[Finding]]

EPSILON = 0.2
"""Of what a norm divides by. Healthy: at most 0.086, in a fresh ConvNeXt whose last stage has
numbers of 0.003, and 0.012 in a fresh GPT-2. A fresh OLMo 2 of width 32 has 1.0, and is told so."""
CONSTANT = 0.5
"""Of all groups. Healthy: 0."""
NEAR = 4.0
"""How many times the largest number fits into float16. Healthy: SmolLM2's 22,500 fits 2.9 times
there, but its numbers are float32."""
SHARE, WIDE = 0.5, 64
"""Of a group's squares, in groups of so many numbers. Without a massive component at most 0.45 at
width 32, and 0.25 at 64; SmolLM2 has 0.99, MiniLM 0.99."""
LOW, HIGH = 0.02, 50.0
"""Times the median of the model's norms. Healthy: from 0.08 to 13, both in SmolLM2."""
DECAYED = 0.05
"""The median gain, in half of the norms. Healthy: of SmolLM2's 61 norms one has 0.02, the others
0.1 to 1.8."""
DWARFED, DEEP = 10.0, 6
"""Gradients after the last norms beside those after the first, where there are so many norms.
Healthy: 0.3 to 0.9 with Pre-LN, and 1 to 3.2 with Post-LN of up to 24 layers. Faulty: 19 to 150,
Post-LN of 8 and 12 layers after 10 to 40 steps of Adam at a rate of 0.003 without a warm-up."""
GROWN, LITTLE = 10.0, 0.03
"""Growth of the stream, and the largest of the changes in its second half. Healthy: SmolLM2 grows
250 times, and changes by 0.66; a fresh Gemma does not grow, and changes by 0.045."""
FEW = 4
"""Examples of a batch. Healthy: 16. Source: Wu and He 2018 (arXiv 1803.08494), figure 1."""
FAR, APART, COUNT = 1.0, 2.0, 16
"""Means of a batch apart from the running ones, in standard deviations; variances apart, in powers
of two; both only where a mean is taken over so many numbers. Healthy: 0.3 and 0.5 once trained."""
PADDED = 0.05
"""Of all places. Healthy: 0, since no two places of real numbers are the same."""
MEANS = 0.5
"""How much of the output another norm would change. Healthy: 0.06 in MiniLM, 0.19 in a fresh
GPT-2 of width 32."""


def found(norms: Norms) -> tuple[Finding, ...]:
    """Return what is found in a run, worst first; of each kind what is worst, with its places.

    Args:
        norms: what was seen of each norm, in the order of their first calls.
    """
    every = [together(rule(norms)) for rule in RULES.values()]
    return tuple(
        sorted(
            (finding for finding in every if finding is not None),
            key=lambda finding: (finding.level == NOTE, -finding.weight),
        )
    )


def together(findings: list[Finding]) -> Finding | None:
    """Return the worst finding of a kind, with the places of the others."""
    if not findings:
        return None
    worst = max(findings, key=lambda finding: (finding.level == WARNING, finding.weight))
    return worst.also(tuple(finding.place for finding in findings if finding is not worst))


def epsilon(norms: Norms) -> list[Finding]:
    """Epsilon is a large part of what a norm divides by."""
    return [
        Finding(
            norm.name,
            "epsilon",
            WARNING,
            share,
            f"Epsilon ({number(norm.facts.eps, 'g2')}) is {number(share, '0%')} of what this norm "
            "divides by, so its output is smaller than that of a norm.",
            f"Lower epsilon, or give the input a size far above {_root(norm.facts.eps)}, the "
            "root of epsilon.",
            SURE,
            weight=60 * share,
        )
        for norm in norms
        if (share := norm.median("epsilon")) >= EPSILON and norm.median("constant") < CONSTANT
    ]


def overflow(norms: Norms) -> list[Finding]:
    """A number, or a square, is beyond what its format holds, or close to it."""
    findings = []
    for norm in norms:
        lost = norm.most("infinite")
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
                    weight=100,
                )
            ]
        if norm.format != "float16":
            continue
        most, end = norm.most("x_largest"), torch.finfo(torch.float16).max
        if norm.facts.precision == OWN and most**2 > end:
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
                    weight=95,
                )
            )
        elif most > end / NEAR:
            findings.append(
                Finding(
                    norm.name,
                    "overflow",
                    WARNING,
                    most,
                    f"Its largest input is {number(most, 'g3')}, and float16 ends at 65,504.",
                    "Use bfloat16 or float32 for the stream that leads here.",
                    LIKELY,
                    weight=80,
                )
            )
    return findings


def constant(norms: Norms) -> list[Finding]:
    """Most groups hold one number many times, of which nothing is left."""
    return [
        Finding(
            norm.name,
            "constant",
            WARNING,
            share,
            f"In {number(share, '0%')} of its groups all {norm.size} numbers are the same, and "
            f"{'centering leaves 0' if norm.facts.centers else 'the norm leaves 0'} of them.",
            "Share statistics among more numbers, or look at what makes the input constant.",
            SURE if norm.size == 1 else LIKELY,
            weight=90 * share,
        )
        for norm in norms
        if (share := norm.median("constant")) >= CONSTANT
    ]


def component(norms: Norms) -> list[Finding]:
    """One component holds most of a group's squares."""
    findings = []
    for norm in norms:
        shares = norm.calls["share"].nan_to_num(0.0)
        at = int(shares.argmax())
        share, largest = float(shares[at]), float(norm.calls["x_largest"][at])
        if share < SHARE or norm.size < WIDE or norm.facts.over[-1] != -1:
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
                weight=largest,
            )
        )
    return findings


def gain(norms: Norms) -> list[Finding]:
    """Gains of one norm are far from those of the model's others."""
    known = {norm.name: _last(norm, "gain_median") for norm in norms if norm.gains is not None}
    usual = statistics.median(known.values()) if known else 0.0
    findings = []
    for norm in norms:
        if norm.name not in known or usual <= 0 or len(known) < 2:
            continue
        middle, most = known[norm.name], _last(norm, "gain_largest")
        if most == 0:
            continue  # gains that begin at 0 let a branch begin as nothing, on purpose
        times = middle / usual if middle < LOW * usual else most / usual
        if LOW * usual <= middle and most <= HIGH * usual:
            continue
        small = middle < LOW * usual
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
                weight=50 + abs(math.log10(max(times, 1e-9))),
            )
        )
    return findings


def decay(norms: Norms) -> list[Finding]:
    """Gains of most norms are close to 0."""
    known = [norm for norm in norms if norm.gains is not None and _last(norm, "gain_largest") > 0]
    small = [norm for norm in known if _last(norm, "gain_median") < DECAYED]
    if len(small) < 2 or 2 * len(small) < len(known):
        return []
    return [
        Finding(
            norm.name,
            "decay",
            WARNING,
            _last(norm, "gain_median"),
            f"The median gain is {number(_last(norm, 'gain_median'), 'g2')}, and "
            f"{len(small)} of {len(known)} norms have one below {DECAYED:g}, as weight decay "
            "leaves them.",
            "Put gains and biases into a group of parameters without weight decay.",
            LIKELY,
            weight=70 - _last(norm, "gain_median"),
        )
        for norm in small
    ]


def gradient(norms: Norms) -> list[Finding]:
    """Gradients after the last norms dwarf those after the first: Post-LN that will not train."""
    stream = _stream(norms)
    sizes = [norm.median("gradient_out") for norm in stream][:-1]
    if len(sizes) < DEEP or any(math.isnan(size) for size in sizes):
        return []
    part = max(1, len(sizes) // 4)
    first, last = statistics.median(sizes[:part]), statistics.median(sizes[-part:])
    times = last / first if first > 0 else math.inf
    if times < DWARFED:
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
            weight=65,
        )
    ]


def stream(norms: Norms) -> list[Finding]:
    """The residual stream has grown so far that late layers add little to it."""
    along = _stream(norms)
    if len(along) < DEEP:
        return []
    late = along[len(along) // 2 :]
    sizes = [norm.median("x_median") for norm in along]
    grown = max(sizes) / sizes[0] if sizes[0] > 0 else 0.0
    changes = max(norm.median("update") for norm in late)
    above = min(norm.median("x_median") / max(norm.median("y_rms"), 1e-30) for norm in late)
    if not (grown >= GROWN and changes <= LITTLE and above >= GROWN):
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
            weight=55,
        )
    ]


def batch(norms: Norms) -> list[Finding]:
    """BatchNorm takes its statistics over few examples."""
    findings = []
    for norm in norms:
        trained = norm.calls["training"] == 1
        if norm.facts.kind != "batch" or not trained.any():
            continue
        examples = float(norm.calls["batch"][trained].median())
        if examples <= FEW:
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
                    weight=58 - examples,
                )
            )
    return findings


def running(norms: Norms) -> list[Finding]:
    """Running statistics never moved, or are far from those of the batches."""
    findings = []
    for norm in norms:
        if norm.facts.kind != "batch":
            continue
        evaluated = (norm.calls["training"] == 0) & ~norm.calls["batch_mean"].isnan()
        trained = norm.calls["training"] == 1
        if norm.still and len(norm.calls["training"]):
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
                    weight=75,
                )
            )
        elif evaluated.any() and norm.size >= COUNT:
            mean = float(norm.calls["batch_mean"][evaluated].median())
            powers = float(norm.calls["batch_variance"][evaluated].median())
            if mean > FAR or powers > APART:
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
                        weight=62 + min(9.0, mean),
                    )
                )
    return findings


def mode(norms: Norms) -> list[Finding]:
    """BatchNorm is in training mode where no gradients are taken."""
    findings = []
    for norm in norms:
        trains = norm.calls["training"] == 1
        if norm.facts.kind != "batch" or not trains.any():
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
                    weight=78,
                )
            )
    return findings


def axis(norms: Norms) -> list[Finding]:
    """A norm is over another axis than the one that features are on."""
    return [
        Finding(
            norm.name,
            "axis",
            WARNING,
            float(norm.size),
            "It takes statistics over the last axis of what a convolution gives, which is a place."
            if norm.axis == "channels"
            else "It takes the second axis for channels, and the layer before it has its features "
            "on the last one.",
            "Use GroupNorm(1, C), or move the channels to the last axis first."
            if norm.axis == "channels"
            else "Transpose the last two axes before it, or use LayerNorm.",
            LIKELY,
            weight=85,
        )
        for norm in norms
        if norm.axis
    ]


def padding(norms: Norms) -> list[Finding]:
    """Places at the ends of the examples repeat: they are padding, and inside the statistics."""
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
            weight=57,
        )
        for norm in norms
        if (share := norm.median("padding")) > PADDED and norm.median("constant") < CONSTANT
    ]


def double(norms: Norms) -> list[Finding]:
    """A norm reads what another one gives, with nothing between them."""
    return [
        Finding(
            norm.name,
            "double",
            WARNING,
            1.0,
            f"It reads what {norm.behind} gives, with nothing between the two.",
            "Leave out one of them.",
            SURE,
            weight=40,
        )
        for norm in norms
        if norm.behind
    ]


def mean(norms: Norms) -> list[Finding]:
    """The mean of the input is large, so that RMSNorm in its place would give something else."""
    findings = []
    for norm in norms:
        change = float(norm.details["swapped"]) if norm.details else math.nan
        if change > MEANS and norm.median("constant") < CONSTANT:
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
                    weight=change,
                )
            )
    return findings


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        epsilon,
        overflow,
        constant,
        component,
        gain,
        gradient,
        stream,
        batch,
        running,
        mode,
        axis,
        padding,
        decay,
        double,
        mean,
    )
}
"""The rules by the kind of what they find."""


def _last(norm: Seen, name: str) -> float:
    return float(norm.calls[name][-1])


def _root(eps: float) -> str:
    return number(math.sqrt(eps), "g2")


def _stream(norms: Norms) -> list[Seen]:
    """The norms over the last axis, of the size that most of them have."""
    along = [norm for norm in norms if norm.facts.over == (-1,)]
    sizes = [norm.size for norm in along]
    if not sizes:
        return []
    usual = statistics.mode(sizes)
    return [norm for norm in along if norm.size == usual]
