"""Rules on training: gradients, the residual stream, and the statistics of BatchNorm."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from itertools import pairwise

from torch import Tensor

from lnviz.diagnostics.findings import LIKELY, NOTE, SURE, WARNING
from lnviz.diagnostics.norm_statistics import FROZEN, SUMS, UNTRACKED, NormStats
from lnviz.diagnostics.rules.match import MIN_DEPTH, Match, Norms, stacks
from lnviz.number_format import number

MIN_GRADIENT_RATIO, MIN_OTHER_RATIO = 10.0, 1000.0
"""Ratio of the gradients after the last norms to those after the first, with Post-LN and without.
Healthy: 0.3 to 0.9 with Pre-LN, and 1 to 3.2 with Post-LN of up to 24 layers. Faulty: 19 to 150,
for Post-LN of 8 and 12 layers after 10 to 40 steps of Adam at a learning rate of 0.003 without
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
MAX_MEAN_DISTANCE_OF_FEW = 10.0
"""The same distance for batches below `SMALL_BATCH`: positions of one example are alike. Healthy:
0.83 for single digits of 16 positions, with variances 10 times smaller.
"""


def check_gradients(norms: Norms) -> Iterator[Match]:
    """Find gradients that grow strongly with depth, as in deep Post-LN models that cannot learn."""
    found = stacks(norms)
    called = [norm.name for norm in norms]
    last = max((called.index(stack[-1].name) for stack in found), default=0)
    for stack in found:
        # The last norm of all is the final one with Post-LN: nothing comes after it.
        match = _growing_gradient([norm for norm in stack if norm.name != called[last]])
        if match is not None:
            yield match


