"""Runs of an experiment: stored ones, or a visitor's own, as far as they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any

import torch

from lnviz.database.errors import StoreError
from lnviz.explorable import (
    Choice,
    Control,
    ExpiredDataError,
    Explorable,
    Option,
    ParameterError,
    Readout,
    RunParameter,
    Slider,
    ViewRow,
    When,
    slug,
)
from lnviz.lessons.captions import CaptionVariants, load_captions
from lnviz.lessons.data_parameters import RUN_PREFIX
from lnviz.lessons.lab import account, layer_charts, series_table
from lnviz.lessons.lab.figure_builder import (
    ERROR,
    RATE,
    SIZE,
    STEP,
    Desk,
    rates_of,
    sizes_of,
    steps_of,
)
from lnviz.lessons.lab.layer_charts import Kind
from lnviz.lessons.lab.measures import MEASURES, label
from lnviz.lessons.lab.series_table import Sheet, Words, measure_choice
from lnviz.lessons.lab.targets import Targets, cells_of
from lnviz.lessons.lab.trainings import Trainings, trainings
from lnviz.lessons.lesson import FigureSpec
from lnviz.results.stored import Result
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.run_arrays import to_result
from lnviz.topics.lab.stored import OWN
from lnviz.training.experiment import Experiment, TrainingSpec

START = "digits"
BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
FIRST, STEPS = ("batch", "layer", "none"), 400
"""What a first comparison trains."""
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)


def _form(experiments: Iterable[Experiment]) -> dict[str, Any]:
    """Return what a visitor may ask for, `form` of `Job` in `payload.d.ts`."""
    return {
        "experiments": [
            {
                "name": experiment.name,
                "label": experiment.label,
                "norms": [{"key": norm, "label": label(norm)} for norm in experiment.norms],
                "batch_sizes": list(BATCH_SIZES),
                "rates": list(RATES),
                "heads": list(experiment.heads),
                "fewest": dict(experiment.min_batch),
                "default": _first_wish(experiment).to_dict(),
                "reads_file": experiment.load_file is not None,
            }
            for experiment in experiments
        ]
    }


def _first_wish(experiment: Experiment) -> TrainingSpec:
    """Return a comparison that takes seconds: two norms, small batches, a few hundred steps."""
    usual = experiment.default
    two = tuple(norm for norm in FIRST if norm in experiment.norms)[:2]
    few = replace(usual, norms=two, batch_sizes=usual.batch_sizes[-1:], seeds=usual.seeds[:3])
    return replace(few, steps=STEPS, every=max(1, usual.every * STEPS // usual.steps))


CAPTIONS = load_captions(__file__)
RUN = RunParameter(
    name="run",
    label="Runs",
    options=tuple(Option(name, EXPERIMENTS[name].label) for name in OWN),
    start=START,
    form=_form(EXPERIMENTS.values()),
    custom_prefixes=(RUN_PREFIX,),
)

CURVES, REACHED, INSIDE = "curves", "reached", "inside"
SHOW = Choice(
    "show",
    (
        Option(CURVES, "curves"),
        Option(REACHED, "steps to an error"),
        Option(INSIDE, "inside"),
    ),
    CURVES,
)
IN_CURVES: When = {SHOW.name: (CURVES,)}
IN_REACHED: When = {SHOW.name: (REACHED,)}
IN_INSIDE: When = {SHOW.name: (INSIDE,)}
BY_SIZE: When = {SHOW.name: (CURVES, INSIDE)}
MEASURE = measure_choice("your-measure", IN_CURVES)
KINDS = (
    Kind(
        "activations",
        "Activations",
        "root mean square of what a layer returns",
        "activations, RMS",
        of_norms=False,
    ),
    Kind(
        "gradients",
        "Gradients",
        "root mean square of the weights' gradient",
        "gradient, RMS",
        of_norms=False,
    ),
    Kind(
        "gains",
        "Gains: mean and standard deviation over the units",
        "gain, mean and standard deviation over the units",
        "gain",
        of_norms=True,
    ),
    Kind(
        "bias_spreads",
        "Biases: standard deviation over the units",
        "standard deviation of the biases",
        "spread of biases",
        of_norms=True,
    ),
)


def build(run: str) -> Explorable:
    """Build what was measured of the runs, in three ways to look at it.

    Raises:
        Gone: the server keeps no such runs, or cannot tell what they are of.
        ParameterError: the database of runs does not answer.
    """
    known = _known(run)
    experiment = EXPERIMENTS.get(known.specification.experiment)
    if experiment is None:
        raise ExpiredDataError(
            "These runs are of an experiment that this server does not have. Choose other ones.",
            {RUN.name: RUN.start},
        )
    runs = trainings([known], experiment)
    title = f"Runs of {experiment.label[0].lower()}{experiment.label[1:]}"
    if not runs.measured.any():
        return Explorable(title, (), {}, (_said(runs),))
    wanted = Slider.decades(ERROR, 0, 2, 100, _start(runs))
    wanted = replace(wanted, when=IN_REACHED, url_name=_address(ERROR))
    group = cells_of(runs, "group", runs.sizes, _first(runs))
    controls: tuple[Control, ...] = (
        SHOW,
        sizes_of(runs, _measured(runs), _address(SIZE), BY_SIZE),
        *(MEASURE, wanted, rates_of(runs, _address(RATE))),
        steps_of(runs, runs.latest, _address(STEP), BY_SIZE),
        group,
    )
    desk = Desk(runs, controls)
    desk.put_lost()
    layer_charts.put(desk, KINDS)
    targets = Targets(desk, wanted, group, IN_REACHED)
    targets.put()
    rows: tuple[ViewRow, ...] = (
        tuple(_charts(desk)),
        tuple(_tables(targets)),
        *_layers(desk),
        (*_said(runs, desk), *targets.words()),
    )
    return Explorable(title, desk.controls, desk.tensors, rows)


def _known(run: str) -> Result[TrainingSpec]:
    if not run.startswith(RUN_PREFIX):
        return OWN[run].result
    # Here, since the stored runs need no SQLAlchemy.
    from lnviz.training import run_repository

    try:
        record = run_repository.find_record(run.removeprefix(RUN_PREFIX))
    except StoreError as error:
        raise ParameterError(str(error), {RUN.name: RUN.start}) from error
    if record is None:
        raise ExpiredDataError(
            "The server keeps no such runs; they may have been deleted. Choose other ones.",
            {RUN.name: RUN.start},
        )
    return to_result(record)


def _address(control: str) -> str:
    """Return what a control is called in the page's address, beside those of other figures."""
    return f"your-{slug(control)}"


