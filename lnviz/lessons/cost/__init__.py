"""The lesson /cost: the time that norms take, and the reasons for it."""

from lnviz.lessons.cost import block_share, kernels, roofline, text_values, traffic
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="cost",
    title="What does a norm cost?",
    section="Transformers",
    summary=(
        "norms beside a matrix product on GPUs, computed from their speeds; their "
        "fraction of a Transformer block, what they read and write, and times on one CPU thread"
    ),
    learning_outcome=(
        "estimate how long a norm takes compared with a copy, and say why it takes a larger "
        "fraction of a block’s time than of its arithmetic"
    ),
    figures=(roofline.FIGURE, block_share.FIGURE, traffic.FIGURE, kernels.FIGURE),
    text_values=text_values.text_values,
)
