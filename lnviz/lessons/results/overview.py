"""Overview of all experiments of Ba et al. (2016): what is compared, and how it is reported."""

from __future__ import annotations

from collections import Counter

import torch

from lnviz.explorable import CellPicker, Explorable, Grid, SweptTensor, When
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.paper import EXPERIMENTS, PaperExperiment

COLUMNS = ("numbers", "curves", "equal?", "batch size")
EXPERIMENT = CellPicker(
    "experiment", tuple(each.label for each in EXPERIMENTS), COLUMNS, "", (0, 0)
)
MISSING = "–"
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a table with a row for each experiment of the paper, and the selected one's details."""
    cells = len(EXPERIMENTS) * len(COLUMNS)
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(EXPERIMENT,),
        tensors={
            "table": SweptTensor((), torch.full((cells,), torch.nan), 0),
            "rows": SweptTensor((EXPERIMENT.name,), torch.arange(cells) // len(COLUMNS), 0),
        },
        views=(
            (_table(),),
            said.readouts,
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


def _captions() -> RenderedCaptions:
    kinds = Counter(each.kind for each in EXPERIMENTS)
    against = [each for each in EXPERIMENTS if "BatchNorm" in each.against]
    return CAPTIONS.render(
        {
            "all": len(EXPERIMENTS),
            **{f"with-{kind}": count for kind, count in kinds.items()},
            "against-batch": len(against),
            "equal": sum(each.fair == "yes" for each in against),
        },
        {
            "each": tuple(map(_case, EXPERIMENTS)),
            **{each.key: (CaptionVariant(_at(each)),) for each in EXPERIMENTS},
        },
    )


def _case(experiment: PaperExperiment) -> CaptionVariant:
    return CaptionVariant(
        _at(experiment),
        {
            "label": experiment.label,
            "section": experiment.section,
            "against": experiment.against,
            "batch": experiment.batch or "not given",
        },
    )


def _at(experiment: PaperExperiment) -> When:
    return {EXPERIMENT.name: EXPERIMENT.cells_in_row(EXPERIMENTS.index(experiment))}


FIGURE = FigureSpec("overview", build)
