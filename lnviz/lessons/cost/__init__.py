"""What a norm costs: time, and why."""

from lnviz.lessons.cost import kernels
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="cost",
    title="What a norm costs",
    section="Transformers",
    moves="the width of what is normalized: the time of norms written out, fused and compiled",
    figures=(kernels.FIGURE,),
)
