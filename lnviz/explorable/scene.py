"""Points and lines in space, seen by a camera that turns: drawn as SVG, without WebGL."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable.controls import Control
from lnviz.explorable.schema import Name, Serializable, Template, When
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.view_base import BaseView


def cameras(degrees: Sequence[float], elevation: float) -> Float[Tensor, "angles 3 3"]:
    r"""Look at the middle of a scene from all around, the third axis upright.

    At azimuth $\theta$ and elevation $\phi$ the rows are

    $$(-\sin\theta, \cos\theta, 0), \quad
    (\sin\phi \cos\theta, \sin\phi \sin\theta, -\cos\phi), \quad
    (\cos\phi \cos\theta, \cos\phi \sin\theta, \sin\phi).$$

    A point's product with them is its place on the picture, to the right and down, and how far it
    lies toward the eye.

    Args:
        degrees: azimuths of the eye, from the first axis to the second.
        elevation: the elevation of the eye above the plane of these two, in degrees.

    >>> (cameras((0.0,), 0.0)[0] @ torch.tensor([2.0, 3.0, 5.0])).tolist()
    [3.0, -5.0, 2.0]
    """
    theta, phi = torch.tensor(degrees).deg2rad(), math.radians(elevation)
    cos, sin, zero = theta.cos(), theta.sin(), torch.zeros_like(theta)
    right = torch.stack([-sin, cos, zero], -1)
    down = torch.stack([math.sin(phi) * cos, math.sin(phi) * sin, zero - math.cos(phi)], -1)
    toward = torch.stack([math.cos(phi) * cos, math.cos(phi) * sin, zero + math.sin(phi)], -1)
    return torch.stack([right, down, toward], -2)


@dataclass(frozen=True)
class Path(Serializable):
    """Points joined in turn.

    Args:
        points: Tensors of places, `(3,)` or `(points, 3)` each, one behind the other.
        color: A token of the theme.
        width: The width of the line, in the scene's unit.
        dashed: Whether the line is broken.
        filled: Whether what it encloses is filled, so lightly that the rest shines through.
        sided: Whether what lies behind the middle of the scene is drawn paler than what lies
            before it.
    """

    points: tuple[Name, ...]
    color: str = "soft"
    width: float = 0.015
    dashed: bool = False
    filled: bool = False
    sided: bool = False


@dataclass(frozen=True)
class Spot(Serializable):
    """A place with a dot, with words beside it, or with both.

    Args:
        points: The tensor of the place, `(3,)`.
        text: The words.
        color: A token of the theme.
        radius: The radius of the dot, in the scene's unit; 0 for none.
        side: On which side of the place the words are: `right` or `left`, above it, or `below`.
    """

    points: Name
    text: str = ""
    color: str = "ink"
    radius: float = 0.0
    side: Literal["right", "left", "below"] = "right"


@dataclass(frozen=True)
class Ball(Serializable):
    """A sphere about the middle of the scene: a circle, from wherever one looks."""

    radius: float
    color: str


@dataclass(frozen=True)
class Scene(BaseView, kind="scene"):
    """What lies in space around a middle, drawn without perspective.

    Places are looked up and multiplied by the camera, which is looked up as well; so the turn of
    the view and the places may each be swept by themselves.

    Args:
        title: A template, as in `Readout`.
        camera: The tensor of the camera, `(3, 3)`, as `cameras` gives it.
        turn: The slider of the angle from which one looks; a hand on the picture moves it, too.
        reach: How far the picture shows, to every side of the middle.
        alt: The picture in words, a template that follows the state.
        paths: The lines, in the order of painting.
        spots: Dots and words, drawn over the lines.
        balls: Spheres, drawn below the lines.
        when: Where it is shown.
    """

    title: Template
    camera: Name
    turn: Name
    reach: float
    alt: Template
    paths: tuple[Path, ...] = ()
    spots: tuple[Spot, ...] = ()
    balls: tuple[Ball, ...] = ()
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that the camera is a matrix, and that all points are finite and in three axes."""
        spots = [spot.points for spot in self.spots]
        lines = [name for path in self.paths for name in path.points]
        expected: list[tuple[str, str, tuple[tuple[int, ...], ...]]]
        expected = [(self.camera, "(3, 3)", ((3, 3),))]
        expected += [(name, "(3,)", ((3,),)) for name in spots]
        expected += [
            (name, "(3,) or (points, 3)", ((3,), (*tensors[name].slice_shape[:1], 3)))
            for name in lines
        ]
        for name, wanted, allowed in expected:
            shape = tensors[name].slice_shape
            if shape not in allowed:
                raise ValueError(f"tensor {name!r}: a scene takes {wanted} there, received {shape}")
        for name in (*lines, *spots):
            if not tensors[name].values.isfinite().all():
                raise ValueError(f"tensor {name!r}: a scene draws every place, received NaN")
