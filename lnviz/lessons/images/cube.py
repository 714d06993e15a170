"""The cube figure of /images: which cells of a block of images share one mean and one variance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import torch
from jaxtyping import Num
from torch import Tensor

from lnviz.explorable import (
    CellPicker,
    Choice,
    Cube,
    CubeAxis,
    EnumParameter,
    Explorable,
    Grid,
    Option,
    Slider,
    SweptTensor,
    load_program,
    project_block,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.data_parameters import tensor_literal
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.number_format import number
from lnviz.topics.images.cube import (
    CHANNELS,
    EPS,
    IMAGES,
    NORMS,
    activations,
    bank,
    shared_statistics,
)

LAYOUT = EnumParameter(
    "layout",
    "Layout",
    (
        Option("images", "images (N, C, H, W)"),
        Option("tokens", "tokens (B, T, D)"),
    ),
    "images",
)
COUNTS = tuple(count for count in range(1, CHANNELS + 1) if CHANNELS % count == 0)
GROUPS = Slider("groups", tuple(map(float, COUNTS)), 2.0, 0, when={"norm": ("group",)})
TURN = Slider.linear("turn", 10, 80, 1, 40)
SIDE = 3  # positions in a row
PLACES = SIDE**2
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True)
class Layout:
    """Layout of the figure's values as images (N, C, H, W) or as tokens (B, T, D).

    Attributes:
        cells: the cell picker's position of each cell, images x channels x positions.
        pointer: the cell picker, with the names of the cells.
        axes: the names of the three axes.
        norms: for each norm, its name and its code.
    """

    cells: Num[Tensor, "N C P"]
    pointer: CellPicker
    axes: tuple[str, str, str]
    norms: tuple[tuple[str, str], ...]

    def unfold(self, values: Num[Tensor, "*S N C H W"]) -> Num[Tensor, "*S cells"]:
        """Flatten values of shape (N, C, H, W) in the order of the cell picker."""
        return values.flatten(-4)[..., self.cells.flatten().argsort()]


def build(layout: str = "images") -> Explorable:
    """Build the figure: activations as a three-dimensional block of cells, and as slices.

    Outlined are the cells that share the selected cell's mean, with their statistics.
    """
    laid = _images() if layout == "images" else _tokens()
    x = activations()
    shares = shared_statistics(x, COUNTS)
    seen = project_block(laid.cells, TURN.values)
    over = ("norm", "groups", "cell")
    names = {
        "group": (shares.groups, 0),
        "count": (shares.size, 0),
        "mean": (shares.mean, 4),
        "var": (shares.var, 4),
        "x_hat": (shares.x_hat, 4),
    }
    said = _render_captions(layout)
    return Explorable(
        title=said.title,
        steps=said.steps,
        controls=(_norms(laid), GROUPS, TURN, laid.pointer),
        tensors={
            "x": SweptTensor(("cell",), laid.unfold(x), 4),
            "corners": SweptTensor((TURN.name,), seen.corners, 3),
            **{
                name: SweptTensor(over, laid.unfold(v), places)
                for name, (v, places) in names.items()
            },
        },
        views=(
            (
                Cube(
                    "The block, image by image" if layout == "images" else "The block",
                    "cell",
                    "corners",
                    TURN.name,
                    seen.faces,
                    seen.size,
                    "group",
                    f"A block of {x.numel()} cells: {IMAGES} {laid.axes[0]}, {CHANNELS} "
                    f"{laid.axes[1]}, {PLACES} {laid.axes[2]}. With {{norm}}, {{count:0}} of them "
                    "share the mean of {cell}. The block is turned by {turn} degrees.",
                    _axes(laid, seen.corners.shape[1]),
                ),
                Grid(
                    "The same cells as slices",
                    "cell",
                    1.0,
                    "x",
                    groups="group",
                    color="current",
                ),
            ),
            said.readouts,
        ),
        code=load_program(
            __file__,
            filters=f"torch.tensor({tensor_literal(bank().weight.flatten(1))})",
            tokens=str(layout == "tokens"),
        ),
    )


def _render_captions(layout: str) -> RenderedCaptions:
    return CAPTIONS.render(
        {
            "cells": IMAGES * CHANNELS * PLACES,
            "eps": number(EPS, "5"),
            "channels": CHANNELS,
            "whole": "image" if layout == "images" else "sequence",
            "channel": "channel" if layout == "images" else "feature",
        },
        {
            "images": layout == "images",
            "tokens": layout == "tokens",
            "ends": (CaptionVariant({"norm": ("group",), GROUPS.name: (float(CHANNELS),)}),),
        },
    )


def _axes(laid: Layout, corners: int) -> tuple[CubeAxis, ...]:
    """Return the labels of the block's three axes, attached to its last three corners."""
    images, channels, places = laid.axes
    below, beside, behind = range(corners - 3, corners)
    return (
        CubeAxis(places, below, "end"),
        CubeAxis(channels, beside, rising=True),
        CubeAxis(images, behind, "start"),
    )


