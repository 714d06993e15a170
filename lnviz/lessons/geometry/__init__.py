"""The lesson /geometry: how far a step in the weights moves a model's predictions."""

from lnviz.lessons.geometry import descent, gain, landscape, reach, step, text_values, turn
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="geometry",
    title="How far does a step go?",
    section="Training dynamics",
    summary=(
        "how far a step of the weights moves a model, learning rates that shrink on their own, "
        "and the loss along the gradient"
    ),
    learning_outcome=(
        "explain why the same step counts for less on longer weights, and how a learning rate "
        "shrinks on its own"
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
