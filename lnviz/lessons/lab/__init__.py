"""Runs of the digits experiment: seven norms, four batch sizes, five seeds."""

from lnviz.lessons.lab import curves
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="lab",
    title="The lab",
    section="Try it",
    moves="the batch size and the step of training: seven norms that learn digits",
    figures=(curves.FIGURE,),
)
