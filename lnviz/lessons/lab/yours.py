"""Runs of an experiment: stored ones, or a visitor's own, as far as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lnviz.database.connection import StoreError
from lnviz.explorable import Explorable, Gone, Job, Option, ParameterError, Readout, Row
from lnviz.lessons.inputs import JOB
from lnviz.lessons.lab import yours_curves, yours_inside, yours_reached
from lnviz.lessons.lab.desk import Desk
from lnviz.lessons.lab.runs import label
from lnviz.lessons.lab.trainings import trainings
from lnviz.lessons.lab.yours_words import progress, what
from lnviz.lessons.lesson import Figure
from lnviz.results import LAB_RUNS
from lnviz.topics.lab import EXPERIMENTS, jobs
from lnviz.training.experiment import Experiment
from lnviz.training.record import Record

START = "digits"
BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)


def _form(experiments: Iterable[Experiment]) -> dict[str, Any]:
    """What a visitor may ask for, `form` of `Job` in `payload.d.ts`."""
    return {
        "experiments": [
            {
                "name": each.name,
                "label": each.label,
                "norms": [{"key": norm, "label": label(norm)} for norm in each.norms],
                "batch_sizes": list(BATCH_SIZES),
                "rates": list(RATES),
                "heads": list(each.heads),
                "fewest": dict(each.fewest),
                "default": each.default.document(),
                "reads_file": each.read is not None,
            }
            for each in experiments
        ]
    }


RUN = Job(
    name="run",
    label="Runs",
    options=tuple(Option(name, EXPERIMENTS[name].label) for name in LAB_RUNS),
    start=START,
    form=_form(EXPERIMENTS.values()),
    own=(JOB,),
)


def build(run: str) -> Explorable:
    """What was measured of the runs, in three ways to look at it.

    Raises:
        Gone: the server keeps no such runs, or cannot tell what they are of.
        ParameterError: the database of runs does not answer.
    """
    record = _record(run)
    experiment = EXPERIMENTS.get(record.specification.experiment)
    if experiment is None:
        raise Gone(
            "These runs are of an experiment that this server does not have. Choose other ones.",
            {RUN.name: RUN.start},
        )
    runs = trainings(record, experiment)
    title = f"Runs of {experiment.label[0].lower()}{experiment.label[1:]}"
    said = (progress(runs), *what(record, experiment))
    if not runs.measured.any():
        return Explorable(title, (), {}, ((_nothing(runs.steps[0]), *said),))
    desk = Desk(runs)
    desk.put_lost()
    for part in (yours_curves, yours_reached, yours_inside):
        part.put(desk)
    rows: tuple[Row, ...] = (
        tuple(yours_curves.charts(desk)),
        tuple(yours_reached.tables(desk)),
        *yours_inside.rows(desk),
        (
            *yours_curves.words(desk),
            *yours_reached.words(desk),
            *yours_inside.words(desk),
            *said,
        ),
    )
    return Explorable(title, desk.controls, desk.tensors, rows)


def _record(run: str) -> Record:
    if not run.startswith(JOB):
        return jobs.stored(run)
    try:
        found = jobs.record(run.removeprefix(JOB))
    except StoreError as error:
        raise ParameterError(str(error), {RUN.name: RUN.start}) from error
    if found is None:
        raise Gone(
            "The server keeps no such runs; they may have been deleted. Choose other ones.",
            {RUN.name: RUN.start},
        )
    return found


def _nothing(first: int) -> Readout:
    return Readout(
        f"No measurement yet: the first that is drawn is at step {first:,}, and no run is known to "
        "have come so far. They may wait for their turn, have just begun, or have been "
        "stopped before.",
        "verdict",
    )


def _cost(run: str) -> float:
    return 0.5 if run.startswith(JOB) else 0.3


FIGURE = Figure("yours", build, (RUN,), _cost)
