"""All experiments of the paper: what was compared, and what there is of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import torch

from lnviz.explorable import Explorable, Grid, Pointer, Readout, Swept
from lnviz.lessons.lesson import Figure
from lnviz.topics.paper import EXPERIMENTS, Experiment

COLUMNS = ("numbers", "curves", "equal?", "batch size")
EXPERIMENT = Pointer("experiment", tuple(each.label for each in EXPERIMENTS), COLUMNS, "", (0, 0))
MISSING = "–"


def build() -> Explorable:
    """Build a table with a row for each experiment; of the one pointed at, all that is told."""
    cells = len(EXPERIMENTS) * len(COLUMNS)
    return Explorable(
        title="The experiments of the paper",
        controls=(EXPERIMENT,),
        tensors={
            "table": Swept((), torch.full((cells,), torch.nan), 0),
            "rows": Swept((EXPERIMENT.name,), torch.arange(cells) // len(COLUMNS), 0),
        },
        views=((_table(),), (*(card for each in EXPERIMENTS for card in _cards(each)), _count())),
    )


def _table() -> Grid:
    words = tuple(
        word or MISSING
        for each in EXPERIMENTS
        for word in (each.numbers, each.curves, each.fair, each.batch)
    )
    return Grid(
        f"The experiments of section 6; {MISSING}: not given",
        EXPERIMENT.name,
        1.0,
        "table",
        groups="rows",
        words=words,
    )


def _cards(experiment: Experiment) -> Iterator[Readout]:
    row = EXPERIMENTS.index(experiment)
    here = {EXPERIMENT.name: tuple((row, column) for column in range(len(COLUMNS)))}
    results = {
        "numbers": f"Numbers in {experiment.numbers}, curves in {experiment.curves}",
        "curves": f"Curves alone, {experiment.curves}: no number is printed, and none is drawn "
        "here",
        "words": "Words alone",
    }
    lines = {
        "What the authors say came out": experiment.finding,
        "Results": results[experiment.kind] + ".",
        "Data": experiment.data,
        "Model": experiment.model,
        "Training": experiment.training,
        "Batch size": f"{experiment.batch or 'not given'}.",
        "Compared with": experiment.against + ".",
        "On what terms": experiment.terms,
        "The authors' code": experiment.later,
    }
    yield Readout(f"{experiment.label}, section {experiment.section}", "formula", here)
    for head, text in lines.items():
        if text:
            yield Readout(f"{head}: {text}", when=here)


def _count() -> Readout:
    kinds = Counter(each.kind for each in EXPERIMENTS)
    against = sum("BatchNorm" in each.against for each in EXPERIMENTS)
    fair = sum("BatchNorm" in each.against and each.fair == "yes" for each in EXPERIMENTS)
    return Readout(
        f"Of {len(EXPERIMENTS)} experiments {kinds['numbers']} have numbers, {kinds['curves']} "
        f"curves alone, {kinds['words']} words alone. {against} compare with BatchNorm, "
        f"{fair or 'none'} of them on terms that are equal as far as the paper says. Neither its "
        "text nor its tables give a spread over several trainings of the same model.",
        "verdict",
    )


FIGURE = Figure("overview", build)
