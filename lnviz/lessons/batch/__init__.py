"""The lesson /batch: the costs of BatchNorm's dependence on the other examples of the batch."""

from lnviz.lessons.batch import noise, padding, regularizer, running, scatter, text_values, workers
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="batch",
    title="Does the batch matter?",
    section="The idea",
    summary=(
        "BatchNorm's estimates from few and many examples, its running averages, padded and split "
        "batches, and networks trained with batches of many sizes"
    ),
    learning_outcome=(
        "explain how BatchNorm differs in training and in use, and what small, padded or split "
        "batches do to it"
    ),
    figures=(
        noise.FIGURE,
        scatter.FIGURE,
        running.FIGURE,
        padding.FIGURE,
        regularizer.FIGURE,
        workers.FIGURE,
    ),
    text_values=text_values.text_values,
)
