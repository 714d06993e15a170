"""The paper's Table 3: skip-thought vectors, evaluated with seven metrics."""

from __future__ import annotations

from lnviz.explorable import CellPicker, Explorable, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.results.printed import PrintedTables, tensors, views
from lnviz.topics.paper import SENTENCES

SHEET = PrintedTables(
    (SENTENCES,),
    CellPicker(
        "score",
        tuple(model.label for model in SENTENCES.models),
        tuple(measure.label for measure in SENTENCES.measures),
        "",
        (SENTENCES.at("ours"), 3),
    ),
    None,
    ("none", "ink", "layer", "layer"),
    ("longer",),
    "p3",
)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of Table 3: the selected metric, and improvements over the selected row."""
    return Explorable(
        title=CAPTIONS.title,
        controls=(SHEET.pointer,),
        tensors=tensors(SHEET),
        views=views(SHEET, "Table 3 of the paper", CAPTIONS),
        code=load_program(
            __file__,
            values=f"torch.tensor({SENTENCES.values.tolist()}, dtype=torch.float64)",
            perfect=f"torch.tensor({[m.perfect for m in SENTENCES.measures]}, dtype=torch.float64)",
            higher=f"torch.tensor({[m.higher for m in SENTENCES.measures]})",
        ),
    )


FIGURE = FigureSpec("sentences", build)
