"""A rotatable 3-D scene of points and lines, drawn as SVG, without WebGL."""

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
    r"""Return the camera matrix for each azimuth; cameras face the origin, with the third axis up.

    At azimuth $\theta$ and elevation $\phi$, the rows are

    $$(-\sin\theta, \cos\theta, 0), \quad
    (\sin\phi \cos\theta, \sin\phi \sin\theta, -\cos\phi), \quad
    (\cos\phi \cos\theta, \cos\phi \sin\theta, \sin\phi).$$

    The product of the matrix and a point has three components: the point's position in the picture
    (to the right and down), and its depth (toward the camera).

    Args:
        degrees: azimuths of the camera in degrees, from the first axis to the second.
        elevation: the camera's elevation above the plane of these two axes, in degrees.

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
    """A polyline in a 3-D scene.

    Args:
        points: Tensors of points, `(3,)` or `(points, 3)` each; the line joins them in order.
        color: A theme token.
        width: The width of the line, in the scene's unit.
        dashed: Whether the line is dashed.
        filled: Whether the enclosed area is filled with a translucent color.
        sided: Whether the part of the line behind the scene's center is drawn paler.
    """

    points: tuple[Name, ...]
    color: str = "soft"
    width: float = 0.015
    dashed: bool = False
    filled: bool = False
    sided: bool = False


@dataclass(frozen=True)
class Marker3d(Serializable):
    """A point in a 3-D scene, with a dot, a label, or both.

    Args:
        points: The tensor of the point, `(3,)`.
        text: The label.
        color: A theme token.
        radius: The radius of the dot, in the scene's unit; 0 for none.
        side: The position of the label: `right` (above right), `left` (above left) or `below`.
    """

    points: Name
    text: str = ""
    color: str = "ink"
    radius: float = 0.0
    side: Literal["right", "left", "below"] = "right"


@dataclass(frozen=True)
class Sphere(Serializable):
    """A sphere around the center of a 3-D scene; it looks like a circle from every angle."""

    radius: float
    color: str


@dataclass(frozen=True)
class Scene(BaseView, kind="scene"):
    """A rotatable 3-D scene of lines and points around a center, in parallel projection.

    Points and camera are separate tensors, so that each may be swept over its own controls.

    Args:
        title: A template, as in `Readout`.
        camera: The tensor of the camera matrix, `(3, 3)`, as returned by `cameras`.
        turn: The slider of the angle, which also moves when the picture is dragged.
        extent: The largest coordinate shown, in every direction from the center.
        alt: The alternative text, a template.
        paths: The lines, in drawing order.
        spots: Dots and labels, drawn over the lines.
        balls: Spheres, drawn below the lines.
        when: The control values at which it is shown.
    """

    title: Template
    camera: Name
    turn: Name
    extent: float
    alt: Template
    paths: tuple[Path, ...] = ()
    spots: tuple[Marker3d, ...] = ()
    balls: tuple[Sphere, ...] = ()
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that the camera is a 3 x 3 matrix, and points are finite and three-dimensional."""
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
                raise ValueError(f"tensor {name!r}: a scene draws every position, received NaN")
