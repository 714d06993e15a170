"""What the figure of the two axes draws: two grids."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Grid, Margin, Side, SweptTensor
from lnviz.lessons.axes.window import Window
from lnviz.norms import BATCH, Norm

REACH = 3.0  # where the colors end; one scale for both grids, unless the inputs are of another size
STEPS = ("mean", "variance", "standardize", "gain and bias")

Margins = dict[str, tuple[Margin, ...]]
"""Statistics by the grid they stand beside: that of the inputs, or that of a step."""


@dataclass(frozen=True)
class NumberStyle:
    """How numbers of the inputs' size are written, travel and are colored.

    Attributes:
        cells: The format of numbers in a grid.
        line: The format of numbers in a line of arithmetic.
        stored: The decimal places that travel; without them float32 travels.
        reach: The value at which the colors of the inputs end.
        raw: The values at which the colors of distances and of their squares end.
        shared: Whether one scale of colors serves both grids.
    """

    cell_format: str
    line_format: str
    decimals: int | None
    scale_end: float
    raw_scale_ends: tuple[float, float]


def number_style(size: float) -> NumberStyle:
    """Choose how to write numbers: two decimals fit neither very small ones nor very large ones."""
    is_plain = 0.1 <= size < 1000 or size == 0
    is_alike = REACH / 10 < size < 3 * REACH or size == 0
    reach = max(REACH, size) if is_alike else size
    return NumberStyle(
        cell_format="2" if is_plain else "g2",
        line_format="4" if is_plain else "g5",
        decimals=4 if is_plain else None,
        scale_end=reach,
        raw_scale_ends=(reach, reach) if is_alike else (size, size**2),
    )


def inputs(window: Window, places: NumberStyle, beside: Margins) -> Grid:
    """Draw the numbers in the window, and the statistics that they give."""
    return Grid(
        "Pre-activations",
        "cell",
        places.scale_end,
        "x",
        groups="groups",
        margins=beside["inputs"],
        layout="layout",
        color="current",
        format=places.cell_format,
        pictures="pictures" if window.source.images is not None else "",
    )


def outputs(window: Window, places: NumberStyle, beside: Margins) -> tuple[Grid, ...]:
    """Draw what each step makes of the inputs; the stepper decides which one is on the page."""
    centering, others = (keys(window.norms, center) for center in (True, False))
    raw = places.cell_format
    gain, bias = Margin("column", "gain", "gain row"), Margin("column", "bias", "bias row")
    grids = (
        ("mean", centering, "Minus the mean", "centered", places.raw_scale_ends[0], raw, ()),
        ("mean", others, "{norm} subtracts no mean", "centered", places.raw_scale_ends[0], raw, ()),
        ("variance", centering, "Squared distances from the mean", "squared", places.raw_scale_ends[1], raw,
         beside["variance"]),
        ("variance", others, "Squares", "squared", places.raw_scale_ends[1], raw, beside["variance"]),
        ("standardize", (), "After {norm}", "x_hat", REACH, "2", beside["standardize"]),
        ("gain and bias", centering, "After {norm}, gain and bias", "y", REACH, "2", (gain, bias)),
        ("gain and bias", others, "After {norm} and gain", "y", REACH, "2", (gain,)),
    )  # fmt: skip
    return tuple(
        Grid(
            title,
            "cell",
            reach,
            values,
            format=form,
            groups="groups",
            layout="layout",
            color="current",
            margins=margins,
            when={"step": (step,)} | ({"norm": norms} if norms else {}),
        )
        for step, norms, title, values, reach, form, margins in grids
    )


def margins(window: Window, places: NumberStyle) -> tuple[Margins, dict[str, SweptTensor]]:
    """Draw statistics beside the grids; the output's show what normalizing is for: 0 and 1."""
    walk = window.walk
    raw, small = (places.cell_format, places.decimals and 2), ("2", 2)
    beside: dict[str, list[Margin]] = {"inputs": [], "variance": [], "standardize": []}
    tensors = {}
    for i, norm in enumerate(window.norms):
        spread = "var" if norm.center else "mean sq."
        means = (
            ("inputs", "mean", walk.mean, raw),
            ("standardize", "mean", walk.after_mean, small),
        )
        spreads = (
            ("inputs", spread, walk.var, raw),
            ("variance", "mean", walk.var, raw),
            ("standardize", spread, walk.after_var, small),
        )
        for grid, label, values, (form, decimals) in (*(means if norm.center else ()), *spreads):
            name = f"{norm.key}: {grid}, {label}"
            side, tensors[name] = _margin(norm, values[i], decimals)
            beside[grid].append(Margin(side, label, name, {"norm": (norm.key,)}, format=form))
    return {grid: tuple(all_of) for grid, all_of in beside.items()}, tensors


def _margin(
    norm: Norm, values: Float[Tensor, "B N U"], decimals: int | None
) -> tuple[Side, SweptTensor]:
    """A group's statistic beside it: BatchNorm's below its column, others' behind their row."""
    if norm is BATCH:
        return "column", SweptTensor(("batch size",), values[:, 0], decimals)
    if norm.group_count is None:
        return "row", SweptTensor(("batch size",), values[:, :, 0], decimals)
    # Of each case the part that is pointed at.
    by_unit = values.mT[:, None].expand(-1, values.shape[1], -1, -1)  # B,N,U,N
    return "row", SweptTensor(("batch size", "cell"), by_unit.flatten(1, 2), decimals)


def keys(norms: tuple[Norm, ...], center: bool) -> tuple[str, ...]:
    """Return the keys of the norms that center, or of those that do not."""
    return tuple(norm.key for norm in norms if norm.center == center)
