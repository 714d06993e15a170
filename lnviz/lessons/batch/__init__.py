"""What BatchNorm needs other cases for, and what that costs."""

from lnviz.lessons.batch import noise, running
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="batch",
    title="The batch",
    section="The idea",
    moves="BatchNorm's estimates from few cases and many, and its running averages batch by batch",
    figures=(noise.FIGURE, running.FIGURE),
)
