"""The lesson /inside: the norms inside two published Transformers, measured on real texts."""

from lnviz.lessons.inside import final, gains, lens, massive, run, stream, swap, text_values, yours
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="inside",
    title="What do trained norms do?",
    section="Transformers",
    summary=(
        "the layers and tokens of SmolLM2 and MiniLM: the residual stream before every norm "
        "and after it, single components thousands of times as large, learned gains, the loss "
        "with norms replaced, the next word predicted after every layer, and sentences of your own"
    ),
    learning_outcome=(
        "say what the norms of a real language model do to its residual stream, and what becomes "
        "of the model without them"
    ),
    figures=(
        final.FIGURE,
        stream.FIGURE,
        massive.FIGURE,
        gains.FIGURE,
        swap.FIGURE,
        lens.FIGURE,
        yours.FIGURE,
        run.FIGURE,
    ),
    text_values=text_values.text_values,
)
