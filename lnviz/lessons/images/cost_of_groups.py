"""The cost-of-groups figure of /images: accuracy of a small network, by GroupNorm's group count."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis, log_axis
from lnviz.lessons.charts import ChartTrace, chart, norm_line
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.images.groups import CHANNELS, COUNTS
from lnviz.topics.images.training import GROUPS

COUNT = Slider("number of groups", tuple(map(float, COUNTS)), 4.0, 0, log=True)
BATCH = "batch size"
CAPTIONS = load_captions(__file__)
ROOM = 0.01  # margin above and below, as a fraction of images


def build() -> Explorable:
    """Build charts of test accuracy against the number of groups and against the batch size."""
    sizes = GROUPS.result.specification.batches
    batch = Slider(BATCH, tuple(map(float, sizes)), float(sizes[0]), 0, log=True)
    groups = torch.stack([_runs(str(count)) for count in COUNTS])  # groups,batches,runs
    others = {key: _runs(key) for key in ("batch", "none")}
    reach = _accuracy_range([groups, others["batch"]])
    said = _render_captions()
    return Explorable(
        title=said.title,
        controls=(batch, COUNT),
        tensors=_tensors(groups, others),
        views=(
            (_over_groups(reach), _over_batches(batch, reach)),
            said.readouts,
        ),
        code=load_program(__file__),
    )


def _runs(key: str) -> Float[Tensor, "batches runs"]:
    return GROUPS.result.tensor("accuracy", "batch_size", "seed", norm=key)


def _accuracy_range(values: Sequence[Float[Tensor, "..."]]) -> tuple[float, float]:
    """Return the ends of an accuracy axis that contains all runs."""
    every = torch.cat([each.flatten() for each in values])
    low, high = every.min().item() - ROOM, min(1.0, every.max().item() + ROOM)
    return math.floor(100 * low) / 100, math.ceil(100 * high) / 100


def _tensors(
    groups: Float[Tensor, "groups batches runs"], others: dict[str, Float[Tensor, "batches runs"]]
) -> dict[str, SweptTensor]:
    """Return the mean, lowest and highest test accuracy over the seeds, by norm and batch size."""
    mean = groups.mean(-1)  # groups,batches
    tensors = {
        "best": SweptTensor((BATCH,), torch.tensor(COUNT.values)[mean.argmax(0)], 0),
        "best mean": SweptTensor((BATCH,), mean.amax(0), 4),
    }
    for end, values in _ends(groups).items():
        tensors[f"group {end}"] = SweptTensor((BATCH, COUNT.name), values.T, 4)
    for key, runs in others.items():
        for end, values in _ends(runs).items():
            tensors[f"{key} {end}"] = SweptTensor((BATCH,), values, 4)
    for end, values in _ends(others["batch"]).items():
        level = values[:, None].expand(-1, COUNT.size)
        tensors[f"batch level {end}"] = SweptTensor((BATCH,), level, 4)
    return tensors


def _ends(runs: Float[Tensor, "*at runs"]) -> dict[str, Float[Tensor, "*at"]]:
    return {"mean": runs.mean(-1), "low": runs.amin(-1), "high": runs.amax(-1)}


def _over_groups(reach: tuple[float, float]) -> Chart:
    level = ("batch level low", "batch level high")
    return chart(
        "By number of groups, in batches of {batch size}",
        [
            _group_norm_curve(COUNT),
            norm_line("batch", COUNT, "batch level mean", band=level, mark=None),
        ],
        _powers_of_two("groups, logarithmic", COUNT),
        linear_axis("test accuracy", *reach, padded=False),
        "Test accuracy by number of groups, in batches of {batch size}: {group mean:3} for "
        "GroupNorm at {number of groups}, {batch mean:3} for BatchNorm. Means, with the range of "
        "the seeds.",
    )


def _over_batches(batch: Slider, reach: tuple[float, float]) -> Chart:
    return chart(
        "By batch size; number of groups: {number of groups}",
        [
            _group_norm_curve(batch),
            norm_line("batch", batch, "batch mean", band=("batch low", "batch high"), mark=None),
        ],
        _powers_of_two("batch size, logarithmic", batch),
        linear_axis("test accuracy", *reach, padded=False),
        "Test accuracy by batch size: in batches of {batch size}, {group mean:3} for GroupNorm "
        "(number of groups: {number of groups}), {batch mean:3} for BatchNorm. Means, with the "
        "range over the seeds.",
    )


def _group_norm_curve(along: Slider) -> list[ChartTrace]:
    """Draw GroupNorm's mean accuracy as a curve, in a band from the lowest to the highest run."""
    return norm_line("group", along, "group mean", band=("group low", "group high"))


def _powers_of_two(title: str, control: Slider) -> ChartAxis:
    low, high = math.log2(control.values[0]), math.log2(control.values[-1])
    return log_axis(title, low, high, base=2, ticks=control.values)


def _render_captions() -> RenderedCaptions:
    result = GROUPS.result
    made = result.specification
    test = int(result.tensor("test_images"))
    return CAPTIONS.render(
        {
            "seeds": len(made.seeds),
            "channels": CHANNELS,
            "draws": made.images,
            "train": int(result.tensor("train_images")),
            "test": test,
            "one": 1 / test,
            "rate": made.rate,
        },
        {"ends": (CaptionVariant({COUNT.name: (float(COUNTS[-1]),)}),)},
    )


FIGURE = FigureSpec("cost-of-groups", build)
