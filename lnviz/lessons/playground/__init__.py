"""The lesson /playground: many small classifiers of points in a plane, under four norms."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.playground import networks, text_values

LESSON = Lesson(
    slug="playground",
    title="Which networks learn?",
    section="Try it",
    summary=(
        "networks that learn step by step, at many learning rates and depths: what each unit and "
        "each network computes across the plane, for four data sets or your own points"
    ),
    learning_outcome=(
        "find a learning rate and a depth at which a network learns, and say what LayerNorm cannot "
        "see about a point"
    ),
    figures=(networks.FIGURE,),
    text_values=text_values.text_values,
)
