"""Language models whose norms do not center: converted after training, or trained that way."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import chart, drawing_order, line, norm_line, note, threshold
from lnviz.lessons.lesson import FigureSpec
from lnviz.results.stored import Result
from lnviz.topics.transformer.centering import CENTERING, CenteringSpecification
from lnviz.topics.transformer.documentation import alphabet
from lnviz.topics.transformer.learners import PASSAGES

CLOSE = -5.0
"""The logarithm of the largest difference at which two outputs count as equal."""
HEIGHT = 300
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of how omitting the mean changes outputs, and of losses, during training."""
    result = CENTERING.result
    batches = step_slider("batches")
    said = CAPTIONS.render(
        {**training_values(result), **_compared(result), "logits": _logit_count(result)}
    )
    return Explorable(
        title=said.title,
        controls=(batches,),
        tensors=_tensors(result, batches),
        views=((_changes(batches), _losses(result, batches)), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def step_slider(address: str) -> Slider:
    """Return the slider over the recorded points of the training, in batches."""
    points = CENTERING.result.specification.points
    values = tuple(map(float, points))
    return Slider("batches", values, values[-1], 0, has_step_buttons=True, url_name=address)


def training_values(result: Result[CenteringSpecification]) -> dict[str, float | str]:
    """Return the training settings quoted in captions."""
    s = result.specification
    sizes = ("layers", "width", "heads", "inner", "context", "steps", "batch")
    return {name: getattr(s, name) for name in sizes} | {
        "rate": f"{s.rate:g}",
        "seeds": len(s.seeds),
        "passages": PASSAGES,
        "made": result.header.made_with,
    }


def _loss(result: Result[CenteringSpecification], norm: str) -> Float[Tensor, "points seeds"]:
    return result.tensor("loss", "step", "seed", norm=norm)


def _tensors(result: Result[CenteringSpecification], batches: Slider) -> dict[str, SweptTensor]:
    """Return losses averaged over the seeds, and the largest changes, at every recorded point."""

    def of(measure: str, rewriting: str) -> Float[Tensor, "points seeds"]:
        return result.tensor(measure, "step", "seed", rewriting=rewriting)

    tensors = {f"{norm} loss": _loss(result, norm).mean(1) for norm in result.labels("norm")}
    for name in result.labels("rewriting"):
        tensors[f"{name} change"] = of("change", name).amax(1).log10()
    tensors["centered exact"] = of("exact_change", "centered").amax(1).log10()
    tensors["replaced loss"] = of("changed_loss", "replaced").mean(1)
    return {name: SweptTensor((batches.name,), values, 4) for name, values in tensors.items()}


def _logit_count(result: Result[CenteringSpecification]) -> int:
    """Return the number of logits that are compared at each recorded point, over all seeds."""
    s = result.specification
    return len(s.seeds) * PASSAGES * s.context * len(alphabet())


def _changes(batches: Slider) -> Chart:
    return chart(
        "Largest change in a logit when the norms are replaced",
        [
            line("norms replaced", "rms", batches, "replaced change", width=2.5, dash="dash"),
            line("means removed first", "rms", batches, "centered change"),
            threshold(CLOSE, "rounding"),
            note(0.99, 0.1, "norms replaced", above=False),
            note(0.99, -6.4, "means removed first", above=False),
        ],
        linear_axis(batches.name, batches.values[0], batches.values[-1]),
        log_axis("", -7, 2),
        "How much replacing the norms changes a logit at most, logarithmic. After {batches} "
        "batches it is {centered change:d2} with the means removed first, and {replaced change:d2} "
        "with the means left in.",
        height=HEIGHT,
        legend=False,
    )


def _losses(result: Result[CenteringSpecification], batches: Slider) -> Chart:
    losses = {norm: _loss(result, norm) for norm in drawing_order(result.labels("norm"))}
    low, high = torch.stack(list(losses.values())).aminmax()
    return chart(
        "Loss when trained with each norm from the start",
        [
            norm_line(norm, batches, loss.mean(1), band=(loss.amin(1), loss.amax(1)))
            for norm, loss in losses.items()
        ],
        linear_axis(batches.name, batches.values[0], batches.values[-1]),
        linear_axis("nats per character", math.floor(low), math.ceil(high), padded=False),
        "The loss on text that was not trained on, against the batches trained. After {batches} "
        "batches it is {layer loss:2} with LayerNorm and {rms loss:2} with RMSNorm.",
        height=HEIGHT,
    )


def _compared(result: Result[CenteringSpecification]) -> dict[str, float | str]:
    """Return whether the norms' final losses differ, and by how much replacement changes them."""
    (low, high), (other_low, other_high) = (
        (float(end) for end in _loss(result, norm)[-1].aminmax()) for norm in result.labels("norm")
    )
    overlap = low <= other_high and other_low <= high
    replaced = result.tensor("changed_loss", "step", "seed", rewriting="replaced")
    least, most = (float(end) for end in (replaced - _loss(result, "layer"))[-1].aminmax())
    return {
        "ranges": "overlap" if overlap else "do not overlap",
        "least": least,
        "most": most,
    }


FIGURE = FigureSpec("centering", build)
