"""The regularizer figure of /batch: overfitting to a few hundred images, by batch size."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    ViewRow,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import chart, mean_with_range
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import CATALOGUE
from lnviz.topics.batch.regularizer import REGULARIZER, label

MEASURE = Choice(
    "measure", (Option("error", "error rate"), Option("loss", "cross-entropy")), "error"
)
CAPTIONS = load_captions(__file__)
CHARTS = {
    "gap": "The gap: test minus training",
    "test": "On the test images",
    "train": "On the training images",
}


def build() -> Explorable:
    """Build charts of the gap between test and training results against batch size, by norm."""
    result = REGULARIZER.result
    sizes = tuple(map(float, result.specification.sizes))
    size = Slider("mini-batch", sizes, 16.0, decimals=0, log=True)
    over = (MEASURE.name, size.name)
    tensors = {}
    for what in CHARTS:
        means = torch.stack([_means(what, option.value) for option in MEASURE.options])  # M,S,K
        for at, key in enumerate(_norms()):
            tensors[f"{key} {what}"] = SweptTensor(over, means[..., at].contiguous(), 4)
    said = _render_captions()
    return Explorable(
        title=said.title,
        controls=(size, MEASURE),
        tensors=tensors,
        views=(
            *_rows(size),
            said.readouts,
        ),
        code=load_program(__file__),
    )


def _norms() -> tuple[str, ...]:
    return REGULARIZER.result.labels("norm")


def _runs(key: str, what: str, measure: str) -> Float[Tensor, "sizes runs"]:
    """Return the training results, the test results or their gap, for all networks with a norm."""
    train, test = (
        REGULARIZER.result.tensor(f"{of}_{measure}", "batch_size", "seed", norm=key)
        for of in ("train", "test")
    )
    return {"train": train, "test": test, "gap": test - train}[what]


def _means(what: str, measure: str) -> Float[Tensor, "sizes norms"]:
    return torch.stack([_runs(key, what, measure).mean(1) for key in _norms()], 1)


def _rows(size: Slider) -> tuple[ViewRow, ...]:
    """Return two rows of charts: the generalization gap, then the test and training results."""
    shown = [option.value for option in MEASURE.options]
    return (
        tuple(_chart("gap", measure, size) for measure in shown),
        tuple(_chart(what, measure, size) for measure in shown for what in ("test", "train")),
    )


def _chart(what: str, measure: str, size: Slider) -> Chart:
    low, high = math.log2(size.values[0]), math.log2(size.values[-1])
    networks = {key: _runs(key, what, measure) for key in _norms()}
    curves = [
        mean_with_range(
            label(key),
            _token(key),
            size,
            measured,
            dash="dot" if key == "ghost" else CATALOGUE[key].dash,
        )
        for key, measured in networks.items()
    ]
    drawn = torch.cat([measured.flatten() for measured in networks.values()])
    said = "; ".join(f"{label(key)} {{{key} {what}:3}}" for key in networks)
    return chart(
        CHARTS[what],
        curves,
        log_axis("batch size", low, high, base=2, ticks=size.values),
        linear_axis(
            MEASURE.label(MEASURE.index(measure)), min(0.0, float(drawn.min())), float(drawn.max())
        ),
        f"{CHARTS[what]}: {{measure}} by batch size, means with bands over all seeds. At "
        f"{{mini-batch}}: {said}.",
        height=340 if what == "gap" else 300,
        when={MEASURE.name: (measure,)},
    )


def _token(key: str) -> str:
    return "batch" if key == "ghost" else key


def _render_captions() -> RenderedCaptions:
    result = REGULARIZER.result
    s = result.specification
    return CAPTIONS.render(
        {
            "units": s.units,
            "images": s.images,
            "others": int(result.tensor("test_images")),
            "epochs": s.epochs,
            "most": s.epochs * (s.images // s.sizes[0]),
            "fewest": s.epochs * (s.images // s.sizes[-1]),
            "smallest": s.sizes[0],
            "largest": s.sizes[-1],
            "rate": s.rate,
            "first": s.seeds[0],
            "last": s.seeds[-1],
            "seeds": len(s.seeds),
            "made": result.header.made_with,
        },
        {"measure": tuple(_notable_sizes(option.value) for option in MEASURE.options)},
    )


def _notable_sizes(measure: str) -> CaptionVariant:
    """Return the caption on the batch sizes of smallest gap, largest gap and best test result."""
    sizes = REGULARIZER.result.specification.sizes
    values: dict[str, float] = {}
    for key in ("batch", "ghost"):
        gap, test = (_runs(key, what, measure).mean(1) for what in ("gap", "test"))
        values |= {
            f"{key}-least": sizes[int(gap.argmin())],
            f"{key}-most": sizes[int(gap.argmax())],
        }
        values |= {f"{key}-best": sizes[int(test.argmin())]}
    return CaptionVariant({MEASURE.name: (measure,)}, values)


FIGURE = FigureSpec("regularizer", build)
