"""The lesson /successors: later norms, and elementwise functions that replace norms."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.successors import catalogue, cloud, curves, gradients, text_values, timeline

LESSON = Lesson(
    slug="successors",
    title="What can replace a norm?",
    section="Transformers",
    summary=(
        "one vector’s size under every norm and replacement; tanh fitted to the norms of a trained "
        "network; a gradient on its way back through a norm; and what was proposed when"
    ),
    learning_outcome=(
        "tell a norm from a replacement such as DyT, and say which part of LayerNorm each "
        "successor does without"
    ),
    figures=(
        curves.FIGURE,
        timeline.FIGURE,
        catalogue.FIGURE,
        cloud.FIGURE,
        gradients.FIGURE,
    ),
    text_values=text_values.text_values,
)
