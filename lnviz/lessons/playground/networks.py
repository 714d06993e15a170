"""The playground figure: results of all networks under four norms, and outputs of one network."""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.device import device
from lnviz.explorable import CUSTOM as BROUGHT
from lnviz.explorable import (
    CellPicker,
    Choice,
    Control,
    EnumParameter,
    Explorable,
    Option,
    ParameterError,
    Slider,
    SweptTensor,
    Toggle,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.playground import written
from lnviz.lessons.playground.views import (
    ALIVE,
    AXES,
    CODES,
    COLORS,
    MAPS,
    NAMES,
    NETWORK,
    NORM,
    PALEST,
    RIGHT,
    SHARES,
    STEP,
    UNKNOWN,
    playground_views,
)
from lnviz.results.arrays import ArrayDataset
from lnviz.topics.playground import stored
from lnviz.topics.playground.data import FIGURES, OWN, PointsError, Sample, plane, points
from lnviz.topics.playground.network import UNITS
from lnviz.topics.playground.specification import BATCH, LAYERS, PLACES, PlaygroundSpecification
from lnviz.topics.playground.trained import BRIGHT, FULL, NOTHING, OVERFLOWED, networks

DATA = EnumParameter(
    "data",
    "Data",
    tuple(Option(key, label) for key, (label, *_) in FIGURES.items()),
    "spiral",
    custom_prefixes=(OWN,),
    accepts="points",
)
BIAS = EnumParameter(
    "bias", "Bias before the norm", (Option("with", "with"), Option("without", "without")), "with"
)
ACROSS = EnumParameter(
    "across",
    "Horizontal axis",
    tuple(Option(key, axis.label) for key, axis in AXES.items()),
    "depth",
    when={BIAS.name: (BIAS.start,)},  # results without a bias are stored by depth only
)
BLOCKS = EnumParameter(
    "blocks",
    "Connections",
    (Option("residual", "residual"), Option("plain", "plain stack")),
    "residual",
    # other results are stored for plain stacks only
    when={BIAS.name: (BIAS.start,), ACROSS.name: (ACROSS.start,)},
)
OWN_DEPTHS = PLACES["depth"][:-1]
"""Depths of the networks that learn a reader's own points: the deepest would take too long."""
DETAIL = EnumParameter(
    "detail",
    "Networks",
    (Option("few", "a few"), Option("all", "all")),
    "few",
    when={DATA.name: (BROUGHT,)},
    full_value="all",
)
MOST_DRAWN = 12
"""Most layers of a network whose units are drawn."""
LEARNED = 0.95
"""The lowest accuracy at which a network counts as having learned."""
DEEPEST_S, LAYER_S, READING_S = 3.5e-3, 1.3e-5, 0.1
"""Approximate CPU seconds of a training step for each layer of the deepest network and for each
layer of each network, and of reading a stored result.

On one thread, measured training times are between 0.85 and 1.1 times the estimate.
"""
RATE, PLACE = 0.01, 2
"""Learning rate, and index on the other axis, of the network selected at first; the fast
preview contains it as well."""
OVER = (NORM, NETWORK, STEP)
CAPTIONS = load_captions(__file__)


def build(
    data: str = "spiral",
    bias: str = "with",
    across: str = "depth",
    blocks: str = "residual",
    detail: str = "few",
) -> Explorable:
    """Build heat maps of all networks' results at every step, and the logits of each network.

    Raises:
        ParameterError: The points are not a training set.
    """
    asked = _asked(data, bias, across, blocks, detail)
    sample = points(data)
    found = (
        networks(asked, device())
        if asked.data.startswith(OWN)
        else stored.result(data, across, asked.bias, asked.residual)
    )
    blind = CaptionVariant({NORM: ("layer", "rms")})
    captions = CAPTIONS.render(
        {
            "cells": asked.networks // len(asked.norms),
            "seeds": len(asked.seeds),
            "drawn": MOST_DRAWN,
            "deepest": len(asked.rates) * len(asked.seeds),
            "learned": LEARNED,
            "points": len(sample.x),
            "units": UNITS,
            "batch": BATCH,
        },
        {
            "blind": (blind,) if bias == "without" else (),
            "residual": asked.residual,
            "plain": not asked.residual,
            "plain with bias": not asked.residual and asked.bias,
            "plain without bias": not asked.residual and not asked.bias,
            **{
                axis: (CaptionVariant({}, {"layers": layers}),) if axis == across else ()
                for axis, layers in LAYERS.items()
            },
        },
    )
    return Explorable(
        title=captions.title,
        controls=_controls(asked, across),
        tensors=_points(sample) | _networks(found, asked),
        views=(*playground_views(asked), captions.readouts),
        # the last step invites to compare with the plain stack
        steps=captions.steps if asked.residual else captions.steps[:-1],
        code=load_program(
            __file__,
            bias=str(asked.bias),
            residual=str(asked.residual),
            classes=written.classes(data, sample),
            points=written.places(data, sample),
        ),
    )


def _asked(data: str, bias: str, across: str, blocks: str, detail: str) -> PlaygroundSpecification:
    own = data.startswith(OWN)
    residual = (blocks, bias, across) == (BLOCKS.start, BIAS.start, ACROSS.start)
    try:
        asked = stored.specification(data, across, bias == BIAS.start, residual)
    except PointsError as error:
        raise ParameterError(str(error), {DATA.name: DATA.start}) from error
    if not own:
        return asked
    if across == ACROSS.start:
        asked = replace(asked, places=OWN_DEPTHS)
    return asked.coarse if detail == DETAIL.start else replace(asked, seeds=asked.seeds[:1])


def _seconds(data: str, bias: str, across: str, blocks: str, detail: str) -> float:
    if not data.startswith(OWN):
        return READING_S
    asked = _asked(data, bias, across, blocks, detail)
    layers = sum(asked.depths) * asked.networks // len(asked.places)
    of_layers = LAYER_S * layers * max(asked.batches) / BATCH
    return asked.frames[-1] * (DEEPEST_S * max(asked.depths) + of_layers)


def _controls(asked: PlaygroundSpecification, across: str) -> tuple[Control, ...]:
    steps = tuple(map(float, asked.frames))
    of_maps = (Option(RIGHT, "Maps of accuracy"), Option(ALIVE, "Maps of active units"))
    return (
        Choice(
            NORM,
            tuple(Option(norm, NAMES[norm], norm, CODES[norm]) for norm in asked.norms),
            "layer",
        ),
        Slider(STEP, steps, steps[0], decimals=0),
        Toggle(MAPS, of_maps, RIGHT),
        CellPicker(
            NETWORK,
            tuple(f"rate {rate:g}" for rate in asked.rates),
            tuple(f"{place:g}" for place in asked.places),
            AXES[across].noun,
            (asked.rates.index(RATE), asked.places.index(PLACES[asked.axis][PLACE])),
            codes=tuple(
                f"{rate:g}, {layers}, {scale:g}, {batch}"
                for rate in asked.rates
                for layers, scale, batch in zip(
                    asked.depths, asked.scales, asked.batches, strict=True
                )
            ),
        ),
    )


def _points(sample: Sample) -> dict[str, SweptTensor]:
    """Return the tensors of the data points, and of the number of points of each color."""
    counts = torch.bincount(sample.classes, minlength=len(COLORS))
    return {
        "points": SweptTensor((), sample.x, 3),
        "classes": SweptTensor((), sample.classes.float(), 0),
        **{color: SweptTensor((), counts[i].float(), 0) for i, color in enumerate(COLORS)},
    }


def _networks(found: ArrayDataset, asked: PlaygroundSpecification) -> dict[str, SweptTensor]:
    """Return tensors of each network's results, of how many have learned, and of dead units."""
    accuracy = found.tensor("accuracy", "norm", "rate", "place", "step", "seed")
    layers = torch.tensor(asked.depths)
    dead = dead_units(found, asked)
    shares = [1 - median_accuracy(accuracy), dead / (UNITS * layers[:, None])]
    failed = torch.stack(shares, 1)  # norms,maps,rates,places,steps
    failed = (100 * failed).round().nan_to_num(UNKNOWN)
    learned = (accuracy >= LEARNED).float().sum(-1)  # norms,rates,places,steps
    right = (100 * accuracy[..., 0]).round().nan_to_num(UNKNOWN)
    captions = (*(f"{share}% right" for share in range(UNKNOWN)), "its values overflowed")
    maps = found.tensor("map", "norm", "rate", "place", "step", "row", "column")
    of_network = layers.float().repeat(len(asked.rates))
    units = _drawn_units(found, asked)
    side = units.shape[-1]
    inputs = plane(side).T.reshape(2, side, side)
    return {
        "score": SweptTensor(OVER, _known(_coarse(maps), FULL, OVERFLOWED).flatten(1, 2), 2),
        "units": SweptTensor(OVER, _known(units, BRIGHT, NOTHING).flatten(1, 2), 2),
        "inputs": SweptTensor((), inputs / inputs.amax(), 2),
        "layers": SweptTensor((NETWORK,), of_network, 0),
        "every": SweptTensor((NETWORK,), drawn_every(of_network).float(), 0),
        "drawn": SweptTensor((NETWORK,), of_network / drawn_every(of_network), 0),
        "palest": SweptTensor((MAPS,), torch.tensor([*PALEST.values()]), 0),
        "right": SweptTensor(OVER, right.flatten(1, 2), 0, words=captions),
        "fit": SweptTensor(OVER, learned.flatten(1, 2), 0),
        "dead": SweptTensor(OVER, dead.flatten(1, 2), 0),
        "all": SweptTensor((NETWORK,), UNITS * of_network, 0),
        "learned": SweptTensor((NORM, STEP), learned.sum((1, 2)), 0),
        "deep": SweptTensor((NORM, STEP), learned[:, :, -1].sum(1), 0),
        "plain": SweptTensor((STEP,), learned[asked.norms.index("none")].sum((0, 1)), 0),
        **{
            f"{norm} failed": SweptTensor(
                (MAPS, STEP, NETWORK), failed[i].flatten(1, 2).mT, 0, words=SHARES
            )
            for i, norm in enumerate(asked.norms)
        },
    }


def median_accuracy(accuracy: Float[Tensor, "*networks seeds"]) -> Float[Tensor, "*networks"]:
    """Return the median accuracy over seeds; NaN if a value in the middle is an overflow."""
    ordered = accuracy.nan_to_num(-torch.inf).sort().values
    middle = ordered[..., (ordered.shape[-1] - 1) // 2 : ordered.shape[-1] // 2 + 1].mean(-1)
    return middle.where(middle.isfinite(), torch.nan)


def drawn_every(layers: Tensor) -> Int[Tensor, "*networks"]:
    """Return the stride of the layers drawn: the least power of 2 with at most `MOST_DRAWN` layers.

    Args:
        layers: number of layers of each network.
    """
    return (2 ** (layers / MOST_DRAWN).log2().ceil().clamp(min=0)).int()


def _drawn_units(
    found: ArrayDataset, asked: PlaygroundSpecification
) -> Int[Tensor, "norms rates places steps drawn units row column"]:
    """Return the latest activation maps at each step, of the layers that are drawn."""
    units = found.tensor(
        "units", "norm", "rate", "place", "look", "layer", "unit", "small_row", "small_column"
    )
    looks = found.axes["look"]
    last = [sum(float(look) <= step for look in looks) - 1 for step in asked.frames]
    every = drawn_every(torch.tensor(asked.depths))
    drawn = min(MOST_DRAWN, asked.depths[-1])
    layer = every[:, None] * torch.arange(1, drawn + 1) - 1  # places,drawn
    missing = layer >= torch.tensor(asked.depths)[:, None]
    place = torch.arange(len(every))[:, None]
    picked = units[:, :, place, :, layer.where(~missing, 0)]  # places,drawn,norms,rates,looks,...
    picked = picked.masked_fill(missing.view(*missing.shape, *[1] * 6), NOTHING)
    return picked[:, :, :, :, last].permute(2, 3, 0, 4, 1, 5, 6, 7)


def dead_units(
    found: ArrayDataset, asked: PlaygroundSpecification
) -> Float[Tensor, "norms rates places steps"]:
    """Return the number of units that are 0 for all points, per network; NaN after an overflow."""
    share = found.tensor("dead", "norm", "rate", "place", "step", "layer")
    layers = torch.tensor(asked.depths)[:, None, None]  # places,1,1
    there = torch.arange(share.shape[-1]) < layers
    return (UNITS * share.where(there, 0)).sum(-1).round()


def _coarse(maps: Tensor) -> Int[Tensor, "*shape"]:
    """Return decision maps rounded to multiples of 3, which makes the payload smaller."""
    return (3 * (maps.float() / 3).round()).to(maps.dtype).where(maps != OVERFLOWED, OVERFLOWED)


def _known(values: Tensor, full: int, none: int) -> Float[Tensor, "*shape"]:
    """Return integer codes divided by `full`, with NaN for the code of a missing value."""
    return (values.float() / full).where(values != none, torch.nan)


FIGURE = FigureSpec("networks", build, (DATA, BLOCKS, BIAS, ACROSS, DETAIL), cpu_seconds=_seconds)
