"""The lesson /lab: training on digits with five norms, DyT and no norm, at four batch sizes."""

from lnviz.lessons.lab import curves, inside, reached, text_values, yours
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="lab",
    title="Which norm learns best?",
    section="Try it",
    summary=(
        "your own training runs; norms that learn digits, by batch size and step, what each has "
        "reached, and what happens inside"
    ),
    learning_outcome="compare norms at four batch sizes, and train a comparison of your own",
    figures=(curves.FIGURE, yours.FIGURE, reached.FIGURE, inside.FIGURE),
    text_values=text_values.text_values,
)
