"""A figure that shows a result of `lnviz.normalize`: cells, and the groups that share a mean."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lnviz.explorable import CellPicker, Explorable, Grid, Readout, Slider, SweptTensor
from lnviz.norms import Normalized

MOST = 64
"""The most rows and columns of the table."""
CELLS = 2**18
"""The most cells of all tables."""


def plot_normalized(done: Normalized) -> Explorable:
    """Return a figure that shows a result of `lnviz.normalize` as tables of numbers.

    The last two dimensions are the rows and columns of a table; the others are controls. Cells that
    share one mean and one variance are outlined together.

    Args:
        done: the result of `normalize`.

    Raises:
        TypeError: it is something else.
        ValueError: it is too large to look at.
    """
    if not isinstance(done, Normalized):
        raise TypeError(
            f"plot expects the result of lnviz.normalize, but got {type(done).__name__}. Normalize "
            "first: lnviz.plot(lnviz.normalize(x, over=-1))."
        )
    parts = (done.mean, done.var, done.x_hat, done.y)
    shape = torch.broadcast_shapes(*(part.shape for part in parts), (1, 1))
    if max(shape[-2:]) > MOST or math.prod(shape) > CELLS or not math.prod(shape):
        raise ValueError(
            f"plot shows tables of 1 to {MOST} rows and columns, {CELLS:,} cells in all; got shape "
            f"{tuple(shape)}. Normalize a part: lnviz.normalize(x[..., :{MOST}, :{MOST}], over=-1)."
        )
    ids = torch.arange(done.mean.numel()).reshape(done.mean.shape)
    names = [f"dimension {at}" for at in range(len(shape) - 2)]
    over = (*(n for n, side in zip(names, shape[:-2], strict=True) if side > 1), "cell")

    def each(values: Tensor, decimals: int | None = None) -> SweptTensor:
        whole = values.detach().float().cpu().expand(shape)
        kept = [side for side in shape[:-2] if side > 1]
        return SweptTensor(over, whole.reshape(*kept, shape[-2] * shape[-1]).contiguous(), decimals)

    tensors = {
        "mean": each(done.mean),
        "var": each(done.var),
        "x_hat": each(done.x_hat),
        "y": each(done.y),
        "groups": each(ids, 0),
    }
    rows, columns = (tuple(str(at) for at in range(side)) for side in shape[-2:])
    grids = [
        Grid("standardized, x_hat", "cell", _color_limit(done.x_hat), "x_hat", groups="groups")
    ]
    if not torch.equal(done.x_hat.expand(shape), done.y.expand(shape)):
        grids.append(
            Grid("with gain and bias, y", "cell", _color_limit(done.y), "y", groups="groups")
        )
    sliders = [
        Slider(name, tuple(map(float, range(side))), 0.0, 0)
        for name, side in zip(names, shape[:-2], strict=True)
        if side > 1
    ]
    return Explorable(
        title=f"Normalized values of shape {tuple(done.y.shape)}",
        controls=(
            *sliders,
            CellPicker("cell", tuple(f"row {row}" for row in rows), columns, "column"),
        ),
        tensors=tensors,
        views=(
            tuple(grids),
            (
                Readout(
                    "{cell}: standardized {x_hat:g4 value}, with gain and bias {y:g4 value}.",
                    "finding",
                ),
                Readout("The outlined cells share a mean of {mean:g4} and a variance of {var:g4}."),
            ),
        ),
    )


def _color_limit(values: Tensor) -> float:
    """Return the largest finite magnitude, where a table's color scale ends."""
    known = values.detach().float()
    known = known[known.isfinite()].abs()
    return float(known.max()) or 1.0 if len(known) else 1.0
