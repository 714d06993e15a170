"""The lesson /placement: where norms sit in a Transformer, and the effects on training."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.placement import (
    blocks,
    count,
    depth,
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
        "where norms stand in a block and what goes along its arrows; gradients and the residual "
        "stream before training, by depth; language models trained with warm-up and without; the "
        "norms of published models"
    ),
    learning_outcome=(
        "tell Post-LN from Pre-LN in a block, and say what each does to the gradients before "
        "training and to the need for a warm-up"
    ),
    figures=(
        road.FIGURE,
        blocks.FIGURE,
        depth.FIGURE,
        layers.FIGURE,
        residual.FIGURE,
        warmup.FIGURE,
        count.FIGURE,
    ),
    text_values=text_values.text_values,
)
