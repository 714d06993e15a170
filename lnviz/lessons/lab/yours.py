"""Charts and tables of an experiment's training runs: stored runs, or a visitor's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, compress, product
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
from lnviz.lessons.captions import CaptionVariants, RenderedCaptions, load_captions
from lnviz.lessons.data_parameters import RUN_PREFIX
from lnviz.lessons.interpolation import join_words
from lnviz.lessons.lab import account, layer_charts, series_table
from lnviz.lessons.lab.figure_builder import (
    ERROR,
    RATE,
    SIZE,
    STEP,
    FigureBuilder,
    rate_slider,
    size_slider,
    step_slider,
)
from lnviz.lessons.lab.layer_charts import LayerQuantity
from lnviz.lessons.lab.measures import RUN_METRICS, norm_label
from lnviz.lessons.lab.series_table import SeriesChartText, SeriesTable, metric_choice
from lnviz.lessons.lab.targets import Targets, group_picker
from lnviz.lessons.lab.trainings import Trainings, load_trainings
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import NONE
from lnviz.results.stored import Result
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.run_arrays import to_result
from lnviz.topics.lab.settings import describe_settings
from lnviz.topics.lab.stored import OWN
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.topics.transformer.warmup import WARMUP
from lnviz.training.experiment import Experiment, TrainingSpec

START = "digits"
WITHOUT = "networks without a norm"
"""The subject of a sentence about runs with no norm."""
BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
FIRST, STEPS = ("batch", "layer", "none"), 400
"""The norms and the number of steps that the training form offers at first."""
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
TABLE_RATES = (0.0001, *WARMUP.default.rates, 0.03)
"""Learning rates of Transformers: those of the table of failures on /placement among them."""


def _form(experiments: Iterable[Experiment]) -> dict[str, Any]:
    """Return the training form as sent to the browser: see `RunParameter` in `payload.d.ts`."""
    return {
        "experiments": [
            {
                "name": experiment.name,
                "label": experiment.label,
                "norms": [{"key": norm, "label": norm_label(norm)} for norm in experiment.norms],
                "batch_sizes": list(BATCH_SIZES),
                "rates": list(RATES if not experiment.placements else TABLE_RATES),
                "heads": list(experiment.heads),
                "placements": [
                    {"key": key, "label": PLACEMENTS[key].label} for key in experiment.placements
                ],
                "max_layers": experiment.max_layers,
                "fewest": dict(experiment.min_batch),
                "default": _first_wish(experiment).to_dict(),
                "reads_file": experiment.load_file is not None,
            }
            for experiment in experiments
        ]
    }


def _first_wish(experiment: Experiment) -> TrainingSpec:
    """Return the form's initial settings, which train in seconds: two norms, few steps."""
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
        Option(REACHED, "steps needed"),
        Option(INSIDE, "inside"),
    ),
    CURVES,
)
IN_CURVES: When = {SHOW.name: (CURVES,)}
IN_REACHED: When = {SHOW.name: (REACHED,)}
IN_INSIDE: When = {SHOW.name: (INSIDE,)}
BY_SIZE: When = {SHOW.name: (CURVES, INSIDE)}
MEASURE = metric_choice("your-measure", IN_CURVES)
KINDS = (
    LayerQuantity(
        "activations",
        "Activations",
        "root mean square of a layer’s outputs",
        "activations, RMS",
        of_norms=False,
    ),
    LayerQuantity(
        "gradients",
        "Gradients",
        "root mean square of the weights’ gradient",
        "gradient, RMS",
        of_norms=False,
    ),
    LayerQuantity(
        "gains",
        "Gains: mean and standard deviation over the units",
        "gain, mean and standard deviation over the units",
        "gain",
        of_norms=True,
    ),
    LayerQuantity(
        "bias_spreads",
        "Biases: standard deviation over the units",
        "standard deviation of the biases",
        "spread of biases",
        of_norms=True,
    ),
)


