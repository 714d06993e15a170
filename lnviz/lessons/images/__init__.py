"""Images: where a norm has places to share over, and where BatchNorm is the better deal."""

from lnviz.lessons.images import border, cost_of_groups, cube, pictures, said
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="images",
    title="Images",
    section="The idea",
    moves=(
        "the block of images, channels and places, turned, with its groups under each norm, the "
        "units of a convolution at the border, the contrast of one photograph of a batch, and "
        "networks trained with every number of groups"
    ),
    able=(
        "say which numbers of a block (N, C, H, W) share a mean under each norm, and what "
        "that does to a picture's contrast"
    ),
    paths=("zero", "batch-norm"),
    figures=(cube.FIGURE, border.FIGURE, pictures.FIGURE, cost_of_groups.FIGURE),
    values=said.values,
)
