"""A state that passes through the same matrix at every step."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.recurrence import factor, flow, gain, length, remembered, said, task, wiring

LESSON = Lesson(
    slug="recurrence",
    title="Recurrence",
    section="Why it works",
    moves=(
        "a state and its gradient over hundreds of steps, one step through an LN-LSTM and an "
        "LN-GRU, recurrent BatchNorm's statistics, and networks trained on digits"
    ),
    able=(
        "say why a recurrent state explodes or vanishes, what LayerNorm does about it, and "
        "where it stands in an LSTM and a GRU"
    ),
    paths=("batch-norm",),
    figures=(
        factor.FIGURE,
        flow.FIGURE,
        wiring.FIGURE,
        remembered.FIGURE,
        gain.FIGURE,
        task.FIGURE,
        length.FIGURE,
    ),
    values=said.values,
)
