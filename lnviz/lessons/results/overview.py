"""All experiments of the paper: what was compared, and what there is of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import torch

from lnviz.explorable import Explorable, Grid, Pointer, Readout, Swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.words import Said, words
from lnviz.topics.paper import EXPERIMENTS, Experiment

COLUMNS = ("numbers", "curves", "equal?", "batch size")
EXPERIMENT = Pointer("experiment", tuple(each.label for each in EXPERIMENTS), COLUMNS, "", (0, 0))
MISSING = "–"
FOLDED = ("Data", "Model", "Training", "Batch size", "The authors' code")
"""What is told of an experiment below the figure, in a fold."""
WORDS = words(__file__)


def build() -> Explorable:
    """Build a table with a row for each experiment; of the one pointed at, all that is told."""
    cells = len(EXPERIMENTS) * len(COLUMNS)
    said = _said()
    return Explorable(
        title=said.title,
        controls=(EXPERIMENT,),
        tensors={
            "table": Swept((), torch.full((cells,), torch.nan), 0),
            "rows": Swept((EXPERIMENT.name,), torch.arange(cells) // len(COLUMNS), 0),
        },
        views=(
            (_table(),),
            (*said.readouts, *(card for each in EXPERIMENTS for card in _cards(each))),
        ),
    )


def _table() -> Grid:
    cells = tuple(
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
        words=cells,
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
            look = "method" if head in FOLDED else "note"
            yield Readout(f"{head}: {text}", look, here)


def _said() -> Said:
    kinds = Counter(each.kind for each in EXPERIMENTS)
    against = [each for each in EXPERIMENTS if "BatchNorm" in each.against]
    equal = sum(each.fair == "yes" for each in against)
    return WORDS.said(
        {
            "all": len(EXPERIMENTS),
            **{kind: kinds[kind] for kind in ("numbers", "curves", "words")},
            "against": len(against),
            "equal": equal,
        }
    )


FIGURE = Figure("overview", build)
