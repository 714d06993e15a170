"""The lesson /gain-bias: one example through standardizing, gain and bias, and a nonlinearity."""

from lnviz.lessons.gain_bias import line
from lnviz.lessons.gain_bias.check import CHECK
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="gain-bias",
    title="What are gain and bias for?",
    section="The idea",
    summary="gain and bias after standardizing, and the nonlinearity after them",
    learning_outcome=(
        "say what gain and bias do to a standardized example, and what is left of it at gain 0"
    ),
    figures=(line.FIGURE,),
    check=CHECK,
)
