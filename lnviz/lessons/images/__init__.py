"""The lesson /images: norms applied to images, and which of their values share a mean."""

from lnviz.lessons.images import border, cost_of_groups, cube, pictures, text_values
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="images",
    title="What do norms do to a photo?",
    section="Why it works",
    summary=(
        "what each norm does to the brightness, contrast and color of a photograph; which numbers "
        "of a tensor of images share a mean; units at the border, and numbers of groups"
    ),
    learning_outcome=(
        "say which numbers of a tensor (N, C, H, W) share a mean under each norm, and what "
        "this does to the contrast of a picture"
    ),
    figures=(pictures.FIGURE, cube.FIGURE, border.FIGURE, cost_of_groups.FIGURE),
    text_values=text_values.text_values,
)
