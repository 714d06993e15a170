"""The residual stream drawn as a path, with norms on it or beside it, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Choice,
    Diagram,
    DiagramArrow,
    DiagramBox,
    Explorable,
    Option,
    Profile,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.placement.block_diagrams import equation
from lnviz.norms import LAYER
from lnviz.topics.transformer import POST, PRE, Placement
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.road import ROAD, SETUP
from lnviz.topics.transformer.setups import SETUPS
from lnviz.topics.transformer.theory import PLACES

FORWARD, BACKWARD = "forward", "backward"
DIRECTION = Choice(
    "direction",
    (Option(FORWARD, "forward: values"), Option(BACKWARD, "backward: gradients")),
    FORWARD,
)
LAYERS = Slider(
    "layers",
    tuple(map(float, ROAD.result.specification.depths)),
    12.0,
    decimals=0,
    url_name="road-layers",
)
ON_THE_ROAD = ("in", "first sum", "between", "second sum", "out")
"""The points of a layer, from `theory.PLACES`, that lie on the residual stream itself."""
BESIDE = tuple(place for place in PLACES if place not in ON_THE_ROAD)
STANDING = {POST.key: "a norm on the sum", PRE.key: "a norm before each sublayer"}
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True)
class GradientPath:
    """Layout of one direction of the diagram: the forward pass or the backward pass.

    Attributes:
        key: its option.
        quantity: the quantity of the stored result that is drawn to scale.
        scale: pixels of width per unit.
        token: the theme color of the quantity.
        decimals: the decimal places of numbers.
        bars: the label of the bars.
    """

    key: str
    quantity: str
    scale: float
    token: str
    decimals: str
    bars: str


WAYS = (
    GradientPath(FORWARD, "size", 4.4, "", "1", "its RMS"),
    GradientPath(BACKWARD, "gradient", 80.0, "gradient", "2", "last matrix"),
)


@dataclass(frozen=True)
class Sublayer:
    """A sublayer in the diagram, with the names of its measurement points, from `theory.PLACES`.

    Attributes:
        name: the name.
        before: the stream before it.
        total: the sum.
        after: the stream after it.
        top: its upper edge in the picture.
    """

    name: str
    before: str
    total: str
    after: str
    top: float


STEP = 146.0  # from a sublayer to the next
SUBLAYERS = (
    Sublayer("attention", "in", "first sum", "between", 0.0),
    Sublayer("feed-forward", "between", "second sum", "out", STEP),
)
WIDTH, HEIGHT = 190.0, 2 * STEP + 10
STREAM, SIDE = 50.0, 144.0  # the middles of the stream and of what is beside it
NUMBERS = 14.0
FORK = 14.0  # below a sublayer's top, where its branch leaves the stream
LOW, HIGH = 24.0, 28.0  # boxes of norms and of sublayers
RADIUS = 11.0  # of a sum
EDGE = 12.0  # of the stream, where gradients from the side arrive
LAP = 1.0  # overlap of the stream's pieces, which hides seams
PROFILE = (210.0, HEIGHT)


def build() -> Explorable:
    """Build diagrams of two blocks; line widths show the size of residual stream or gradient."""
    experiment = ROAD.result.specification.experiment(SETUP)
    captions = CAPTIONS.render(
        {
            "width": experiment.width,
            "seeds": len(experiment.seeds),
            "setup": SETUPS[SETUP].description,
            "positions": experiment.cases,
            "made": ROAD.result.header.made_with,
        }
    )
    return Explorable(
        title=captions.title,
        controls=(DIRECTION, LAYERS),
        tensors=_tensors(),
        views=(
            tuple(_diagram(placement, way) for placement in (POST, PRE) for way in WAYS),
            captions.readouts,
        ),
        code=load_program(__file__),
        steps=captions.steps,
    )


def _measured(key: str, quantity: str) -> Float[Tensor, "depths layers places"]:
    return ROAD.result.tensor(quantity, "depth", "layer", "place", placement=key)


def _bars(key: str, way: GradientPath) -> Float[Tensor, "depths layers"]:
    """Return the residual stream's RMS after each layer, or each layer's weight gradient."""
    if way.key == FORWARD:
        return _measured(key, way.quantity)[..., PLACES.index("out")]
    result = PROFILES.result
    gradients = result.tensor("gradient", "placement", "depth", "layer", quartile=0.5, setup=SETUP)
    return gradients[result.index("placement", key)]


def _tensors() -> dict[str, SweptTensor]:
    """Return the magnitudes of residual stream and gradient at each measurement point."""
    depths = torch.tensor(ROAD.result.specification.depths)
    rows = torch.arange(len(depths))
    numbers: dict[str, Tensor] = {}
    for way in WAYS:
        for placement in (POST, PRE):
            own = f"{way.key} {placement.key}"
            values, bars = _measured(placement.key, way.quantity), _bars(placement.key, way)
            last = values[rows, depths - 1]  # depths,places
            stream = {place: PLACES.index(place) for place in ON_THE_ROAD}
            numbers |= {f"{own} {place}": last[:, at] for place, at in stream.items()}
            road = values[..., list(stream.values())]
            numbers |= {f"{own} road": road.flatten(1), f"{own} bars": bars}
            if way.key == BACKWARD:
                numbers |= {f"{own} {place}": last[:, PLACES.index(place)] for place in BESIDE}
                numbers |= {f"{own} begins": values[:, 0, 0]}
            numbers |= {f"{own} first": bars[:, 0], f"{own} last": bars[rows, depths - 1]}
    numbers["times"] = numbers["backward post last"] / numbers["backward pre last"]
    return {
        name: SweptTensor((LAYERS.name,), values.contiguous()) for name, values in numbers.items()
    }


def _diagram(placement: Placement, way: GradientPath) -> Diagram:
    own = f"{way.key} {placement.key}"
    drawn = _forward(placement, own) if way.key == FORWARD else _backward(placement, own, way)
    heads = ("sum", way.bars)
    ends = (f"{{{own} first:{way.decimals}}}", f"{{{own} last:{way.decimals}}}")
    reach = max(float(_bars(key, way).nan_to_num().max()) for key in (POST.key, PRE.key))
    return Diagram(
        f"{placement.label}, layer {{layers}}\n{STANDING[placement.key]}",
        LAYERS.name,
        (*_boxes(placement), *_numbers(placement, way, own)),
        tuple(drawn),
        (WIDTH, HEIGHT),
        _alt(placement, way, own),
        scale=way.scale,
        profile=Profile(
            heads,
            f"{own} road",
            f"{own} bars",
            reach,
            ends,
            PROFILE,
            token=way.token,
            mark=LAYER.key,
            across=placement.after,
        ),
        when={DIRECTION.name: (way.key,)},
    )


def _alt(placement: Placement, way: GradientPath, own: str) -> str:
    def number(place: str) -> str:
        return f"{{{own} {place}:{way.decimals}}}"

    begins = f"{placement.label}, {STANDING[placement.key]}, {{layers}} layers."
    if way.key == FORWARD:
        return (
            f"{begins} In the last layer, the stream enters with RMS {number('in')}, its two sums "
            f"have {number('first sum')} and {number('second sum')}, and it leaves with "
            f"{number('out')}. After the first layer its RMS is {number('first')}, after the last "
            f"{number('last')}."
        )
    return (
        f"{begins} In the last layer, the stream’s gradient arrives from below with length "
        f"{number('out')} and leaves upward with {number('in')}; at the network’s input it "
        f"is {number('begins')}. The gradient of the second feed-forward matrix is "
        f"{number('first')} in the first layer and {number('last')} in the last."
    )


def _middles(placement: Placement, at: Sublayer) -> tuple[float, float, float]:
    """Return the vertical positions of a sublayer's norm, of the sublayer itself and of the sum."""
    norm, sublayer, total = (118.0, 48.0, 88.0) if placement.after else (40.0, 80.0, 118.0)
    return at.top + norm, at.top + sublayer, at.top + total