def _first(runs: Trainings) -> tuple[str, int]:
    """Return the group that is pointed at first."""
    return ("layer" if "layer" in runs.norms else runs.norms[0]), runs.sizes[0]


def _measured(runs: Trainings) -> int:
    """Return the largest batch size at which something was measured at the latest step."""
    there = runs.measured[..., runs.steps.index(runs.latest)].any(0)
    return max(size for size, is_there in zip(runs.sizes, there, strict=True) if is_there)


def _start(runs: Trainings) -> float:
    """Return an error, in %, that every norm of the experiment's stored runs has reached."""
    name = runs.experiment.name
    positions = Slider.decades(ERROR, 0, 2, 100, 1.0)
    if name not in OWN:
        return positions.start
    stored = trainings([OWN[name].result], runs.experiment)
    lowest = stored.errors.nan_to_num(100.0).mean(3).amin(-1)  # rows,sizes,rates
    own = torch.stack([lowest[stored.of(*group)] for group in stored.groups])
    return positions.values[positions.index(float(own.max()))]


def _sheet(runs: Trainings, size: int) -> Sheet:
    at = runs.sizes.index(size)
    values = {name: value[:, at] for name, value in runs.values.items()}
    seconds, diverged = runs.seconds[:, at], runs.diverged[:, at].any(2)
    return Sheet(f"{size} ", runs.rows, (RATE,), values, seconds, diverged)


