"""A reproduction of the paper's section 6.6 on 10,000 images of MNIST."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, SweptTensor, load_program
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, short_log_axis, to_log10
from lnviz.lessons.charts import chart, drawing_order, norm_line
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import CATALOGUE
from lnviz.topics.lab.figure_six import FIGURE_SIX

SIZES = {"many": 128, "few": 4}
SIZE = Choice(
    "batch size",
    tuple(Option(key, f"batches of {size}", code=f"{size}") for key, size in SIZES.items()),
    "many",
)
ERROR, LOSS = "test_error", "loss"
SHOWN = Choice(
    "shown", (Option(ERROR, "error on new images"), Option(LOSS, "loss in training")), ERROR
)
UNITS = {ERROR: "wrong, %", LOSS: "loss, nats"}
ENDS = {ERROR: (1.0, 100.0), LOSS: (0.0001, 3.0)}
"""The ends of the axis; smaller values are drawn at its lower end."""
FORMATS = {ERROR: "1", LOSS: "g2"}
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build training curves of each norm, with a band over the seeds, for two batch sizes."""
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(SIZE, SHOWN),
        tensors=_tensors(),
        views=(
            tuple(_chart(key, shown) for key in SIZES for shown in ENDS),
            said.readouts,
        ),
        code=load_program(__file__),
    )


def metric_values(shown: str, norm: str) -> Float[Tensor, "sizes seeds points"]:
    """Return one norm's errors in percent, or losses in nats, by batch size in `SIZES`'s order."""
    found = FIGURE_SIX.result.tensor(shown, "batch_size", "seed", "point", norm=norm)
    order = [FIGURE_SIX.result.index("batch_size", size) for size in SIZES.values()]
    return found[order] * (100 if shown == ERROR else 1)


def _tensors() -> dict[str, SweptTensor]:
    tensors = {}
    for norm in FIGURE_SIX.result.labels("norm"):
        for shown, (least, _) in ENDS.items():
            seeds = metric_values(shown, norm)
            lines = {"mean": seeds.mean(1), "low": seeds.amin(1), "high": seeds.amax(1)}
            for name, of in lines.items():
                floor = torch.tensor(least).log10().item()
                drawn = to_log10(of, floor)
                tensors[f"{norm} {shown} {name}"] = SweptTensor((SIZE.name,), drawn, 3)
                tensors[f"{norm} {shown} {name} end"] = SweptTensor((SIZE.name,), of[:, -1], 5)
    return tensors


def _chart(key: str, shown: str) -> Chart:
    result, size = FIGURE_SIX.result, SIZES[key]
    label = SHOWN.options[list(ENDS).index(shown)].label.capitalize()
    steps = result.tensor("step", "point", batch_size=size).tolist()
    norms = drawing_order(result.labels("norm"))
    return chart(
        f"{label}, batches of {size}: mean and range of the seeds",
        [
            norm_line(
                norm,
                [float(step) for step in steps],
                f"{norm} {shown} mean",
                band=(f"{norm} {shown} low", f"{norm} {shown} high"),
            )
            for norm in norms
        ],
        linear_axis("batches learned from", 0, 1.03 * steps[-1], padded=False),
        short_log_axis(UNITS[shown], *ENDS[shown]),
        f"{label} during training with batches of {size}, logarithmic. "
        f"After {steps[-1]:,} of them: "
        + ", ".join(
            f"{{{norm} {shown} mean end:{FORMATS[shown]}}} {UNITS[shown].split(', ')[1]} with "
            f"{CATALOGUE[norm].label}"
            for norm in norms
        )
        + ".",
        height=340,
        when={SIZE.name: (key,), SHOWN.name: (shown,)},
    )


def _captions() -> RenderedCaptions:
    """Return the captions on the training, with settings read from the stored result."""
    result = FIGURE_SIX.result
    s = result.specification
    passes = [
        steps * size / int(result.tensor("train_images"))
        for size, steps in zip(s.batch_sizes, s.steps, strict=True)
    ]
    return CAPTIONS.render(
        {
            "seeds": len(s.seeds),
            "rate": s.rate,
            "large-steps": s.steps[0],
            "small-steps": s.steps[1],
            "large-passes": passes[0],
            "small-passes": passes[1],
            "train": int(result.tensor("train_images")),
            "test": int(result.tensor("test_images")),
            "made-with": result.header.made_with,
        }
    )


FIGURE = FigureSpec("repeated", build)