def _boxes(placement: Placement) -> Iterator[DiagramBox]:
    for at in SUBLAYERS:
        norm, sublayer, total = _middles(placement, at)
        x = STREAM if placement.after else SIDE
        yield DiagramBox((SIDE, sublayer), (92.0, HIGH), at.name)
        yield DiagramBox((STREAM, total), (2 * RADIUS, 2 * RADIUS), "+", round=True)
        yield DiagramBox((x, norm), (84.0, LOW), LAYER.label, token=LAYER.key, filled=True)
    yield DiagramBox((SIDE - 6, HEIGHT - 10), (0.0, 0.0), f"x′ = {equation(placement)}")


def _numbers(placement: Placement, way: GradientPath, own: str) -> Iterator[DiagramBox]:
    """Yield the labels beside the residual stream that state its magnitude."""
    heights = {"in": FORK / 2 + 3}
    for at in SUBLAYERS:
        norm, _, total = _middles(placement, at)
        heights[at.after] = (norm + LOW / 2 if placement.after else total + RADIUS) + 16
        if placement.after:
            heights[at.total] = total if way.key == FORWARD else (at.top + FORK + total) / 2
    for place, y in heights.items():
        yield DiagramBox((NUMBERS, y), (0.0, 0.0), f"{{{own} {place}:{way.decimals}}}")


