"""The lesson /cost: the time that norms take, and the reasons for it."""

from lnviz.lessons.cost import block_share, kernels, text_values, traffic
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="cost",
    title="What does a norm cost?",
    section="Transformers",
    summary=(
        "the width of what is normalized: the time of norms written out, as PyTorch's functions "
        "and compiled, their share of a Transformer block, and what they read and write"
    ),
    learning_outcome=(
        "estimate how long a norm takes compared with a copy, and say why its share of a block is "
        "larger than its share of the arithmetic"
    ),
    figures=(kernels.FIGURE, block_share.FIGURE, traffic.FIGURE),
    text_values=text_values.text_values,
)
