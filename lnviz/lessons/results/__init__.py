"""The lesson /results: results of Ba et al. (2016) from tables, curves and text."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.results import generation, overview, repeated, retrieval, sentences, text_values

LESSON = Lesson(
    slug="results",
    title="What did the paper show?",
    section="Try it",
    summary=(
        "how much faster the seven experiments of the 2016 paper trained with LayerNorm, what was "
        "compared with what, and its tables"
    ),
    learning_outcome=(
        "explain what the 2016 paper measured, how large the gains are, and where its text is wrong"
    ),
    figures=(
        overview.FIGURE,
        retrieval.FIGURE,
        sentences.FIGURE,
        generation.FIGURE,
        repeated.FIGURE,
    ),
    text_values=text_values.text_values,
)