def _forward(placement: Placement, own: str) -> Iterator[DiagramArrow]:
    """Yield arrows of the forward pass: the residual stream, drawn to scale, and its branches."""
    for at in SUBLAYERS:
        norm, sublayer, _ = _middles(placement, at)
        fork, enters = at.top + FORK, sublayer - HIGH / 2
        top = norm - LOW / 2 if placement.before else enters
        yield DiagramArrow(((STREAM, fork), (SIDE, fork), (SIDE, top)))
        if placement.before:
            yield DiagramArrow(((SIDE, norm + LOW / 2), (SIDE, enters)))
    begins = 0.0
    for at in SUBLAYERS:
        norm, _, total = _middles(placement, at)
        yield _road(begins, total, f"{own} {at.before}", "")
        begins = total
        if placement.after:
            yield _road(total, norm, f"{own} {at.total}", "")
            begins = norm
    yield _road(begins, HEIGHT, f"{own} {SUBLAYERS[-1].after}", "", head=True)
    for at in SUBLAYERS:
        _, sublayer, total = _middles(placement, at)
        yield DiagramArrow(((SIDE, sublayer + HIGH / 2), (SIDE, total), (STREAM + RADIUS, total)))


def _backward(placement: Placement, own: str, way: GradientPath) -> Iterator[DiagramArrow]:
    """Yield arrows of the gradient from the bottom up: sums copy the gradient, forks add up two."""

    def side(place: str, *corners: tuple[float, float]) -> DiagramArrow:
        return DiagramArrow(corners, width=f"{own} {place}", token=way.token)

    for at in SUBLAYERS:
        norm, sublayer, total = _middles(placement, at)
        enters, leaves, fork = sublayer - HIGH / 2, sublayer + HIGH / 2, at.top + FORK
        yield side(f"{at.name} adds", (STREAM, total), (SIDE, total), (SIDE, leaves))
        top = enters
        if placement.before:
            top = norm - LOW / 2
            yield side(f"into {at.name}", (SIDE, enters), (SIDE, norm + LOW / 2))
        yield side(f"to {at.name}", (SIDE, top), (SIDE, fork), (STREAM + EDGE, fork))
    begins = HEIGHT
    for at in reversed(SUBLAYERS):
        norm, _, total = _middles(placement, at)
        fork = at.top + FORK
        if placement.after:
            yield _road(begins, norm + LOW / 2, f"{own} {at.after}", way.token, head=True)
            begins = norm
        yield _road(begins, fork, f"{own} {at.total}", way.token)
        begins = fork + LAP
    yield _road(begins, 0.0, f"{own} in", way.token, head=True)


def _road(start: float, end: float, width: str, token: str, head: bool = False) -> DiagramArrow:
    return DiagramArrow(((STREAM, start), (STREAM, end)), head=head, width=width, token=token)


FIGURE = FigureSpec("road", build)
