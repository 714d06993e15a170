"""Images: where a norm has places to share over, and where BatchNorm is the better deal."""

from lnviz.lessons.images import border, cube, pictures
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="images",
    title="Images",
    section="The idea",
    moves=(
        "the block of images, channels and places, turned, with its groups under each norm, the "
        "units of a convolution at the border, and the contrast of one photograph of a batch"
    ),
    figures=(cube.FIGURE, border.FIGURE, pictures.FIGURE),
)
