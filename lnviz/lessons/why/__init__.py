"""What many layers make of a picture, with and without a norm."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.why import depth, learning

LESSON = Lesson(
    slug="why",
    title="Why a norm at all",
    section="The idea",
    moves="the weights' size: what fifty layers leave of two digits, and which networks learn",
    figures=(depth.FIGURE, learning.FIGURE),
)
