"""The descent figure of /geometry: growing weights under LayerNorm, and the effective rate."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import linear_axis, short_log_axis
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.geometry.model import draw_model
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER, NONE
from lnviz.progress import subtasks
from lnviz.topics.geometry import Descent, descend, teacher_targets

RATE = Slider.decades("learning rate", -2, 2, 50, 10.0)
STEPS = 100
NORMS = (NONE, LAYER)
SETTLING = 1.6
"""The learning rate up to which the loss settles without a norm."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of weight length and loss in gradient descent, with and without LayerNorm."""
    glm = draw_model("softmax")
    runs = {
        norm.key: descend(glm, teacher_targets(glm), norm, RATE.values, steps=STEPS)
        for norm in subtasks(NORMS)
    }
    settling = tuple(rate for rate in RATE.values if rate < SETTLING)
    captions = CAPTIONS.render(
        {"steps": STEPS, "start": float(runs[LAYER.key].length[0, 0])},
        {
            "settling": (CaptionVariant({RATE.name: settling}),),
            "jumping": (CaptionVariant({RATE.name: RATE.values[len(settling) :]}),),
        },
    )
    return Explorable(
        title=captions.title,
        steps=captions.steps,
        controls=(RATE,),
        tensors=_tensors(runs),
        views=(
            (
                _chart(
                    "Weight length",
                    "length",
                    torch.stack([run.length for run in runs.values()]),
                ),
                _chart("Loss", "loss", torch.stack([run.loss for run in runs.values()])),
            ),
            captions.readouts,
        ),
        code=load_program(__file__),
    )


def _tensors(runs: dict[str, Descent]) -> dict[str, SweptTensor]:
    tensors = {}
    for norm, run in runs.items():
        tensors[f"{norm} length"] = SweptTensor((RATE.name,), run.length.log10().float(), 3)
        tensors[f"{norm} loss"] = SweptTensor((RATE.name,), run.loss.log10().float(), 3)
    for norm in runs:
        tensors[f"{norm} length at end"] = SweptTensor(
            (RATE.name,), runs[norm].length[:, -1].float()
        )
        tensors[f"{norm} loss at end"] = SweptTensor((RATE.name,), runs[norm].loss[:, -1].float())
    length = runs["layer"].length  # rates,states
    tensors["left"] = SweptTensor(
        (RATE.name,), 100 * (length[:, 0] / length[:, -1]).square().float()
    )
    return tensors


def _chart(title: str, what: str, values: Float[Tensor, "norms rates states"]) -> Chart:
    return chart(
        title,
        [norm_line(norm.key, range(STEPS + 1), f"{norm.key} {what}") for norm in NORMS],
        linear_axis("step of gradient descent", 0, STEPS),
        short_log_axis(what, float(values.min()), float(values.max())),
        f"{title} over {STEPS} steps of gradient descent, at learning rate {{learning rate}}: it "
        f"ends at {{none {what} at end:g2}} without a norm and at {{layer {what} at end:g3}} with "
        "LayerNorm.",
        height=340,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for values, of in zip(printed[0], ("length", "loss"), strict=True):
        last = [shown.lookup(f"{norm.key} {of}", state)[-1] for norm in NORMS]
        yield values.log10(), torch.stack(last)


FIGURE = FigureSpec(
    "descent",
    build,
    cpu_seconds=1.0,
    # At the largest rates a run without a norm is chaotic.
    program_output=ProgramOutput(_printed, ranges={RATE.name: (RATE.values[0], 10.0)}),
)
