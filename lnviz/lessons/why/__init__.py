"""What many layers make of a picture, with and without a norm."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.why import depth, learning, text_values

LESSON = Lesson(
    slug="why",
    title="Why does a network need a norm?",
    section="The idea",
    moves=(
        "the weights' scale: what fifty layers leave of two digits; at which rates and scales "
        "networks learn, with a norm and without"
    ),
    able="say why fifty layers lose a picture, what a norm does about it, and what it does not",
    figures=(depth.FIGURE, learning.FIGURE),
    values=text_values.values,
)
