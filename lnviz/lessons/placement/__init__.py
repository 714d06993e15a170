"""The lesson /placement: where norms go in a Transformer, and the effects on training."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.placement import (
    blocks,
    count,
    depth,
    first_steps,
    layers,
    residual,
    road,
    text_values,
    warmup,
)

LESSON = Lesson(
    slug="placement",
    title="Where should the norm go?",
    section="Transformers",
    summary=(
        "Post-LN and Pre-LN in a block; gradients by layer in the first training steps; language "
        "models trained with and without warm-up; the residual stream by depth; the norms of "
        "published models"
    ),
    learning_outcome=(
        "tell Post-LN from Pre-LN in a block, and say what each does to the gradients of early "
        "layers, to the need for warm-up and to the size of the stream"
    ),
    figures=(
        road.FIGURE,
        first_steps.FIGURE,
        blocks.FIGURE,
        depth.FIGURE,
        layers.FIGURE,
        residual.FIGURE,
        warmup.FIGURE,
        count.FIGURE,
    ),
    text_values=text_values.text_values,
)
