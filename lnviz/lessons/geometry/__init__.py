"""The lesson /geometry: how far a step in the weights moves a model's predictions."""

from lnviz.lessons.geometry import descent, gain, landscape, reach, step, text_values, turn
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="geometry",
    title="How far does a step go?",
    section="Training dynamics",
    summary=(
        "how far a step in weights moves a model, the gain's curvature, learning rates that "
        "shrink on their own, the loss along the gradient"
    ),
    learning_outcome=(
        "say why the same step counts for less once the weights are longer, and how a "
        "learning rate shrinks on its own"
    ),
    figures=(
        turn.FIGURE,
        descent.FIGURE,
        step.FIGURE,
        reach.FIGURE,
        gain.FIGURE,
        landscape.FIGURE,
    ),
    text_values=text_values.text_values,
)