def _norms(laid: Layout) -> Choice:
    colors = {"place": "layer"}
    named = zip(NORMS, laid.norms, strict=True)
    return Choice(
        "norm",
        tuple(Option(key, label, colors.get(key, key), code) for key, (label, code) in named),
        "layer",
    )


def _images() -> Layout:
    """Return the layout of a batch of images, as in a convolution: (N, C, H, W)."""
    cells = torch.arange(IMAGES * CHANNELS * PLACES).view(IMAGES, CHANNELS, PLACES)
    spots = product(range(IMAGES), range(CHANNELS), range(SIDE), range(SIDE))
    pointer = CellPicker(
        "cell",
        tuple(f"image {n + 1}, channel {c + 1}" for n in range(IMAGES) for c in range(CHANNELS)),
        tuple(str(p + 1) for p in range(PLACES)),
        "position",
        (2, 4),
        tuple(str(spot) for spot in spots),
    )
    norms = (
        ("BatchNorm", f"nn.BatchNorm2d({CHANNELS})"),
        ("LayerNorm (C, H, W)", f"nn.LayerNorm(({CHANNELS}, {SIDE}, {SIDE}))"),
        (
            "LayerNorm (C)",
            f"lambda x: nn.LayerNorm({CHANNELS})(x.movedim(1, -1)).movedim(-1, 1)",
        ),
        ("InstanceNorm", f"nn.InstanceNorm2d({CHANNELS})"),
        ("GroupNorm", f"nn.GroupNorm(groups, {CHANNELS})"),
    )
    return Layout(cells, pointer, ("images", "channels", "positions"), norms)


def _tokens() -> Layout:
    """Return the layout of a batch of token sequences, as in a Transformer: (B, T, D)."""
    cells = torch.arange(IMAGES * CHANNELS * PLACES).view(IMAGES, PLACES, CHANNELS).mT
    pointer = CellPicker(
        "cell",
        tuple(f"sequence {n + 1}, token {t + 1}" for n in range(IMAGES) for t in range(PLACES)),
        tuple(str(d + 1) for d in range(CHANNELS)),
        "feature",
        (4, 2),
        tuple(str(s) for s in product(range(IMAGES), range(PLACES), range(CHANNELS))),
    )
    turned = "lambda x: nn.{}(x.mT).mT"
    norms = (
        ("BatchNorm", turned.format(f"BatchNorm1d({CHANNELS})")),
        ("LayerNorm (T, D)", f"nn.LayerNorm(({PLACES}, {CHANNELS}))"),
        ("LayerNorm (D)", f"nn.LayerNorm({CHANNELS})"),
        ("InstanceNorm", turned.format(f"InstanceNorm1d({CHANNELS})")),
        ("GroupNorm", turned.format(f"GroupNorm(groups, {CHANNELS})")),
    )
    return Layout(cells, pointer, ("sequences", "features", "tokens"), norms)


FIGURE = FigureSpec("cube", build, (LAYOUT,), program_output=program_output("x_hat"))
