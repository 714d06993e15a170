"""The lesson /invariance: changes of weights and data that leave a norm's output unchanged."""

from lnviz.lessons.invariance import case_scale, fading, logits, table
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="invariance",
    title="What can’t LayerNorm see?",
    section="Why it works",
    summary=(
        "one example multiplied, the invariances of seven norms, measured, and a classifier’s "
        "confidence"
    ),
    learning_outcome=(
        "predict which changes of weights and data a norm cannot see, and what this costs a "
        "classifier"
    ),
    figures=(
        case_scale.FIGURE,
        fading.FIGURE,
        table.FIGURE,
        logits.FIGURE,
    ),
)
