"""The batch-versus-feature grid: which numbers share a mean."""

from lnviz.lessons.axes import grid
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="axes",
    title="Two axes",
    section="The idea",
    moves=(
        "which numbers share a mean: BatchNorm, LayerNorm, GroupNorm, RMSNorm on a worked "
        "example, on real digits or on your own file"
    ),
    able=(
        "point at a number and say which others it shares a mean with, under BatchNorm, "
        "LayerNorm, GroupNorm and RMSNorm"
    ),
    paths=("zero", "batch-norm"),
    figures=(grid.FIGURE,),
)
