"""The lesson /recurrence: norms in recurrent networks, which apply one matrix at every step."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.recurrence import (
    factor,
    flow,
    gain,
    length,
    level,
    remembered,
    task,
    text_values,
    wiring,
)

LESSON = Lesson(
    slug="recurrence",
    title="Why does a recurrent state explode?",
    section="Training dynamics",
    summary=(
        "a state and its gradient over hundreds of steps, one step of an LSTM and a GRU with "
        "LayerNorm, recurrent BatchNorm, and networks trained on digits"
    ),
    learning_outcome=(
        "explain why a recurrent state explodes or vanishes, what LayerNorm does about it, and "
        "what it does not do for the gradient"
    ),
    figures=(
        factor.FIGURE,
        level.FIGURE,
        flow.FIGURE,
        wiring.FIGURE,
        remembered.FIGURE,
        gain.FIGURE,
        task.FIGURE,
        length.FIGURE,
    ),
    text_values=text_values.text_values,
)
