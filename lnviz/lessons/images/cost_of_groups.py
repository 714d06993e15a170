"""A small convolutional network under each number of groups, and under BatchNorm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Readout, Slider, Swept, program
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import band, legend, mark, norm_line, span
from lnviz.topics.images.groups import CHANNELS, COUNTS
from lnviz.topics.images.training import GROUPS

COUNT = Slider("number of groups", tuple(map(float, COUNTS)), 4.0, 0, log=True)
BATCH = "batch size"
ROOM = 0.01  # of the share of images, above and below what is drawn


def build() -> Explorable:
    """Accuracy over the number of groups at a batch size, and over batch sizes at a number."""
    sizes = GROUPS.result.specification.batches
    batch = Slider(BATCH, tuple(map(float, sizes)), float(sizes[0]), 0, log=True)
    groups = torch.stack([_runs(str(count)) for count in COUNTS])  # groups,batches,runs
    others = {key: _runs(key) for key in ("batch", "none")}
    reach = _reach([groups, others["batch"]])
    return Explorable(
        title="Between LayerNorm and InstanceNorm",
        controls=(batch, COUNT),
        tensors=_tensors(groups, others, batch.values),
        views=(
            (_over_groups(reach), _over_batches(others["batch"], sizes, reach)),
            _words(),
        ),
        code=program(__file__),
    )


def _runs(key: str) -> Float[Tensor, "batches runs"]:
    return GROUPS.result.tensor("accuracy", "batch_size", "seed", norm=key)


def _reach(values: Sequence[Float[Tensor, "..."]]) -> list[float]:
    """An axis that holds everything drawn."""
    every = torch.cat([each.flatten() for each in values])
    low, high = every.min().item() - ROOM, min(1.0, every.max().item() + ROOM)
    return [math.floor(100 * low) / 100, math.ceil(100 * high) / 100]


def _tensors(
    groups: Float[Tensor, "groups batches runs"],
    others: dict[str, Float[Tensor, "batches runs"]],
    sizes: Sequence[float],
) -> dict[str, Swept]:
    """Means and ends over the seeds: as curves along each slider, and where both stand."""
    low, high, mean = groups.amin(-1), groups.amax(-1), groups.mean(-1)  # groups,batches
    counts = torch.tensor(COUNT.values).log2()
    tensors = {
        "at groups": Swept((BATCH,), mean.T, 4),
        "at groups band": Swept((BATCH,), torch.cat([high, low.flip(0)]).T, 4),
        "at batches": Swept((COUNT.name,), mean, 4),
        "at batches band": Swept((COUNT.name,), torch.cat([high, low.flip(1)], 1), 4),
        "group mean": Swept((BATCH, COUNT.name), mean.T, 4),
        "group low": Swept((BATCH, COUNT.name), low.T, 4),
        "group high": Swept((BATCH, COUNT.name), high.T, 4),
        "groups at": Swept((COUNT.name,), counts, 4),
        "batch at": Swept((BATCH,), torch.tensor(sizes).log2(), 4),
        "best": Swept((BATCH,), torch.tensor(COUNT.values)[mean.argmax(0)], 0),
        "best mean": Swept((BATCH,), mean.amax(0), 4),
    }
    for key, values in others.items():
        ends = {"mean": values.mean(-1), "low": values.amin(-1), "high": values.amax(-1)}
        tensors |= {f"{key} {name}": Swept((BATCH,), value, 4) for name, value in ends.items()}
        level = ends["mean"][:, None].expand(-1, len(counts))
        tensors[f"{key} level"] = Swept((BATCH,), level, 4)
        sides = torch.stack([ends["high"]] * len(counts) + [ends["low"]] * len(counts), 1)
        tensors[f"{key} band"] = Swept((BATCH,), sides, 4)
    return tensors


def _over_groups(reach: list[float]) -> Chart:
    return Chart(
        "Against the number of groups, at batches of {batch size}",
        _curves(COUNTS, "groups, logarithmic", reach, torch.zeros(len(COUNTS), 1)),
        {
            0: {"y": "at groups band"},
            1: {"y": "batch band"},
            2: {"y": "at groups"},
            3: {"y": "batch level"},
            4: {"x": "groups at", "y": "group mean"},
        },
        "Share of test images named right against the number of groups, in batches of "
        "{batch size}: mean and range over the seeds. GroupNorm at {number of groups}: "
        "{group mean:3}. BatchNorm: {batch mean:3}.",
    )


def _over_batches(
    batch: Float[Tensor, "batches runs"], sizes: Sequence[int], reach: list[float]
) -> Chart:
    return Chart(
        "Against the batch size; number of groups: {number of groups}",
        _curves(sizes, "batch size, logarithmic", reach, batch),
        {
            0: {"y": "at batches band"},
            2: {"y": "at batches"},
            4: {"x": "batch at", "y": "group mean"},
        },
        "Share of test images named right against the batch size: mean and range over the seeds, "
        "of BatchNorm, and of GroupNorm (number of groups: {number of groups}). In batches of "
        "{batch size} GroupNorm: {group mean:3}, BatchNorm: {batch mean:3}.",
    )


def _curves(
    ticks: Sequence[int],
    title: str,
    reach: list[float],
    batch: Float[Tensor, "ticks runs"],
) -> go.Figure:
    """GroupNorm's curve with its mark beside BatchNorm's, both with the range of the runs."""
    x = [math.log2(tick) for tick in ticks]
    start = [0.0] * len(x)  # what is bound comes from the tensors
    figure = go.Figure(
        [
            band("group", x, start, start),
            band("batch", x, batch.amin(1).tolist(), batch.amax(1).tolist()),
            norm_line("group", x),
            norm_line("batch", x, y=batch.mean(1).tolist()),
            mark(token="group"),
        ]
    )
    figure.update_xaxes(range=span(x), tickvals=x, ticktext=list(map(str, ticks)), title=title)
    figure.update_yaxes(range=reach, title="share named right")
    legend(figure)
    return figure


def _words() -> tuple[Readout, ...]:
    def run(key: str) -> str:
        return f"{{{key} mean:3 value}} (from {{{key} low:3}} to {{{key} high:3}})"

    result = GROUPS.result
    made = result.specification
    train, test = (int(result.tensor(f"{of}_images")) for of in ("train", "test"))
    return (
        Readout(
            f"Share named right, mean and range of {len(made.seeds)} seeds; number of "
            f"groups: {{number of groups}}. GroupNorm {run('group')}, BatchNorm {run('batch')}, "
            f"no norm {run('none')}."
        ),
        Readout(
            "In batches of {batch size} GroupNorm names most images right with {best:0} groups, "
            "{best mean:3 value}.",
            "verdict",
        ),
        Readout(
            "1 group: this is LayerNorm over C, H, W.",
            "verdict",
            {COUNT.name: (float(COUNTS[0]),)},
        ),
        Readout(
            f"{CHANNELS} groups, one for each channel: this is InstanceNorm.",
            "verdict",
            {COUNT.name: (float(COUNTS[-1]),)},
        ),
        Readout(
            f"Three convolutions of {CHANNELS} filters learned from {made.images:,} draws out of "
            f"{train:,} digits and are asked about {test} others: one image more or "
            f"less is {1 / test:.4f}. The learning rate is {made.rate:g} at a batch of 32, "
            "and goes with the batch size."
        ),
    )


FIGURE = Figure("cost-of-groups", build)
