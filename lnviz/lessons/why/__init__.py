"""What many layers make of a picture, with and without a norm."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.why import depth, learning, said

LESSON = Lesson(
    slug="why",
    title="Why a norm at all",
    section="The idea",
    moves="the weights' size: what fifty layers leave of two digits, and which networks learn",
    able="say why fifty layers lose a picture, what a norm does about it, and what it does not",
    paths=("zero",),
    figures=(depth.FIGURE, learning.FIGURE),
    values=said.values,
)
