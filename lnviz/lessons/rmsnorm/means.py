"""The ratio of mean to RMS before each norm of language models, during training."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, drawing_order, line, norm_line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.rmsnorm.centering import HEIGHT, step_slider
from lnviz.results.stored import Result
from lnviz.topics.transformer.centering import CENTERING, CenteringSpecification, at_random

CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the chart of the ratio of mean to RMS before every norm, by training step."""
    result = CENTERING.result
    s = result.specification
    batches = step_slider("means-batches")
    captions = CAPTIONS.render(
        {
            "norms": len(s.norms),
            "seeds": len(s.seeds),
            "width": s.width,
            "random": at_random(s.width),
        }
    )
    return Explorable(
        title=captions.title,
        controls=(batches,),
        tensors=_tensors(result, batches),
        views=((_places(result),), captions.readouts),
    )


def _offsets(
    result: Result[CenteringSpecification], norm: str
) -> Float[Tensor, "points seeds norms"]:
    return result.tensor("offset", "step", "seed", "place", norm=norm)


def _tensors(result: Result[CenteringSpecification], batches: Slider) -> dict[str, SweptTensor]:
    """Return the ratio's mean, minimum and maximum over the seeds, at every recorded point."""
    tensors: dict[str, Tensor] = {}
    for norm in result.labels("norm"):
        offsets = _offsets(result, norm)
        low, high = offsets.aminmax(dim=1)
        size = result.tensor("size", "step", "seed", "place", norm=norm).mean(1)
        tensors |= {
            f"{norm} offset": offsets.mean(1),
            f"{norm} low": low,
            f"{norm} high": high,
            f"{norm} mean": offsets.mean((1, 2)),
            f"{norm} least": offsets.mean(2).amin(1),
            f"{norm} most": offsets.mean(2).amax(1),
            f"{norm} size": size[:, -1],
        }
    return {name: SweptTensor((batches.name,), values, 4) for name, values in tensors.items()}


def _places(result: Result[CenteringSpecification]) -> Chart:
    s = result.specification
    places = [float(n) for n in range(1, len(s.norms) + 1)]
    norms = drawing_order(result.labels("norm"))
    most = max(float(_offsets(result, norm).max()) for norm in norms)
    ends = [0.5, places[-1] + 0.5]
    chance = [at_random(s.width)] * 2
    return chart(
        "|mean| / RMS before each norm",
        [
            *(
                norm_line(norm, places, f"{norm} offset", band=(f"{norm} low", f"{norm} high"))
                for norm in norms
            ),
            line("a random direction", "soft", ends, chance, width=1, dash="dot"),
        ],
        linear_axis("norm, in order", *ends, padded=False, ticks=places),
        linear_axis("|mean| / RMS", 0, 1.08 * most, padded=False),
        "The mean, divided by the root mean square, before each of the "
        f"{len(places)} norms, after {{batches}} batches: on average {{layer mean:3}} with "
        "LayerNorm and {rms mean:3} with RMSNorm.",
        height=HEIGHT,
    )


FIGURE = FigureSpec("means", build)
