"""The lesson /batch: the costs of BatchNorm's dependence on the other examples of the batch."""

from lnviz.lessons.batch import noise, padding, regularizer, running, scatter, text_values, workers
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="batch",
    title="Does the batch matter?",
    section="The idea",
    summary=(
        "what the rest of a batch does to an example under BatchNorm; running averages, padding, "
        "batches split across devices, and noise as a regularizer"
    ),
    learning_outcome=(
        "explain how BatchNorm differs in training and at inference, and what small, padded or "
        "split batches do to it"
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
