"""The lesson /images: norms applied to images, and which of their values share a mean."""

from lnviz.lessons.images import border, cost_of_groups, cube, pictures, text_values
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="images",
    title="What do norms do to a photo?",
    section="Why it works",
    summary=(
        "the contrast and brightness of one photograph of a batch, the block of images, channels "
        "and positions with its groups under each norm, the units of a convolution at the border, "
        "and networks trained with every number of groups"
    ),
    learning_outcome=(
        "say which numbers of a block (N, C, H, W) share a mean under each norm, and what "
        "that does to a picture's contrast"
    ),
    figures=(pictures.FIGURE, cube.FIGURE, border.FIGURE, cost_of_groups.FIGURE),
    text_values=text_values.text_values,
)
