"""Words: what a norm leaves of a case that is multiplied."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.words import scale

LESSON = Lesson(
    slug="words",
    title="Words",
    section="Try it",
    moves="the scale of a case, and what a norm leaves of it",
    able="say what LayerNorm leaves of a factor that all numbers of a case have",
    figures=(scale.FIGURE,),
)
