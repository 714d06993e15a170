"""The border figure of /images: statistics of convolutional units at the border and inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import DIGIT_COUNT
from lnviz.explorable import Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.data_parameters import tensor_literal
from lnviz.lessons.images.border_views import MAPS, charts, pictures
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import CATALOGUE
from lnviz.topics.images import BANKS, KINDS
from lnviz.topics.images.border import ROUNDING, UnitStatistics, border, digit_units

LABELS = {"random": "random", "gabor": "edges and bars", "trained": "trained"}
NORMS = {
    "none": "nn.Identity()",
    "batch": "nn.BatchNorm2d(16)",
    "layer": "nn.LayerNorm((16, 8, 8))",
    "instance": "nn.InstanceNorm2d(16)",
}
RARE = Slider.linear("rare means below", 0.01, 0.5, 0.01, 0.1)
SHOWN = Choice("shown", tuple(Option(*each) for each in MAPS.items()), "share above 0")
OVER = ("filters", "border norm")
SIDE = 8
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True, eq=False)
class BorderStatistics:
    """Statistics of each convolutional unit over all images, for each filter bank and norm.

    Attributes:
        mean: the mean over the images.
        std: the standard deviation over the images.
        on: the fraction of images for which the unit is positive.
    """

    mean: Float[Tensor, "banks norms C H W"]
    std: Float[Tensor, "banks norms C H W"]
    on: Float[Tensor, "banks norms C H W"]


def build() -> Explorable:
    """Build maps of each unit's statistics, and charts that compare border and interior."""
    banks = {key: make() for key, make in BANKS.items()}
    statistics = _stacked(
        [[digit_units(bank, KINDS[key]) for key in NORMS] for bank in banks.values()]
    )
    weights = torch.stack([bank.weight for bank in banks.values()])
    captions = CAPTIONS.render(
        {
            "images": DIGIT_COUNT,
            "units": weights.shape[1] * SIDE**2,
            "rounding": f"{ROUNDING:.5f}",
        }
    )
    return Explorable(
        title=captions.title,
        controls=(
            Choice(
                "filters",
                tuple(
                    Option(
                        key,
                        LABELS[key],
                        code=f"torch.tensor({tensor_literal(b.weight.flatten(1))})",
                    )
                    for key, b in banks.items()
                ),
                "gabor",
            ),
            Choice(
                "border norm",
                tuple(Option(key, CATALOGUE[key].label, key, code) for key, code in NORMS.items()),
                "layer",
            ),
            SHOWN,
            RARE,
        ),
        tensors={
            "weights": SweptTensor(("filters",), weights.view(len(banks), 2, 8, 3, 3), 3),
            **_maps(statistics),
            **_unit_moments(statistics),
            **_rare_percentages(statistics),
            **_caption_values(statistics),
        },
        views=(
            pictures(),
            charts(RARE, statistics.mean, statistics.std),
            captions.readouts,
        ),
        code=load_program(__file__),
    )


def _stacked(rows: list[list[UnitStatistics]]) -> BorderStatistics:
    def each(name: str) -> Float[Tensor, "banks norms C H W"]:
        return torch.stack([torch.stack([getattr(one, name) for one in row]) for row in rows])

    return BorderStatistics(each("mean"), each("std"), each("on"))


def _maps(statistics: BorderStatistics) -> Mapping[str, SweptTensor]:
    """Return heat maps of three statistics of a unit by image position, one map per filter."""
    values = (statistics.mean, statistics.std, statistics.on)
    return {
        name: SweptTensor(OVER, each.unflatten(2, (2, 8)), 2)
        for name, each in zip(MAPS, values, strict=True)
    }


def _unit_moments(statistics: BorderStatistics) -> Mapping[str, SweptTensor]:
    """Return the mean and standard deviation of every unit, for border and interior separately."""
    edge = border(SIDE, SIDE)
    return {
        f"{where} {name}": SweptTensor(OVER, values[..., places].flatten(2), 2)
        for where, places in (("border", edge), ("inside", ~edge))
        for name, values in (("mean", statistics.mean), ("std", statistics.std))
    }


def _rare_percentages(statistics: BorderStatistics) -> Mapping[str, SweptTensor]:
    """Return the percentage of rarely active units, at each threshold of the slider."""
    below = torch.tensor(RARE.values)
    edge = border(SIDE, SIDE)
    return {
        f"{where} rare": SweptTensor(
            (*OVER, RARE.name),
            100 * (statistics.on[..., places].flatten(2)[..., None] < below).float().mean(2),
            1,
        )
        for where, places in (("border", edge), ("inside", ~edge))
    }


def _caption_values(statistics: BorderStatistics) -> Mapping[str, SweptTensor]:
    """Return numbers for the captions: statistics of selected units, and spread of unit means."""
    std, mean = statistics.std.flatten(2), statistics.mean.flatten(2)
    order = std.argsort(dim=2, stable=True)
    ranks = {
        "least": order[..., 0],
        "median": order[..., std.shape[2] // 2],
        "most": order[..., -1],
    }

    def of(values: Float[Tensor, "banks norms units"], name: str) -> Float[Tensor, "banks norms"]:
        return values.gather(2, ranks[name][..., None])[..., 0]

    tensors = {f"{name} std": SweptTensor(OVER, of(std, name), 3) for name in ranks}
    tensors |= {
        f"{name} mean": SweptTensor(OVER, of(mean, name), 2) for name in ("least", "median")
    }
    places = {"filter": ranks["least"] // SIDE**2, "row": ranks["least"] // SIDE % SIDE}
    places["column"] = ranks["least"] % SIDE
    tensors |= {f"least {name}": SweptTensor(OVER, at + 1, 0) for name, at in places.items()}
    apart = mean.std(2, correction=0)
    for at, key in enumerate(NORMS):
        if key != "none":
            tensors[f"{key} apart"] = SweptTensor(OVER[:1], apart[:, at], 2)
    return tensors


# Rounding may put a unit on either side of the slider's threshold.
ONE_UNIT = 1 / (16 * 28)


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for share, where in zip(printed, ("border", "inside"), strict=True):
        yield share, shown.lookup(f"{where} rare", state) / 100


FIGURE = FigureSpec(
    "border", build, cpu_seconds=0.8, program_output=ProgramOutput(_printed, ONE_UNIT)
)
