"""Views of the grid figure: tables of inputs and outputs, with statistics in their margins."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Grid, Margin, Side, SweptTensor
from lnviz.lessons.axes.window import Window
from lnviz.norms import BATCH, Norm

REACH = 3.0  # end of the color scale of both grids, unless the inputs have another magnitude
STEPS = ("mean", "variance", "standardize", "gain and bias")

Margins = dict[str, tuple[Margin, ...]]
"""Statistics by grid: that of the inputs, or that of a step."""


@dataclass(frozen=True)
class NumberStyle:
    """Number formats and color scales that suit the magnitude of the inputs.

    Attributes:
        cell_format: The format of numbers in a grid.
        line_format: The format of numbers in written-out arithmetic.
        decimals: The decimal places sent to the browser; None sends float32.
        scale_end: The value at which the color scale of the inputs ends.
        raw_scale_ends: The ends of the color scales of deviations and of their squares.
    """

    cell_format: str
    line_format: str
    decimals: int | None
    scale_end: float
    raw_scale_ends: tuple[float, float]

    def as_shown(self, values: Float[Tensor, "*shape"], form: str) -> Float[Tensor, "*shape"]:
        """Return values rounded as the browser displays them in one of the formats: half up."""
        if self.decimals is None:
            sent = values.double()
            magnitude = sent.abs().log10().floor().where(sent != 0, 0)
            unit = 10 ** (magnitude - int(form.removeprefix("g")) + 1)
        else:
            sent = values.double().round(decimals=self.decimals)
            unit = torch.full_like(sent, 10.0 ** -int(form))
        return sent.sign() * unit * (sent.abs() / unit + 0.5).floor()


def number_style(size: float) -> NumberStyle:
    """Choose number formats and color scales that suit the magnitude of the inputs."""
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
    """Return the table of the visible inputs, with the groups' statistics in its margins."""
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
    """Return tables of results, one for each step of a norm; a control selects the step."""
    centering, others = (keys(window.norms, center) for center in (True, False))
    raw, ends = places.cell_format, places.raw_scale_ends
    gain, bias = Margin("column", "gain", "gain row"), Margin("column", "bias", "bias row")
    grids = (
        ("mean", centering, "Minus the mean", "centered", ends[0], raw, ()),
        ("mean", others, "{norm} subtracts no mean", "centered", ends[0], raw, ()),
        ("variance", centering, "Squared distances from the mean", "squared", ends[1], raw,
         beside["variance"]),
        ("variance", others, "Squares", "squared", ends[1], raw, beside["variance"]),
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
    """Return the margins of all tables (means and variances), and the tensors behind them."""
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
    """Return where a statistic is shown, below columns or beside rows, and its tensor."""
    if norm is BATCH:
        return "column", SweptTensor(("batch size",), values[:, 0], decimals)
    if norm.group_count is None:
        return "row", SweptTensor(("batch size",), values[:, :, 0], decimals)
    # The picked group of each example.
    by_unit = values.mT[:, None].expand(-1, values.shape[1], -1, -1)  # B,N,U,N
    return "row", SweptTensor(("batch size", "cell"), by_unit.flatten(1, 2), decimals)


def keys(norms: tuple[Norm, ...], center: bool) -> tuple[str, ...]:
    """Return the keys of the norms that subtract the mean, or of the norms that do not."""
    return tuple(norm.key for norm in norms if norm.center == center)
