"""The step figure of /geometry: how far a step moves a model, by direction and weight length."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import Mark, chart, marker, markers
from lnviz.lessons.geometry.model import SHOWN, curves, draw_model
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER, NONE
from lnviz.progress import subtasks
from lnviz.topics.geometry import FAMILIES, PARTS, Divergences, divergences

OCTAVE = 50
"""The number of positions from a weight length to twice that."""
OCTAVES = (-2, 2)
LOWEST = tuple(round(2 ** (i / OCTAVE + OCTAVES[0]), 4) for i in range(OCTAVE))
WEIGHTS = (
    # Rounded within the lowest octave, so that twice a position is a position, too.
    *(value * 2**k for k in range(OCTAVES[1] - OCTAVES[0] + 1) for value in LOWEST),
    2.0 ** (OCTAVES[1] + 1),
)
"""The weight lengths of the slider, and one octave more."""
WEIGHT = Slider("weight length", WEIGHTS[:-OCTAVE], 1.0, log=True, url_name="weight-norm")
DIRECTION = Slider.linear("direction", 0, 180, 1, 90)
SIZE = 0.01
BOTH = (WEIGHT.name, DIRECTION.name)

FAMILY = EnumParameter(
    "family",
    "The model predicts",
    tuple(Option(family.key, family.label) for family in FAMILIES.values()),
    "softmax",
)
PART = EnumParameter(
    "part", "What moves", tuple(Option(part, label) for part, label in PARTS.items()), "matrix"
)
SEED = IntParameter("seed", "Seed", 0, 9_999, 0, reroll_label="New model")
CAPTIONS = load_captions(__file__)


def build(family: str = "softmax", part: str = "matrix", seed: int = 0) -> Explorable:
    """Build charts of the divergence after one step, by weight length and by direction."""
    glm = draw_model(family, seed)
    moved = {
        norm.key: divergences(glm, norm, WEIGHTS, [SIZE], DIRECTION.values, part=part, seed=seed)
        for norm in subtasks(SHOWN)
    }
    exact = torch.stack([one.exact[: WEIGHT.size, 0] for one in moved.values()])  # norms,W,A
    # The curves fall to 0 where a step is parallel to the weight; the axis ends here.
    some = exact[..., DIRECTION.index(30) : DIRECTION.index(150)]
    low, high = math.floor(some.min().log10()), math.ceil(exact.max().log10())
    captions = CAPTIONS.render(variants={name: name == part for name in PARTS})
    return Explorable(
        title=captions.title,
        controls=(WEIGHT, DIRECTION),
        tensors=_tensors(moved, low),
        views=((_by_weight(low, high), _by_direction(low, high)), captions.readouts),
        code=load_program(__file__, family=repr(family), part=repr(part), seed=str(seed)),
    )


def _tensors(moved: dict[str, Divergences], low: int) -> dict[str, SweptTensor]:
    octaves = torch.tensor(WEIGHT.values).log2()
    twice = torch.where(octaves <= OCTAVES[1] - 1, octaves + 1, torch.nan)
    exact = {key: one.exact[:, 0] for key, one in moved.items()}  # W,A
    tensors = {
        key: SweptTensor(BOTH, to_log10(values[: WEIGHT.size], low), 2)
        for key, values in exact.items()
    }
    for key in (NONE.key, LAYER.key):
        known = torch.where(exact[key] > 1e-12, exact[key], torch.nan)  # 0 but for rounding
        limit = moved[key].quadratic[:, 0]
        tensors[f"{key} nats"] = SweptTensor(
            BOTH, _drop_low_bits(known[: WEIGHT.size].nan_to_num())
        )
        tensors[f"{key} share"] = SweptTensor(BOTH, _ratio_at_twice_length(known), 4)
        tensors[f"{key} limit"] = SweptTensor(
            BOTH, _ratio_at_twice_length(limit.where(known > 0, torch.nan)), 4
        )
    pair = torch.stack([exact[LAYER.key][: WEIGHT.size], exact[LAYER.key][OCTAVE:]], -1)  # W,A,2
    return tensors | {
        "pair": SweptTensor(BOTH, to_log10(pair, low), 2),
        "at": SweptTensor((WEIGHT.name,), torch.stack([octaves, twice], -1), 3),
        "twice": SweptTensor((WEIGHT.name,), 2 * torch.tensor(WEIGHT.values)),
        "sigma": SweptTensor((WEIGHT.name,), moved[LAYER.key].sigma[: WEIGHT.size].float()),
    }


def _ratio_at_twice_length(values: Float[Tensor, "weights A"]) -> Float[Tensor, "W A"]:
    """Return the factor by which the divergence changes when the length of the weights doubles."""
    return (values[OCTAVE:] / values[:-OCTAVE]).float()


def _drop_low_bits(values: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Zero the last 12 bits of float32 values, to halve the download; three digits remain."""
    return (values.float().view(torch.int32) & ~0xFFF).view(torch.float32)


def _by_weight(low: int, high: int) -> Chart:
    octaves = range(OCTAVES[0], OCTAVES[1] + 1)
    return chart(
        "By weight length, at direction {direction}",
        [
            curves(WEIGHT, [norm.key for norm in SHOWN]),
            markers(LAYER.key, "at", "pair"),
            marker(WEIGHT, low, Mark("triangle-up")),
        ],
        log_axis(WEIGHT.name, *OCTAVES, base=2, ticks=[2.0**octave for octave in octaves]),
        log_axis("divergence, nats", low, high, floor=True),
        f"Divergence by weight length. {_NOW}",
        height=340,
    )


def _by_direction(low: int, high: int) -> Chart:
    return chart(
        "By direction, at weight length {weight length}",
        [
            curves(DIRECTION, [norm.key for norm in SHOWN]),
            marker(DIRECTION, low, Mark("triangle-up")),
        ],
        linear_axis("direction, in degrees", 0.0, 180.0, ticks=range(0, 181, 30)),
        log_axis("divergence, nats", low, high, floor=True),
        f"Divergence by direction. {_NOW}",
        height=340,
    )


_NOW = (
    "At weight length {weight length} and direction {direction}, the step moves the model by "
    "{none nats:g3} nats without a norm and by {layer nats:g3} with LayerNorm."
)


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    floor = min(float(shown.tensors[norm.key].values.min()) for norm in SHOWN)
    drawn = torch.stack([shown.lookup(norm.key, state) for norm in SHOWN])
    yield to_log10(printed[0], floor), drawn


FIGURE = FigureSpec(
    "step", build, (FAMILY, PART, SEED), cpu_seconds=1.0, program_output=ProgramOutput(_printed)
)
