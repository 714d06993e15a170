"""The lesson /rmsnorm: RMSNorm is LayerNorm without centering, and what follows from that."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.rmsnorm import centering, means, offset, partial, sphere, text_values

LESSON = Lesson(
    slug="rmsnorm",
    title="Is the mean needed?",
    section="Transformers",
    summary=(
        "a constant added to a real row, under LayerNorm, RMSNorm and pRMSNorm, a point on its way "
        "to their circle and their sphere, and how large the mean is in language models as they "
        "train"
    ),
    learning_outcome=(
        "say what RMSNorm leaves out, when that makes a difference, and how to check that nothing "
        "is lost"
    ),
    figures=(
        offset.FIGURE,
        centering.FIGURE,
        sphere.FIGURE,
        means.FIGURE,
        partial.FIGURE,
    ),
    text_values=text_values.text_values,
)
