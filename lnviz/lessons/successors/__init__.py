"""What came after layer normalization: other norms, and functions in place of norms."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.successors import cloud, curves, gradients, said, timeline

LESSON = Lesson(
    slug="successors",
    title="What came after",
    section="Transformers",
    moves=(
        "one vector's size under every norm and replacement, tanh over what a trained network's "
        "norms do, a gradient on its way back through a norm, and what was proposed when"
    ),
    able=(
        "tell a norm from a replacement such as DyT, and say which part of LayerNorm each "
        "successor does without"
    ),
    paths=("transformer",),
    figures=(curves.FIGURE, cloud.FIGURE, gradients.FIGURE, timeline.FIGURE),
    values=said.values,
)
