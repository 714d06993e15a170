"""Vectors with three components as points in space, before and after LayerNorm or RMSNorm."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Explorable,
    Marker3d,
    Path,
    Scene,
    Slider,
    Sphere,
    SweptTensor,
    cameras,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import LAYER, RMS
from lnviz.norms.degenerate import Standardized, normalize_degenerate

FIRST = Slider.linear("first", -1.5, 1.5, 0.1, 1.2)
SECOND = Slider.linear("second", -1.5, 1.5, 0.1, 0.9)
THIRD = Slider.linear("third", -1.5, 1.5, 0.1, -0.3)
TURN = Slider.linear("turn", -180, 180, 2, 50)
OVER = (FIRST.name, SECOND.name, THIRD.name)
DIAGONAL, ELEVATION = 45.0, math.degrees(math.atan(1 / math.sqrt(2)))
"""Azimuth and elevation of a camera that looks along the vector of equal components."""
EDGE = 120.0
"""The camera's azimuth at which the plane of mean 0 is seen edge-on."""
RADIUS = math.sqrt(3)  # the length of three components whose root mean square is 1
REACH = 2.8
AXIS = 2.0  # short enough for the labels at its end
PLANE = 2.4  # the radius of the part that is drawn
CORNERS = 72  # of the polygon that approximates a circle
ROUNDING = 1e-6
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True, eq=False)
class Points:
    """A point for every position of the three sliders, and its images under LayerNorm and RMSNorm.

    Attributes:
        a: the point.
        layer: LayerNorm's statistics and output, with epsilon 0; 0/0 counts as 0.
        rms: RMSNorm's statistics and output.
    """

    a: Float[Tensor, "A B C 3"]
    layer: Standardized
    rms: Standardized


def build() -> Explorable:
    """Build the 3-D figure of a point, its images, LayerNorm's circle and RMSNorm's sphere."""
    normed = points()
    captions = CAPTIONS.render(variants={"edge": (CaptionVariant({TURN.name: (-EDGE, EDGE)}),)})
    return Explorable(
        title=captions.title,
        controls=(FIRST, SECOND, THIRD, TURN),
        tensors=_moving(normed) | _standing(),
        views=((_scene(),), captions.readouts),
        code=load_program(__file__),
    )


def points() -> Points:
    """Return the points for all positions of the sliders, with their images under two norms."""
    a = torch.cartesian_prod(*(to_tensor(slider.values) for slider in (FIRST, SECOND, THIRD)))
    a = a.view(FIRST.size, SECOND.size, THIRD.size, 3)
    return Points(a, normalize_degenerate(LAYER, a, "ND"), normalize_degenerate(RMS, a, "ND"))


def _moving(normed: Points) -> dict[str, SweptTensor]:
    a, layer, rms = normed.a, normed.layer.x_hat, normed.rms.x_hat
    mean, sigma, size = normed.layer.mean, normed.layer.sigma, normed.rms.sigma  # A,B,C,1
    flat, still = normed.layer.constant, normed.rms.constant
    ratio = (mean.abs() / size).clamp(max=1)
    angle = ratio.asin().rad2deg().masked_fill(flat, torch.nan)
    level = (mean.abs() < ROUNDING) & ~flat

    def where(condition: Tensor) -> Tensor:
        return torch.ones_like(mean).where(condition, torch.nan)[..., 0]

    numbers = {
        "mean": mean,
        "sigma": sigma,
        "size": size,
        "ratio": ratio,
        **{f"layer {n}": layer[..., n - 1 : n] for n in (1, 2, 3)},
        **{f"rms {n}": rms[..., n - 1 : n] for n in (1, 2, 3)},
    }
    places = {"a": a, "centered": a - mean, "layer": layer, "rms": rms}
    conditions = {
        "level": where(level),
        "spread": where(~flat),
        "equal": where(flat & ~still),
        "zero": where(still),
    }
    tensors = {name: SweptTensor(OVER, place, 3) for name, place in places.items()}
    tensors |= {name: SweptTensor(OVER, number[..., 0], 2) for name, number in numbers.items()}
    tensors |= {name: SweptTensor(OVER, condition, 0) for name, condition in conditions.items()}
    # At mean 0, another caption replaces that on the angle.
    return tensors | {"angle": SweptTensor(OVER, angle.masked_fill(level, torch.nan)[..., 0], 1)}


def _standing() -> dict[str, SweptTensor]:
    """Return tensors of the fixed geometry: axes, plane, great circles, and camera positions."""
    ones = torch.ones(3) / math.sqrt(3)
    # Two directions at right angles in the plane of mean 0.
    across = torch.tensor([1.0, -1.0, 0.0]) / math.sqrt(2)
    along = torch.linalg.cross(ones, across)
    axes = torch.eye(3)
    tensors = {
        "middle": torch.zeros(3),
        "ones": PLANE * ones,
        "against": -PLANE * ones,
        "plane": PLANE * _circle(across, along),
        "circle": RADIUS * _circle(across, along),
    }
    for n in range(3):
        tensors[f"axis {n + 1}"] = AXIS * axes[n]
        tensors[f"great circle {n + 1}"] = RADIUS * _circle(axes[n], axes[(n + 1) % 3])
    camera = cameras([DIAGONAL + turn for turn in TURN.values], ELEVATION)
    standing = {name: SweptTensor((), values, 3) for name, values in tensors.items()}
    return standing | {"camera": SweptTensor((TURN.name,), camera, 4)}


def _circle(one: Float[Tensor, "3"], other: Float[Tensor, "3"]) -> Float[Tensor, "corners 3"]:
    angles = torch.linspace(0, 2 * math.pi, CORNERS + 1)[:, None]
    return angles.cos() * one + angles.sin() * other


def _scene() -> Scene:
    names = ("first", "second", "third")
    axes = tuple(Path(("middle", f"axis {n}")) for n in (1, 2, 3))
    great = tuple(Path((f"great circle {n}",), "rms", 0.008, sided=True) for n in (1, 2, 3))
    return Scene(
        "A point, LayerNorm’s circle and RMSNorm’s sphere",
        "camera",
        TURN.name,
        REACH,
        "A sphere about the origin, and in the plane of mean 0 a circle on it, seen turned by "
        "{turn} degrees. The point ({first}, {second}, {third}) has mean {mean:2}. LayerNorm moves "
        "it to ({layer 1:2}, {layer 2:2}, {layer 3:2}), RMSNorm to ({rms 1:2}, {rms 2:2}, "
        "{rms 3:2}).",
        paths=(
            Path(("plane",), "layer", 0.01, filled=True),
            *axes,
            *great,
            Path(("against", "ones"), "soft", dashed=True),
            Path(("circle",), "layer", 0.04, sided=True),
            Path(("middle", "a"), "soft"),
            Path(("a", "centered"), "layer", 0.025, dashed=True),
            Path(("centered", "layer"), "layer", 0.025),
            Path(("a", "rms"), "rms", 0.025),
        ),
        spots=(
            *(Marker3d(f"axis {n}", names[n - 1], "soft") for n in (1, 2, 3)),
            Marker3d("ones", "all equal", "soft", side="left"),
            Marker3d("centered", color="layer", radius=0.05),
            Marker3d("rms", "RMSNorm", "rms", 0.09, "left"),
            Marker3d("layer", "LayerNorm", "layer", 0.09, "below"),
            Marker3d("a", "a", "ink", 0.08),
        ),
        balls=(Sphere(RADIUS, "rms"),),
    )


FIGURE = FigureSpec(
    "sphere", build, program_output=program_output("centered", "layer", "rms", "angle")
)
