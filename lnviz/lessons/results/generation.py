"""The paper's DRAW results on binarized MNIST: two bars on an axis with an adjustable start."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import bars, chart, labels
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.topics.paper import DRAW, cut

START = Slider.linear("axis begins at", 0, 82, 0.5, 0)
TOP = 82.5  # nats
PIXELS = 28 * 28
CAPTIONS = load_captions(__file__)
MOST_TICKS = 8
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # between ticks, in nats


def build() -> Explorable:
    """Build a chart of two bars on a truncated axis, and of their difference."""
    values = DRAW.values[:, 0]
    starts = torch.tensor(START.values, dtype=torch.float64)
    shown = cut(values, starts, TOP)
    ticks, places = _ticks(starts)
    over = (START.name,)
    first, second = DRAW.models
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(START,),
        tensors={
            first.key: SweptTensor(over, shown.heights[:, :1].contiguous(), 4),
            second.key: SweptTensor(over, shown.heights[:, 1:].contiguous(), 4),
            "numbers": SweptTensor(over, shown.heights, 4),
            "ticks": SweptTensor(over, places, 4),
            "ratio": SweptTensor(over, 100 * shown.ratio, 1),
            "exaggeration": SweptTensor(over, shown.exaggeration, 3),
            "cut": SweptTensor(over, shown.exaggeration.where(starts > 0, torch.nan), 3),
        },
        views=((_chart(ticks),), said.readouts),
        code=load_program(__file__, nats=f"torch.tensor({values.tolist()}, dtype=torch.float64)"),
    )


def _ticks(
    starts: Float[Tensor, " starts"],
) -> tuple[list[str], Float[Tensor, "starts ticks"]]:
    """Return tick labels, and their heights for each start of the axis; NaN for hidden ticks."""
    tenths = torch.arange(round(10 * TOP) + 1)  # integers have exact multiples
    steps = torch.tensor([round(10 * step) for step in STEPS])
    reach = 10 * (TOP - starts)  # S
    taken = steps[
        (reach[:, None] / steps <= MOST_TICKS).int().argmax(1)
    ]  # S: the finest step that fits
    shown = (tenths % taken[:, None] == 0) & (tenths >= 10 * starts[:, None])  # S,T
    places = (tenths.double() / 10 - starts[:, None]) / (TOP - starts[:, None])
    used = shown.any(0)
    labels = [f"{tenth / 10:g}" for tenth in tenths[used].tolist()]
    return labels, places.where(shown, torch.nan)[:, used]


def _chart(ticks: list[str]) -> Chart:
    first, second = DRAW.models
    values = [row[0] for row in DRAW.rows]
    numbers = [f"{model.label}: {value}" for model, value in zip(DRAW.models, values, strict=True)]
    return chart(
        "Test bound of DRAW after 200 epochs, on an axis from {axis begins at}",
        [
            *(
                bars(model.label, model.norm, [float(at)], model.key, width=0.6)
                for at, model in enumerate((first, second))
            ),
            # Tick labels at heights that follow the axis, including those beyond it.
            labels([0.0, 1.0], "numbers", numbers, "top center", cliponaxis=False),
            labels(
                [-0.36] * len(ticks),
                "ticks",
                [f"{tick} –" for tick in ticks],
                "middle left",
                cliponaxis=False,
            ),
        ],
        linear_axis("", -0.62, 1.45, padded=False, visible=False),
        linear_axis(
            "nats per image, lower is better", -0.04, 1.12, padded=False, ticks=(), zeroline=True
        ),
        f"Two bars on an axis from {{axis begins at}} to {TOP:g}: the second looks {{ratio:1}}% as "
        f"high as the first. {first.label} has {values[0]} nats, {second.label} {values[1]}.",
        height=340,
        legend=False,
    )


def _captions() -> RenderedCaptions:
    """Return the captions: one on the bars of the two models, one on other metrics of their gap."""
    (before,), (after,) = DRAW.values.tolist()
    gain = float(DRAW.gains[0, 1, 0])
    return CAPTIONS.render(
        {
            "before": before,
            "after": after,
            "share": 100 * after / before,
            "gain": gain,
            "part": 100 * gain / before,
            "each": gain / PIXELS,
            "pixels": PIXELS,
            "times": math.exp(gain),
            "source": DRAW.source,
        }
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    ratio, exaggeration = printed
    yield 100 * ratio, shown.lookup("ratio", state)
    yield exaggeration, shown.lookup("exaggeration", state)


FIGURE = FigureSpec("generation", build, program_output=ProgramOutput(_printed))
