"""The gradient of the last layer at initialization, against the number of layers."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import log_axis, to_log10
from lnviz.lessons.charts import chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.number_format import number
from lnviz.topics.transformer import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.setups import SETUPS, InitializationExperiment
from lnviz.topics.transformer.theory import Gradients, last_layer

COLORS = {POST.key: "ink", PRE.key: "layer"}
"""The theme colors of Post-LN and Pre-LN, which the figure compares."""
DEEPEST = 48
LAYERS = Slider("layers", tuple(map(float, range(1, DEEPEST + 1))), 12.0, decimals=0)
DEEP = DEEPEST // 2  # from here on, the first layers no longer matter
SETUP = EnumParameter(
    "setup", "Setup", tuple(Option(key, setup.label) for key, setup in SETUPS.items()), "theory"
)
RULES = {POST.key: ("constant", 0.0, "dash"), PRE.key: ("1/√layers", -0.5, "dot")}
"""The exponent of the number of layers in the gradient's bound, and its line style. Source: Xiong
et al. 2020, theorem 1.

Source: Xiong et al. 2020, theorem 1.
"""
TICKS = (1, 2, 3, 6, 12, 24, 48)
HEIGHTS = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
ByPlacement = Mapping[str, Gradients]
CAPTIONS = load_captions(__file__)


def build(setup: str = "theory") -> Explorable:
    """Build a chart of Post-LN and Pre-LN gradients against depth, with the theory's slopes."""
    experiment = InitializationExperiment(setup=setup, width=64)
    by_placement = last_layer(tuple(COLORS), [int(depth) for depth in LAYERS.values], experiment)
    said = _captions(by_placement, experiment)
    return Explorable(
        title=said.title,
        controls=(LAYERS,),
        tensors=_tensors(by_placement),
        views=((_chart(by_placement, setup),), said.readouts),
        code=load_program(__file__) if setup == "theory" else "",
    )


def _tensors(by_placement: ByPlacement) -> dict[str, SweptTensor]:
    """Return the values that captions quote, for each number of layers."""
    numbers: dict[str, Tensor] = {}
    for key, gradients in by_placement.items():
        numbers |= {f"{key} {of}": getattr(gradients, of) for of in ("mean", "low", "high")}
    means = torch.stack([by_placement[key].mean for key in COLORS], -1)  # L,2
    numbers["ratio"] = means[:, 0] / means[:, 1]
    return {
        name: SweptTensor((LAYERS.name,), values.contiguous(), 4)
        for name, values in numbers.items()
    }


def _line(gradients: Gradients, power: float) -> Float[Tensor, " L"]:
    """Return log10 of the best-fitting power law of gradients in depth, for a given exponent."""
    depths, means = to_log10(torch.tensor(LAYERS.values)), to_log10(gradients.mean)
    return power * depths + (means - power * depths).mean()


def _chart(by_placement: ByPlacement, setup: str) -> Chart:
    low, high = torch.stack([gradients.values for gradients in by_placement.values()]).aminmax()
    first, last = math.log10(LAYERS.values[0]), math.log10(LAYERS.values[-1])
    return chart(
        f"Gradient of the last layer’s second feed-forward matrix; setup: {SETUPS[setup].label}",
        [
            *(
                line(
                    PLACEMENTS[key].label,
                    color,
                    LAYERS,
                    to_log10(by_placement[key].mean),
                    band=(to_log10(by_placement[key].low), to_log10(by_placement[key].high)),
                )
                for key, color in COLORS.items()
            ),
            *(
                line(
                    rule,
                    "soft",
                    LAYERS,
                    _line(by_placement[key], power),
                    width=1.5,
                    dash=dash,
                    mark=None,
                )
                for key, (rule, power, dash) in RULES.items()
            ),
        ],
        log_axis("layers", first, last, ticks=TICKS),
        log_axis(
            "length of the gradient",
            math.log10(float(low)),
            math.log10(float(high)),
            ticks=HEIGHTS,
        ),
        "How the gradient of the last layer’s second feed-forward matrix changes with depth. At "
        "depth {layers}, its length is {post mean:2} in Post-LN and {pre mean:2} in Pre-LN. Both "
        "axes are logarithmic; bands show the seeds.",
        height=400,
    )


def _captions(by_placement: ByPlacement, experiment: InitializationExperiment) -> RenderedCaptions:
    """Return the captions on the networks, and on the exponents of the fitted power laws."""
    setup = SETUPS[experiment.setup]
    drawn = () if setup.uses_text else (CaptionVariant({}, {"classes": experiment.classes}),)
    numbers: dict[str, float | str] = {
        "seeds": len(experiment.seeds),
        "setup": setup.description,
        "which": setup.label,
        "width": experiment.width,
        "positions": experiment.cases,
        "deep": DEEP,
    }
    for key, each in by_placement.items():
        numbers |= {f"{key}-all": _slope(each, 1), f"{key}-deep": _slope(each, DEEP)}
    return CAPTIONS.render(numbers, {"drawn": drawn})


def _slope(gradients: Gradients, start: int) -> str:
    deeper = Gradients(gradients.layers[start - 1 :], gradients.values[start - 1 :])
    return number(deeper.slope)


FIGURE = FigureSpec("depth", build, (SETUP,), cpu_seconds=1.5)
