"""The lesson /gain-bias: examples after standardizing, gain and bias, and a nonlinearity."""

from lnviz.lessons.gain_bias import examples, line
from lnviz.lessons.gain_bias.check import CHECK
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="gain-bias",
    title="What are gain and bias for?",
    section="The idea",
    summary="one learned gain and bias for each feature, the same for all examples",
    learning_outcome=(
        "explain why a norm has a gain and a bias after it has removed scale and mean, and what is "
        "left of an example at gain 0"
    ),
    figures=(examples.FIGURE, line.FIGURE),
    check=CHECK,
)
