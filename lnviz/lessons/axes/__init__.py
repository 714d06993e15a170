"""The lesson /axes: which values share a mean in a grid of examples and features."""

from lnviz.lessons.axes import grid
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="axes",
    title="Which numbers share a mean?",
    section="The idea",
    summary=(
        "which cells share a mean under BatchNorm, LayerNorm, GroupNorm and RMSNorm, in a small "
        "table, in real digits or in your own file"
    ),
    learning_outcome=(
        "point at a number and say which others it shares a mean with, under BatchNorm, "
        "LayerNorm, GroupNorm and RMSNorm"
    ),
    figures=(grid.FIGURE,),
)
