"""Captions on training runs' settings and progress, and on missing results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lnviz.explorable import When
from lnviz.lessons.captions import CaptionVariant, CaptionVariants
from lnviz.lessons.interpolation import join_words
from lnviz.lessons.lab.figure_builder import FigureBuilder
from lnviz.lessons.lab.layer_charts import LayerQuantity, layer_scales, need_own_axes
from lnviz.lessons.lab.measures import norm_label
from lnviz.lessons.lab.trainings import Trainings
from lnviz.number_format import number
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.settings import placement_label
from lnviz.topics.lab.text import LEARNERS, frequency_baseline


def account_values(runs: Trainings) -> dict[str, float | str]:
    """Return the values in captions on the settings and progress of training runs."""
    s = runs.specification
    count = _validation_count(runs)
    loss, error = frequency_baseline()
    return {
        "validation": count,
        "share": number(100 / count, "2") if count else "",
        "context": LEARNERS.context,
        "frequency-loss": number(loss, "2"),
        "frequency-error": number(100 * error, "0"),
        "experiment": runs.experiment.label,
        "file": s.file[:8],
        "norms": join_words(map(norm_label, s.norms)),
        "sizes": join_words(runs.sizes),
        "rates": join_words(f"{rate:g}" for rate in runs.rates),
        "seeds": _in_turn(s.seeds),
        "placement": placement_label(runs.experiment, s) or "none",
        "layers": runs.experiment.architecture(s).get("layers", 0),
        "warm-up": s.warm_up,
        "runs": runs.seeds,
        "steps": s.steps,
        "every": s.every,
        "first": runs.steps[0],
        "made": runs.results[0].header.made_with,
        "count": len(runs.groups),
        "ended": len(runs.ended),
        "begun": join_words(
            f"{norm_label(norm)} at batch size {size} (last measured at step "
            f"{runs.reached[norm, size]:,})"
            for norm, size in runs.in_progress
        ),
        "waiting": len(runs.waiting),
        "nowhere": join_words(
            f"{norm_label(norm)} at batch size {size}" for norm, size in _nowhere(runs)
        ),
        "looked": len(runs.evaluated_steps),
        "drawn": len(runs.steps),
    }


def account_variants(runs: Trainings) -> CaptionVariants:
    """Return which captions on the settings and progress of training runs apply."""
    s, is_over = runs.specification, len(runs.ended) == len(runs.groups)
    return {
        "nothing": not bool(runs.measured.any()),
        "over": is_over,
        "under way": not is_over,
        "begun": bool(runs.in_progress),
        # Not "under way", since the visitor may have stopped them.
        "waiting": bool(runs.waiting) and not is_over,
        "file": bool(s.file),
        "softmax": s.head == "paper" and "batch" in s.norms,
        "nowhere": bool(_nowhere(runs)),
        "one seed": runs.seeds == 1,
        "transformer": bool(runs.experiment.placements),
        "warmed": s.warm_up > 0,
        "constant": s.warm_up == 0 and bool(runs.experiment.placements),
        "uploaded": runs.experiment.load_file is not None,
        **{
            name: runs.experiment.name == name
            for name, each in EXPERIMENTS.items()
            if each.load_file is None
        },
    }


def _validation_count(runs: Trainings) -> int:
    """Return the number of predictions behind a validation error; 0 for an uploaded file."""
    if runs.experiment.load_file is not None:
        return 0
    return runs.experiment.data().validation.targets.numel()


def missing_variants(
    desk: FigureBuilder, kinds: Sequence[LayerQuantity], when: When
) -> CaptionVariants:
    """Return the captions on what a figure lacks, such as values at a step or whole charts.

    Args:
        desk: the builder of the figure.
        kinds: the quantities measured in every layer.
        when: where batch sizes are shown one at a time.
    """
    runs = desk.runs
    lost = tuple(_without_numbers(desk, "lost", when))
    apart = [
        kind.name.replace("_", " ")
        for kind in kinds
        if need_own_axes(runs, kind, layer_scales(runs, kind.name, of_norms=kind.of_norms))
    ]
    return {
        "crosses": bool(runs.diverged.any()),
        "thinned": len(runs.steps) < len(runs.evaluated_steps),
        "dashes": len(runs.ended) < len(runs.norms) * len(runs.sizes),
        "several seeds": runs.seeds > 1,
        "single seed": runs.seeds == 1,
        "lost several": lost if runs.seeds > 1 else (),
        "lost one": () if runs.seeds > 1 else lost,
        "unmeasured": tuple(_without_numbers(desk, "unmeasured", when)),
        "unknown": tuple(_unknown(desk, when)),
        "zeros": tuple(_zeros(desk, kinds)),
        "apart": (CaptionVariant({}, {"kinds": join_words(apart)}),) if apart else (),
    }


def _without_numbers(desk: FigureBuilder, why: str, when: When) -> Iterator[CaptionVariant]:
    labels = {row.key: row.label for row in desk.runs.rows}
    for row, size in desk.runs.groups:
        name = f"{row} {size} {why}"
        if name in desk.tensors:
            yield CaptionVariant(
                {**when, **desk.when_size(size)},
                {"whose": f"{labels[row]} at batch size {size}", "which": name},
                if_finite=name,
            )


def _unknown(desk: FigureBuilder, when: When) -> Iterator[CaptionVariant]:
    runs = desk.runs
    for size in runs.sizes:
        waiting = [row.label for row in runs.rows if (row.key, size) in runs.waiting]
        if waiting:
            unknown = {"size": str(size), "norms": join_words(waiting)}
            yield CaptionVariant({**when, **desk.when_size(size)}, unknown)


def _zeros(desk: FigureBuilder, kinds: Sequence[LayerQuantity]) -> Iterator[CaptionVariant]:
    for kind in kinds:
        for key, scale in layer_scales(desk.runs, kind.name, of_norms=kind.of_norms).items():
            name = f"{key} {kind.name} zeros"
            if name in desk.tensors:
                values = {"kind": kind.name, "norm": scale.row.label, "which": name}
                yield CaptionVariant({}, {**values, "layers": len(scale.layers)}, if_finite=name)


def _nowhere(runs: Trainings) -> list[tuple[str, int]]:
    """Return the requested combinations of norm and batch size that cannot be trained."""
    groups = ((norm, size) for norm in runs.specification.norms for size in runs.sizes)
    return [group for group in groups if group not in runs.groups]


def _in_turn(numbers: tuple[int, ...]) -> str:
    """Return integers as text: as a range if they are consecutive."""
    first, last = numbers[0], numbers[-1]
    is_range = len(numbers) > 2 and numbers == tuple(range(first, last + 1))
    return f"{first} to {last}" if is_range else join_words(numbers)
