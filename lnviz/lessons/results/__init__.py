"""The lesson /results: results of Ba et al. (2016) from tables, curves and text."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.results import generation, overview, repeated, retrieval, sentences, text_values

LESSON = Lesson(
    slug="results",
    title="What did the paper show?",
    section="Try it",
    summary=(
        "the tables of the 2016 paper, every row against every other; where an axis begins; and "
        "what was compared with what"
    ),
    learning_outcome=(
        "read the 2016 paper's tables: what was measured, what was compared with what, and "
        "where its text slips"
    ),
    figures=(
        generation.FIGURE,
        overview.FIGURE,
        retrieval.FIGURE,
        sentences.FIGURE,
        repeated.FIGURE,
    ),
    text_values=text_values.text_values,
)
