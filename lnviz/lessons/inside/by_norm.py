"""Charts of two quantities for each norm and each token: heat maps, and curves by depth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import UNCOLORED, CellPicker, Chart, Grid, Option, Slider, SweptTensor
from lnviz.lessons.chart_axes import (
    ChartAxis,
    category_axis,
    linear_axis,
    log_axis,
    short_log_axis,
    to_log10,
)
from lnviz.lessons.charts import ChartTrace, chart, heatmap, line, marker

HEIGHT = 330
FLOOR = -3.0  # the least logarithm of fractions
SHADES = ((0, "page"), (1, "accent"))
DECIMALS = 3
"""The decimal places of the logarithms in a heat map."""
FEWEST, FINE = 1e-6, 1e5
"""Limits for ticks at 1, 3, 10, 30: the smallest value, and the ratio of largest to smallest."""
Table = Float[Tensor, "S T"]
NONE = torch.zeros(0)


@dataclass(frozen=True, eq=False)
class NormColumns:
    """Data and controls of a figure of two quantities, each a table of norms (S) by columns (T).

    A column is a token, a row of a table, or a forward pass.

    Attributes:
        norm: the slider over the norms.
        column: the cell picker over the columns.
        labels: the labels below the columns of the heat map.
        noun: the word for a column, such as "token".
        ticks: the labels of the axis of depth, by the position of the slider.
        x: one quantity, of S norms in T columns; NaN for none.
        y: the other quantity.
    """

    norm: Slider
    column: CellPicker
    labels: Sequence[str]
    noun: str
    ticks: Mapping[float, str]
    x: Table
    y: Table

    @property
    def tensors(self) -> dict[str, SweptTensor]:
        """The tensors of both quantities, their logarithms, and x relative to the first norm's."""
        over = (self.norm.name, self.column.name)
        # Values may be far below 1, as gradients are, so float32 is sent.
        values = {"x": self.x, "times": self.x / self.x[0], "y": self.y}
        powers = {"x power": to_log10(self.x), "y power": to_log10(self.y)}
        return {name: SweptTensor(over, each) for name, each in values.items()} | {
            name: SweptTensor(over, each, 4) for name, each in powers.items()
        }

    def map(self, shown: Option, drawn: Table, along: str, alt: str, control: str) -> Chart:
        """Draw the heat map of one quantity, norms by columns, with a color scale of its own.

        Args:
            shown: the option that selects it; the tensor of its values is named `<value> map`.
            drawn: the logarithms.
            along: the name of the depth.
            alt: the values at the selected norm and column, a template.
            control: the choice between the maps.
        """
        columns, rows = range(len(self.labels)), range(len(self.x))
        known = drawn[drawn.isfinite()]
        low, high = (float(end) for end in known.aminmax()) if len(known) else (0.0, 1.0)
        shades = heatmap(
            [column for _ in rows for column in columns],
            [row for row in rows for _ in columns],
            f"{shown.value} map",
            SHADES,
            (
                math.floor(low * 10**DECIMALS) / 10**DECIMALS,
                math.ceil(high * 10**DECIMALS) / 10**DECIMALS,
            ),
            log=True,
        )
        noun = self.noun
        return chart(
            f"{shown.label[0].upper()}{shown.label[1:]}: every {noun} at every norm",
            [shades, marker(self.column, self.norm)],
            _columns(noun, self.labels),
            linear_axis(along, -0.5, len(rows) - 0.5, padded=False, ticks=self.ticks or None),
            f"A heat map of {shown.label} for every {noun} at every norm, logarithmic. {alt}",
            height=HEIGHT,
            when={control: (shown.value,)},
            legend=False,
        )

    def table(self, title: str, names: tuple[str, str]) -> tuple[Grid, dict[str, SweptTensor]]:
        """Return the grid and tensors of a table of both quantities at the selected norm.

        Args:
            title: the title, a template.
            names: the names of the two quantities.
        """
        rows = {"x row": self.x, "y row": self.y}
        labeled = tuple(zip(names, rows, strict=True))
        grid = Grid(title, self.column.name, UNCOLORED, rows=labeled, format="g3")
        return grid, {name: SweptTensor((self.norm.name,), each) for name, each in rows.items()}

    def curves(
        self,
        title: str,
        axis: str,
        along: ChartAxis,
        names: tuple[str, str],
        alt: str,
        more: Iterable[ChartTrace] = (),
        others: Float[Tensor, " others"] = NONE,
    ) -> Chart:
        """Draw both quantities against depth for the selected column.

        Args:
            title: the title, a template.
            axis: the title of the vertical axis.
            along: the axis along the depth.
            names: the names of the two quantities.
            alt: the alternative text, a template.
            more: further layers.
            others: further values that the axis has to contain.
        """
        every = torch.cat([self.x.flatten(), self.y.flatten(), others])
        x, y = names
        return chart(
            title,
            [
                line(x, "ink", self.norm, "x power"),
                line(y, "accent", self.norm, "y power", dash="dash", width=2),
                list(more),
            ],
            along,
            size_axis(axis, every),
            alt,
            height=HEIGHT,
        )


def size_axis(title: str, values: Tensor) -> ChartAxis:
    """Return a logarithmic axis for a quantity; zeros, infinities and NaN are not drawn."""
    known = values[values.isfinite() & (values > 0)]
    low, high = (float(end) for end in known.double().aminmax()) if len(known) else (0.1, 1.0)
    if low >= FEWEST and high <= 1 / FEWEST and high < FINE * low:
        return short_log_axis(title, low, high)
    first, last = (float(to_log10(torch.tensor(end))) for end in (low, high))
    return log_axis(title, first, last)


def _columns(noun: str, labels: Sequence[str]) -> ChartAxis:
    """Return a heat map's horizontal axis: few ticks for numeric labels, all ticks for words."""
    if not all(label.isdigit() for label in labels):
        return category_axis(noun, labels, tickangle=-45)
    every = max(1, len(labels) // 8)
    ticks = {float(at): label for at, label in enumerate(labels) if at % every == 0}
    return linear_axis(noun, -0.5, len(labels) - 0.5, padded=False, ticks=ticks, zeroline=False)