def _growing_gradient(stack: Norms) -> Match | None:
    sizes = [norm.median("gradient_out") for norm in stack]
    if len(sizes) < MIN_DEPTH or not all(math.isfinite(size) for size in sizes):
        return None
    part = max(1, len(sizes) // 4)
    first, last = statistics.median(sizes[:part]), statistics.median(sizes[-part:])
    if max(sizes) == 0:
        if any(norm.gains is not None and not norm.gains.any() for norm in stack):
            return None  # gains of 0 stop the gradient
        return Match(
            stack[-1],
            0.0,
            "All gradients are 0 after all norms of this stack.",
            "Check whether the last layer starts with weights of 0, and watch a later step.",
            LIKELY,
            severity=10,
            level=NOTE,
        )
    post = 2 * sum(SUMS in norm.facts for norm in stack) >= len(stack)
    if first == 0 or last / first < (MIN_GRADIENT_RATIO if post else MIN_OTHER_RATIO):
        return None
    return Match(
        stack[-1],
        last / first,
        f"Gradients after the last norms are {number(last / first, 'g2')} times those after the "
        f"first{', as in deep networks with Post-LN' if post else ''}.",
        "Use Pre-LN, learning-rate warm-up, or a smaller initialization of the sublayers."
        if post
        else "Look for layers that scale their branch down, such as LayerScale.",
        LIKELY,
        severity=65 if post else 20,
        level=WARNING if post else NOTE,
    )


def check_residual_stream(norms: Norms) -> Iterator[Match]:
    """Find residual streams that have grown so large that the last layers hardly change them."""
    found = (_grown_stream(stack) for stack in stacks(norms))
    yield from (match for match in found if match is not None)


def _grown_stream(along: Norms) -> Match | None:
    late = along[len(along) // 2 :]
    sizes = [norm.median("x_median") for norm in along]
    if len(along) < MIN_DEPTH or not all(math.isfinite(size) for size in sizes) or sizes[0] <= 0:
        return None
    grown = max(sizes) / sizes[0]
    changes = max(norm.median("update") for norm in late)
    above = min(norm.median("x_median") / max(norm.median("y_rms"), 1e-30) for norm in late)
    if not (
        grown >= MIN_STREAM_GROWTH and changes <= MAX_STREAM_UPDATE and above >= MIN_STREAM_GROWTH
    ):
        return None
    steps = [after / max(before, 1e-30) for before, after in pairwise(sizes)]
    at = steps.index(max(steps)) + 1
    return Match(
        along[at],
        grown,
        f"The residual stream becomes {number(grown, 'g3')} times as large, mostly before this "
        f"norm, and no layer in the second half changes it by more than {number(changes, '1%')}.",
        "Start the output matrices of the sublayers before this norm with smaller weights.",
        LIKELY,
        severity=55,
    )


def _batch_norms(norms: Norms) -> Iterator[tuple[NormStats, Tensor]]:
    """Yield each BatchNorm with a tensor over its calls: 1 in training mode, 0 in eval mode."""
    return ((norm, norm.calls["training"]) for norm in norms if norm.spec.kind == "batch")


def check_batch_size(norms: Norms) -> Iterator[Match]:
    """Find BatchNorm layers whose batch statistics are computed from too few examples."""
    for norm, mode in _batch_norms(norms):
        trained = mode == 1
        if not trained.any():
            continue
        examples = float(norm.calls["batch"][trained].median())
        if examples <= SMALL_BATCH:
            yield Match(
                norm,
                examples,
                f"The statistics come from batches of {int(examples)}, so they vary strongly from "
                "batch to batch.",
                "Use GroupNorm, SyncBatchNorm over several devices, or a larger batch.",
                LIKELY,
                severity=58 - examples,
            )


def check_running_statistics(norms: Norms) -> Iterator[Match]:
    """Find BatchNorms with running statistics never updated, or far from the batch statistics."""
    for norm, mode in _batch_norms(norms):
        evaluated = (mode == 0) & ~norm.calls["batch_mean"].isnan()
        trained = mode == 1
        if norm.untouched:
            fresh = not trained.any() and _is_fresh(norm)
            why = (
                f"although the norm was called in training mode (calls: {int(trained.sum())})"
                if trained.any()
                else "and this norm uses them in evaluation"
            )
            yield Match(
                norm,
                0.0,
                f"The running mean is still 0 and the running variance still 1, {why}"
                f"{'; its parameters have not been trained, either' if fresh else ''}.",
                "Train the model before you evaluate it."
                if fresh
                else "Train with a momentum above 0, or load the statistics with the weights.",
                SURE,
                severity=75,
                level=NOTE if fresh else WARNING,
            )
        elif evaluated.any() and norm.group_size >= MIN_GROUP_SIZE:
            mean = float(norm.calls["batch_mean"][evaluated].median())
            powers = float(norm.calls["batch_variance"][evaluated].median())
            few = float(norm.calls["batch"][evaluated].median()) < SMALL_BATCH
            if (
                mean > MAX_MEAN_DISTANCE_OF_FEW
                if few
                else mean > MAX_MEAN_DISTANCE or powers > MAX_VARIANCE_OCTAVES
            ):
                yield Match(
                    norm,
                    max(mean, powers),
                    f"Batches have means {number(mean, 'g2')} running standard deviations away "
                    f"from the running means, and variances {number(2**powers, 'g2')} times "
                    "larger or smaller.",
                    "Preprocess the data as in training, or recompute the statistics on some "
                    "batches.",
                    LIKELY,
                    severity=62 + min(9.0, mean),
                )


def _is_fresh(norm: NormStats) -> bool:
    """Return whether a norm has not been trained: its biases, or else its gains, are all equal.

    Gains begin at 1, at 0 in the last norm of a branch, or at random values.
    """
    values = norm.gains if norm.biases is None else norm.biases
    return values is None or bool((values == values.reshape(-1)[0]).all())


def check_mode(norms: Norms) -> Iterator[Match]:
    """Find BatchNorm layers that run in training mode although no gradients are computed."""
    for norm, mode in _batch_norms(norms):
        trains = mode == 1
        if not trains.any() or FROZEN in norm.facts:
            continue
        alone = (norm.calls["frozen"] == 1) & norm.calls["gradient_out"].isnan()
        share = float(alone[trains].double().mean())
        if share == 1.0:
            yield Match(
                norm,
                float(trains.sum()),
                "The norm is in training mode although no gradients are computed, so outputs "
                "depend on the other examples in the batch.",
                "Call model.eval() before inference, and eval() on frozen parts.",
                LIKELY,
                severity=78,
            )


def check_frozen(norms: Norms) -> Iterator[Match]:
    """Find BatchNorms with frozen parameters whose running statistics are still updated."""
    for norm, mode in _batch_norms(norms):
        trains = mode == 1
        tracked = UNTRACKED not in norm.facts and not norm.untouched
        if trains.any() and tracked and FROZEN in norm.facts:
            yield Match(
                norm,
                float(trains.sum()),
                "The parameters are frozen, but the norm is in training mode, so its running "
                "statistics still change, and its outputs depend on the batch.",
                "Call eval() on the frozen part, after each model.train().",
                SURE,
                severity=77,
            )


def check_tracking(norms: Norms) -> Iterator[Match]:
    """Find BatchNorms that use batch statistics in eval mode for lack of running statistics."""
    for norm, mode in _batch_norms(norms):
        evaluated = mode == 0
        if evaluated.any() and UNTRACKED in norm.facts:
            yield Match(
                norm,
                float(evaluated.sum()),
                "It keeps no running statistics, so it also evaluates with those of the batch, "
                "and outputs depend on the other examples.",
                "Set track_running_stats=True and train, or use GroupNorm.",
                SURE,
                severity=76,
            )
