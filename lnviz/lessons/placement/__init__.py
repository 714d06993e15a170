"""Where norms stand in a Transformer, and what follows from it before training and in it."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.placement import depth, residual, warmup

LESSON = Lesson(
    slug="placement",
    title="Where the norm stands",
    section="Transformers",
    moves=(
        "Transformers before training, by depth and by where their norms stand: gradients and the "
        "residual stream; and language models trained with warm-up and without"
    ),
    figures=(depth.FIGURE, residual.FIGURE, warmup.FIGURE),
)
