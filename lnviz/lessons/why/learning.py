"""Deep networks that learn to read digits, from small weights to large ones."""

from __future__ import annotations

import math

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, Swept, program
from lnviz.lessons.chart_axes import decades, linear, powers
from lnviz.lessons.charts import chart, norm_line, threshold
from lnviz.lessons.lesson import Figure
from lnviz.lessons.words import Case, Said, words
from lnviz.results.stored import Result
from lnviz.topics.depth.learning import DEEP, WIDE, Specification

Compared = Result[Specification]
NAMES = {"none": "without a norm", "layer": "with LayerNorm"}
LEARNED = 0.5  # share named right from which a network counts as having learned
GUESSING = 0.1
FLOOR = -3.0
"""Losses below 10 to this power are drawn there."""
WORDS = words(__file__)


def build() -> Explorable:
    """Build accuracy against the weights' scale at the start, and the loss on the way there."""
    wide, deep = WIDE.result, DEEP.result
    scales = wide.specification.scales
    scale = Slider("starting scale", scales, 1.0, decimals=3)
    said = _said(wide, deep)
    return Explorable(
        title=said.title,
        controls=(scale,),
        tensors=_tensors(wide, scale),
        views=(
            (_accuracies(wide, scale), _losses(wide)),
            said.readouts,
        ),
        code=program(__file__),
    )


def _losses_of(comparison: Compared, norm: str) -> Float[Tensor, "scales seeds points"]:
    return comparison.tensor("loss", "scale", "seed", "step", norm=norm)


def _right(comparison: Compared, norm: str) -> Float[Tensor, "scales seeds"]:
    return comparison.tensor("accuracy", "scale", "seed", norm=norm)


def _tensors(wide: Compared, scale: Slider) -> dict[str, Swept]:
    """Means over the seeds, with the lowest and the highest, at every weight scale."""
    tensors: dict[str, Tensor] = {}
    for norm in wide.names("norm"):
        right, losses = _right(wide, norm), _losses_of(wide, norm)
        (worst, best), (low, high) = right.aminmax(dim=1), losses.aminmax(dim=1)
        tensors |= {f"{norm} right": right.mean(1), f"{norm} worst": worst, f"{norm} best": best}
        tensors[f"{norm} loss"] = decades(losses.mean(1), FLOOR)
        tensors[f"{norm} end"] = tensors[f"{norm} loss"][:, -1]
        tensors |= {f"{norm} low": decades(low, FLOOR), f"{norm} high": decades(high, FLOOR)}
    return {name: Swept((scale.name,), values, 4) for name, values in tensors.items()}


def _accuracies(wide: Compared, scale: Slider) -> Chart:
    s = wide.specification
    right = {norm: _right(wide, norm) for norm in wide.names("norm")}
    curves = [
        norm_line(norm, scale, shares.mean(1), band=(shares.amin(1), shares.amax(1)))
        for norm, shares in right.items()
    ]
    ends = math.log10(scale.values[0]), math.log10(scale.values[-1])
    return chart(
        f"Named right after {s.steps} batches: mean and range of {len(s.seeds)} seeds",
        [*curves, threshold(GUESSING, "guessing")],
        powers("weight scale at the start", *ends, ticks=(0.5, 0.7, 1, 1.4, 2)),
        linear("share named right", 0, 1.04, room=False),
        "Share of test images named right, against the weight scale at the start. At "
        "{starting scale} it is "
        + " and ".join(f"{{{norm} right:2}} {NAMES[norm]}" for norm in right)
        + ".",
        height=340,
    )


def _losses(wide: Compared) -> Chart:
    points = [float(step) for step in wide.axes["step"]]
    norms = wide.names("norm")
    top = max(float(_losses_of(wide, norm).max()) for norm in norms)
    return chart(
        "Loss in training, from weight scale {starting scale}",
        [
            norm_line(norm, points, f"{norm} loss", band=(f"{norm} low", f"{norm} high"))
            for norm in norms
        ],
        linear("batches", 0, 1.03 * points[-1], room=False),
        powers("loss, nats", FLOOR, math.ceil(math.log10(top)), floor=True),
        "Loss in training by batches, logarithmic, from weight scale {starting scale}: at the end "
        + " and ".join(f"{{{norm} end:d2}} {NAMES[norm]}" for norm in norms)
        + ".",
        height=340,
    )


def _said(wide: Compared, deep: Compared) -> Said:
    """What was trained, and from which scales it learned, from the result itself."""
    s = wide.specification
    reached = {norm: _reached(wide, norm) for norm in wide.names("norm")}
    return WORDS.said(
        {
            "learned": LEARNED,
            "scales": len(s.scales),
            "deep-layers": deep.specification.layers,
            "deep-scale": deep.specification.scales[0],
            "none-deep": float(_right(deep, "none").mean()),
            "layer-deep": float(_right(deep, "layer").mean()),
            "guessing": GUESSING,
            "layers": s.layers,
            "train": int(wide.tensor("train_images")),
            "test": int(wide.tensor("test_images")),
            "batch": s.batch,
            "steps": s.steps,
            "rate": s.rate,
            "first-seed": s.seeds[0],
            "last-seed": s.seeds[-1],
            "made-with": wide.header.made_with,
        },
        {
            "learned from some": tuple(
                Case(
                    {},
                    {
                        "norm": NAMES[norm],
                        "count": len(scales),
                        "first": scales[0],
                        "last": scales[-1],
                    },
                )
                for norm, scales in reached.items()
                if scales
            ),
            "learned from none": tuple(
                Case({}, {"norm": NAMES[norm]}) for norm, scales in reached.items() if not scales
            ),
        },
    )


def _reached(wide: Compared, norm: str) -> list[float]:
    """The weight scales from which the networks with a norm learn at all."""
    mean = _right(wide, norm).mean(1).tolist()
    return [
        scale
        for scale, right in zip(wide.specification.scales, mean, strict=True)
        if right > LEARNED
    ]


FIGURE = Figure("learning", build)
