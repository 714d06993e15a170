"""The lesson /playground: many small classifiers of points in a plane, under four norms."""

from lnviz.lessons.lesson import Lesson
from lnviz.lessons.playground import networks, text_values

LESSON = Lesson(
    slug="playground",
    title="Which networks learn?",
    section="Try it",
    summary=(
        "the step of a training and the network pointed at, among all learning rates and depths: "
        "what each unit and each network says of a plane, for four data sets or your own points"
    ),
    learning_outcome=(
        "find a learning rate and a depth at which a network learns, and say what LayerNorm cannot "
        "see of a point"
    ),
    figures=(networks.FIGURE,),
    text_values=text_values.text_values,
)