def build(run: str) -> Explorable:
    """Build the figure of the results of training runs, in three views.

    Raises:
        ExpiredDataError: the server has deleted the runs, or does not have their experiment.
        ParameterError: the database cannot be used now.
    """
    known = _known(run)
    experiment = EXPERIMENTS.get(known.specification.experiment)
    if experiment is None:
        raise ExpiredDataError(
            "This server does not have the experiment of these runs. Choose other runs.",
            {RUN.name: RUN.start},
        )
    runs = load_trainings([known], experiment)
    settings = describe_settings(experiment, known.specification)
    title = f"Runs of {experiment.label[0].lower()}{experiment.label[1:]}"
    title += f": {settings}" if settings else ""
    if not runs.measured.any():
        return Explorable(title, (), {}, (_readouts(_captions(runs)),))
    wanted = Slider.decades(ERROR, 0, 2, 100, _start(runs))
    wanted = replace(wanted, when=IN_REACHED, url_name=_address(ERROR))
    group = group_picker(runs, "group", runs.sizes, _first(runs))
    controls: tuple[Control, ...] = (
        SHOW,
        size_slider(runs, _measured(runs), _address(SIZE), BY_SIZE),
        *(MEASURE, wanted, rate_slider(runs, _address(RATE))),
        step_slider(runs, runs.latest, _address(STEP), BY_SIZE),
        group,
    )
    desk = FigureBuilder(runs, controls)
    desk.add_diverged()
    layer_charts.add_layer_tensors(desk, KINDS)
    targets = Targets(desk, wanted, group, IN_REACHED)
    targets.add_tensors()
    said = _captions(runs, desk)
    rows: tuple[ViewRow, ...] = (
        tuple(_charts(desk)),
        tuple(_tables(targets)),
        *_layers(desk),
        (*_readouts(said), *targets.readouts()),
    )
    steps = said.steps if run == START else ()  # of the stored runs that the figure opens with
    return Explorable(title, desk.controls, desk.tensors, rows, steps=steps)


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
            "The server does not have these runs; they may have been deleted. Choose other runs.",
            {RUN.name: RUN.start},
        )
    return to_result(record)


def _address(control: str) -> str:
    """Return the URL name of a control, distinct from the names in other figures."""
    return f"your-{slug(control)}"


def _first(runs: Trainings) -> tuple[str, int]:
    """Return the norm and batch size that are selected initially."""
    return ("layer" if "layer" in runs.norms else runs.norms[0]), runs.sizes[0]


def _measured(runs: Trainings) -> int:
    """Return the largest batch size that has a measurement at the latest step."""
    there = runs.measured[..., runs.steps.index(runs.latest)].any(0)
    return max(size for size, is_there in zip(runs.sizes, there, strict=True) if is_there)


def _start(runs: Trainings) -> float:
    """Return the default target error in percent; every norm in the stored runs has reached it."""
    name = runs.experiment.name
    positions = Slider.decades(ERROR, 0, 2, 100, 1.0)
    if name not in OWN:
        return positions.start
    stored = load_trainings([OWN[name].result], runs.experiment)
    lowest = stored.errors.nan_to_num(100.0).mean(3).amin(-1)  # rows,sizes,rates
    own = torch.stack([lowest[stored.index(*group)] for group in stored.groups])
    return positions.values[positions.index(float(own.max()))]


def _sheet(runs: Trainings, size: int) -> SeriesTable:
    at = runs.sizes.index(size)
    values = {name: value[:, at] for name, value in runs.values.items()}
    seconds, diverged = runs.seconds[:, at], runs.diverged[:, at].any(2)
    return SeriesTable(f"{size} ", runs.rows, (RATE,), values, seconds, diverged)


def _charts(desk: FigureBuilder) -> Iterator[Any]:
    """Yield the charts of losses and errors, for each batch size, metric and horizontal axis."""
    runs = desk.runs
    several = f"mean and range of {runs.seeds} seeds" if runs.seeds > 1 else "one run"
    crosses = "; a cross where the first run of a norm diverges" if runs.diverged.any() else ""
    settings = describe_settings(runs.experiment, runs.specification)
    setup = settings and f"{settings}, "
    sheets = {size: _sheet(runs, size) for size in runs.sizes}
    longest = float(runs.seconds.nan_to_num().max())
    for size, sheet in sheets.items():
        series_table.add_series(
            desk, sheet, runs.rows if runs.seeds > 1 else (), (series_table.STEPS,)
        )
        series_table.add_curve_ends(desk, sheet, desk.rows_at(size, runs.rows))
    for measure, (size, sheet) in product(RUN_METRICS, sheets.items()):
        rows = desk.rows_at(size, runs.rows)
        when = {**IN_CURVES, MEASURE.name: (measure.key,), **desk.when_size(size)}
        alt = (
            f"{setup}with batches of {size}{desk.at_rate}: {several} for each norm, with marks at "
            f"step {desk.value_template(STEP)}{crosses}."
        )
        title = f"{measure.label.capitalize()}, {setup}batches of {size}{desk.at_rate}: {several}"
        words = SeriesChartText(title, alt, 260, when)
        bands = rows if runs.seeds > 1 else ()
        yield series_table.draw_series(
            desk, sheet, rows, bands, measure, series_table.STEPS, longest, words
        )


