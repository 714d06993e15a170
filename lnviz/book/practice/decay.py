"""The figure of weight decay on a norm's gain, which the next layer compensates for."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    When,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.topics.practice.decay import RATE, STEPS, WAYS, DecayRuns, train_with_decay

DECAY = Slider("weight decay", (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), 0.2)
_LABELS = ("decay only", "loss, decay of both", "loss, decay of the gain")
ACTING = Choice(
    "what acts",
    tuple(Option(way, label, code=repr(way)) for way, label in zip(WAYS, _LABELS, strict=True)),
    "gain",
)
LINES = {"gain": "accent", "weights": "soft", "product": "ink"}
NAMES = {"gain": "gain", "weights": "next layer", "product": "product"}
TOP = 3.1
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of training with weight decay on a gain, in three setups."""
    runs = train_with_decay(DECAY.values)
    of_gain: When = {ACTING.name: ("gain",)}
    some = tuple(value for value in DECAY.values if value)
    captions = CAPTIONS.render(
        {"steps": STEPS, "rate": RATE},
        {
            "undecayed": (CaptionVariant({**of_gain, DECAY.name: (0.0,)}),),
            "decayed": (CaptionVariant({**of_gain, DECAY.name: some}),),
        },
    )
    return Explorable(
        title=captions.title,
        controls=(DECAY, ACTING),
        tensors=_tensors(runs),
        views=((_chart(runs),), captions.readouts),
        code=load_program(__file__),
    )


def _tensors(runs: DecayRuns) -> dict[str, SweptTensor]:
    tensors = {}
    for name in LINES:
        values = getattr(runs, name).transpose(0, 1)  # decays,ways,steps
        over = (DECAY.name, ACTING.name)
        tensors[name] = SweptTensor(over, values, 3)
        tensors[f"last {name}"] = SweptTensor(over, values[..., -1])  # decay alone leaves 0.00004
    tensors["loss"] = SweptTensor(over, runs.loss.transpose(0, 1)[..., -1])
    return tensors


def _chart(runs: DecayRuns) -> Chart:
    steps = runs.steps.tolist()
    return chart(
        "Size relative to the start",
        [line(NAMES[name], token, steps, name, mark=None) for name, token in LINES.items()],
        linear_axis("step of AdamW", 0, steps[-1]),
        linear_axis("", 0, TOP),
        "Three curves over the steps of AdamW, at weight decay {weight decay} ({what acts}): the "
        "size of a norm’s gain, of the next layer’s weights, and of their product, relative to the "
        "start. They end at {last gain}, {last weights} and {last product}.",
        height=330,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for value, name in zip(printed[0], ("gain", "weights"), strict=True):
        yield value, shown.lookup(f"last {name}", state)


FIGURE = FigureSpec(
    "decay", build, cpu_seconds=2.0, program_output=ProgramOutput(_printed, tolerance=2e-3)
)
