"""The paper's Table 2: order embeddings for image and caption retrieval on MSCOCO."""

from __future__ import annotations

from lnviz.explorable import CellPicker, Choice, Explorable, Option, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.results.printed import PrintedTables, tensors, views
from lnviz.topics import paper

TASK = Choice(
    "search for",
    (
        Option("captions", "captions, given an image", code='"captions"'),
        Option("images", "images, given a caption", code='"images"'),
    ),
    "captions",
)
SHEET = PrintedTables(
    (paper.CAPTIONS, paper.IMAGES),
    CellPicker(
        "result",
        tuple(model.label for model in paper.CAPTIONS.models),
        tuple(measure.label for measure in paper.CAPTIONS.measures),
        "",
        (paper.CAPTIONS.at("ours"), 0),
    ),
    TASK,
    ("none", "none", "ink", "layer"),
    ("sym",),
    "1",
)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of Table 2: the selected metric, and improvements over the selected row."""
    return Explorable(
        title=CAPTIONS.title,
        controls=(TASK, SHEET.pointer),
        tensors=tensors(SHEET),
        views=views(SHEET, "Table 2 of the paper, mean of 5 test sets: {search for}", CAPTIONS),
        code=load_program(__file__),
    )


FIGURE = FigureSpec("retrieval", build)