def _charts(desk: Desk) -> Iterator[Any]:
    """Yield a chart of losses and errors for each batch size, measure and axis."""
    runs = desk.runs
    several = f"mean and range of {runs.seeds} seeds" if runs.seeds > 1 else "one run"
    crosses = "; a cross where the first run of a norm diverges" if runs.diverged.any() else ""
    sheets = {size: _sheet(runs, size) for size in runs.sizes}
    longest = float(runs.seconds.nan_to_num().max())
    for size, sheet in sheets.items():
        series_table.put(desk, sheet, runs.rows if runs.seeds > 1 else (), (series_table.STEPS,))
        series_table.put_lost(desk, sheet, desk.rows_at(size, runs.rows))
    for measure, (size, sheet) in product(MEASURES, sheets.items()):
        rows = desk.rows_at(size, runs.rows)
        when = {**IN_CURVES, MEASURE.name: (measure.key,), **desk.at(size)}
        alt = (
            f"in batches of {size}{desk.at_rate}: {several} for each norm, with marks at step "
            f"{desk.said(STEP)}{crosses}."
        )
        title = f"{measure.label.capitalize()}, batches of {size}{desk.at_rate}: {several}"
        words = Words(title, alt, 260, when)
        bands = rows if runs.seeds > 1 else ()
        yield series_table.drawn(
            desk, sheet, rows, bands, measure, series_table.STEPS, longest, words
        )


def _said(runs: Trainings, desk: Desk | None = None) -> tuple[Readout, ...]:
    """Return all that is said of runs, and at the desk of what was measured."""
    cases: CaptionVariants = {
        p.variant: () for p in CAPTIONS.paragraphs if p.variant
    } | account.cases(runs)
    values = dict(account.values(runs))
    if desk:
        step, size, rate = desk.said(STEP), desk.said(SIZE), desk.at_rate
        values |= {"step": step, "batches": size, "at-rate": rate}
        values |= {"at": f"at step {step}{rate}, batches of {size}"}
        cases |= account.missing(desk, KINDS, BY_SIZE) | _findings(desk)
    said = CAPTIONS.render(values, cases)
    return (*said.readouts, *said.sections["account"])


def _findings(desk: Desk) -> CaptionVariants:
    """Put which norm is ahead at the step, and whose last layer has the largest numbers."""
    _put_leader(desk)
    is_measured, several = layer_charts.put_largest(desk), len(desk.runs.rows) > 1
    return {
        "measured": True,
        "several": several,
        "alone": not several,
        "several inside": several and is_measured,
        "one inside": not several and is_measured,
        "inside": is_measured,
    }


def _put_leader(desk: Desk) -> None:
    """Put which norm is ahead at the step, and by which number."""
    runs = desk.runs
    labels = tuple(row.label for row in runs.rows)
    means = torch.stack([m.said(runs.values[m.name].mean(3)) for m in MEASURES])
    means = means.movedim(0, 2)  # rows,sizes,measures,rates,points
    least = means.nan_to_num(math.inf).min(0)
    known = least.values.isfinite()
    over = (SIZE, MEASURE.name, RATE, STEP)
    desk.put("leads", over, least.values.where(known, math.nan))
    desk.put("leader", over, least.indices.double().where(known, math.nan), 0, labels)


def _tables(targets: Targets) -> Iterator[Any]:
    """Yield steps to the error, the lowest errors and the test errors."""
    desk, runs = targets.desk, targets.desk.runs
    begun = (*runs.ended, *runs.begun)
    over = f", mean of {runs.seeds} seeds" if runs.seeds > 1 else ""
    middle = f", median of {runs.seeds} seeds" if runs.seeds > 1 else ""
    title, last = f"Steps to {{{ERROR}}} %{desk.at_rate}{middle}", float(runs.steps[-1])
    yield targets.table(title, "median of all", begun, "g4", last)
    yield targets.table(f"Lowest error, %{desk.at_rate}{over}", "best of all", begun, "2")
    yield targets.table(f"Test error, %{desk.at_rate}{over}", "tested of all", runs.ended, "2")


def _layers(desk: Desk) -> Iterator[ViewRow]:
    """Yield two charts of the layers; two of the norms, where there are some."""
    for of_norms in (False, True):
        kinds = [kind for kind in KINDS if kind.of_norms == of_norms]
        charts = (layer_charts.charts(desk, kind, IN_INSIDE) for kind in kinds)
        drawn = tuple(chain.from_iterable(charts))
        if drawn:
            yield drawn


def _cost(run: str) -> float:
    return 0.5 if run.startswith(RUN_PREFIX) else 0.3


FIGURE = FigureSpec("yours", build, (RUN,), _cost)
