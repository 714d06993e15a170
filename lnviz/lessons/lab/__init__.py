"""The digits experiment: five norms, DyT and neither, at four batch sizes from five seeds."""

from lnviz.lessons.lab import curves, inside, reached, said, yours
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="lab",
    title="The lab",
    section="Try it",
    moves=(
        "the batch size and the step of training: norms that learn digits, what each has "
        "reached, and what goes on inside"
    ),
    able="compare norms at four batch sizes, and train a comparison of your own",
    paths=("batch-norm",),
    figures=(curves.FIGURE, reached.FIGURE, inside.FIGURE, yours.FIGURE),
    values=said.values,
)
