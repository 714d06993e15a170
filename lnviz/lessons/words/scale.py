"""A case that is multiplied: its spread before LayerNorm and behind it."""

from __future__ import annotations

from lnviz.explorable import Explorable, Slider, Swept, program
from lnviz.lessons.captions import words
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import chart, line
from lnviz.lessons.data_parameters import tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.program_output import prints
from lnviz.norms import normalize

SCALE = Slider.linear("scale", 0.1, 3, 0.02, 1.5)
CASE = (0.1, 2.7, -0.6, 0.7)
WORDS = words(__file__)


def build() -> Explorable:
    """Return the standard deviation of the case at every scale, before the norm and behind it."""
    x = tensor_of(SCALE.values)[:, None] * tensor_of(CASE)  # scales, units
    before = x.std(-1, correction=0)  # scales
    after = normalize(x, -1).y.std(-1, correction=0)
    spread = chart(
        "Standard deviation of the case",
        [
            line("before", "none", SCALE, "before"),
            line("behind LayerNorm", "layer", SCALE, "after"),
        ],
        linear("scale", SCALE.values[0], SCALE.values[-1]),
        linear("standard deviation", 0, float(before.max())),
        "Two lines over the factor. At {scale} the standard deviation is {before:2} before "
        "the norm and {after:2} behind it.",
    )
    said = WORDS.said()
    return Explorable(
        title=said.title,
        controls=(SCALE,),
        tensors={
            "before": Swept((SCALE.name,), before, 4),
            "after": Swept((SCALE.name,), after, 4),
        },
        views=((spread,), said.readouts),
        code=program(__file__),
    )


FIGURE = Figure("scale", build, prints=prints("before", "after"))
