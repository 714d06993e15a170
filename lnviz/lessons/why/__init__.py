"""The lesson /why: deep networks on digits, with and without a norm."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.why import depth, learning, similarity, text_values

LESSON = Lesson(
    slug="why",
    title="Why do deep networks use norms?",
    section="The idea",
    summary=(
        "what fifty layers do to two digits; which learning rates and weight scales work, with and "
        "without a norm"
    ),
    learning_outcome=(
        "explain why activations vanish or blow up in fifty layers, what a norm does about it, and "
        "what it does not do"
    ),
    figures=(depth.FIGURE, learning.FIGURE, similarity.FIGURE),
    text_values=text_values.text_values,
)
