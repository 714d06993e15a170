"""The lesson /why: deep networks on digits, with and without a norm."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.why import depth, learning, text_values

LESSON = Lesson(
    slug="why",
    title="Why does a network need a norm?",
    section="The idea",
    summary=(
        "the weights' scale: what fifty layers leave of two digits; at which rates and scales "
        "networks learn, with a norm and without"
    ),
    learning_outcome=(
        "say why fifty layers lose a picture, what a norm does about it, and what it does not"
    ),
    figures=(depth.FIGURE, learning.FIGURE),
    text_values=text_values.text_values,
)