def _captions(runs: Trainings, desk: FigureBuilder | None = None) -> RenderedCaptions:
    """Return the captions on training runs; with a builder, also captions on measurements."""
    cases: CaptionVariants = {
        p.variant: () for p in CAPTIONS.paragraphs if p.variant
    } | account.account_variants(runs)
    values = dict(account.account_values(runs))
    if desk:
        step, size, rate = desk.value_template(STEP), desk.value_template(SIZE), desk.at_rate
        values |= {"step": step, "batches": size, "at-rate": rate}
        values |= {"at": f"at step {step}{rate} with batches of {size}"}
        cases |= account.missing_variants(desk, KINDS, BY_SIZE) | _findings(desk)
    return CAPTIONS.render(values, cases)


def _readouts(said: RenderedCaptions) -> tuple[Readout, ...]:
    return (*said.readouts, *said.sections["account"])


def _findings(desk: FigureBuilder) -> CaptionVariants:
    """Add tensors on the leading norm and the largest outputs; return which captions apply."""
    _put_leader(desk)
    is_measured, several = layer_charts.add_largest(desk), len(desk.runs.rows) > 1
    return {
        "measured": True,
        "seeded": several and desk.runs.seeds > 1,
        "unseeded": several and desk.runs.seeds == 1,
        "alone": not several,
        "several inside": several and is_measured,
        "one inside": not several and is_measured,
        "inside": is_measured,
    }


def _put_leader(desk: FigureBuilder) -> None:
    """Add tensors that name the norm in the lead at each step, and the norms that overlap with it.

    Two norms overlap where the ranges of their results over the seeds overlap.
    """
    runs = desk.runs
    labels = tuple(row.label for row in runs.rows)
    values = torch.stack([m.in_format(runs.values[m.name]) for m in RUN_METRICS])
    values = values.movedim(0, 2)  # rows,sizes,measures,rates,seeds,points
    means = torch.stack([m.in_format(runs.values[m.name].mean(3)) for m in RUN_METRICS])
    means = means.movedim(0, 2).nan_to_num(math.inf)  # rows,sizes,measures,rates,points
    least = means.min(0)
    known = least.values.isfinite()
    over = (SIZE, MEASURE.name, RATE, STEP)
    desk.add("leads", over, least.values.where(known, math.nan))
    desk.add("leader", over, least.indices.double().where(known, math.nan), 0, labels)
    highest = values.amax(4).gather(0, least.indices[None]).squeeze(0)
    is_alike = means.isfinite() & (values.amin(4) <= highest)
    several = known & (is_alike.sum(0) > 1) & (runs.seeds > 1)
    most = means.where(is_alike, -math.inf).amax(0)
    sets, which = is_alike.flatten(1).unique(dim=1, return_inverse=True)
    subjects = [WITHOUT if label == NONE.label else label for label in labels]
    texts = tuple(
        join_words(sorted(compress(subjects, each), key=lambda label: label == WITHOUT))
        for each in sets.T.tolist()
    )
    desk.add("trails", over, most.where(several, math.nan))
    desk.add("alike", over, which.view_as(most).double().where(several, math.nan), 0, texts)


def _tables(targets: Targets) -> Iterator[Any]:
    """Yield the tables: steps to the target error, lowest errors, and test errors."""
    desk, runs = targets.desk, targets.desk.runs
    begun = (*runs.ended, *runs.in_progress)
    over = f", mean of {runs.seeds} seeds" if runs.seeds > 1 else ""
    middle = f", median of {runs.seeds} seeds" if runs.seeds > 1 else ""
    title, last = f"Steps to {{{ERROR}}}%{desk.at_rate}{middle}", float(runs.steps[-1])
    yield targets.table(title, "median of all", begun, "g4", last)
    yield targets.table(f"Lowest error, %{desk.at_rate}{over}", "best of all", begun, "2")
    yield targets.table(f"Test error, %{desk.at_rate}{over}", "tested of all", runs.ended, "2")


def _layers(desk: FigureBuilder) -> Iterator[ViewRow]:
    """Yield two charts by layer, and two by norm if the networks have norms."""
    for of_norms in (False, True):
        kinds = [kind for kind in KINDS if kind.of_norms == of_norms]
        charts = (layer_charts.layer_charts(desk, kind, IN_INSIDE) for kind in kinds)
        drawn = tuple(chain.from_iterable(charts))
        if drawn:
            yield drawn


def _cost(run: str) -> float:
    return 0.5 if run.startswith(RUN_PREFIX) else 0.3


FIGURE = FigureSpec("yours", build, (RUN,), _cost)
