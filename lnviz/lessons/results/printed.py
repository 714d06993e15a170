"""A table as the paper prints it: the cell pointed at says what is compared, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.explorable import Chart, Choice, Grid, Pointer, Readout, Row, Swept, When
from lnviz.lessons.chart_axes import categories, linear
from lnviz.lessons.charts import Part, bars, chart, plotted
from lnviz.topics.paper import Measure, Printed

WIDTH = 0.8  # of a group of bars
MISSING = "–"


@dataclass(frozen=True)
class Sheet:
    """Tables with the same rows and columns, one of which is shown.

    Attributes:
        tables: a table for each option of `task`.
        pointer: its row is what all others are compared with, its column the measure.
        task: which table is shown; None where there is but one.
        tokens: a color for each row.
        hollow: the rows whose bars are drawn as outlines.
        format: the format of the cells.
    """

    tables: tuple[Printed, ...]
    pointer: Pointer
    task: Choice | None
    tokens: tuple[str, ...]
    hollow: tuple[str, ...]
    format: str

    @property
    def over(self) -> tuple[str, ...]:
        """The controls that lead every tensor."""
        return (self.task.name,) if self.task else ()

    def swept(self, values: Tensor) -> Tensor:
        """Return values with a dimension for the tables, dropped where there is but one."""
        return values if self.task else values[0]

    def when(self, table: int, cells: Sequence[tuple[int, int]]) -> When:
        """Return where this table is shown and one of these cells is pointed at."""
        task = {self.task.name: (self.task.options[table].value,)} if self.task else {}
        return task | {self.pointer.name: tuple(cells)}

    def of_column(self, column: int) -> list[tuple[int, int]]:
        """Return the cells of a column."""
        return [(row, column) for row in range(len(self.pointer.rows))]

    def of_row(self, row: int) -> list[tuple[int, int]]:
        """Return the cells of a row."""
        return [(row, column) for column in range(len(self.pointer.columns))]


def views(sheet: Sheet, title: str) -> tuple[Row, ...]:
    """Draw the table, its words, the measure pointed at from 0, and gains over the row."""
    return (
        (_grid(sheet, title),),
        _words(sheet),
        (*_value_charts(sheet), _gain_chart(sheet)),
    )


def tensors(sheet: Sheet) -> dict[str, Swept]:
    """Return the numbers, and over the pointer's cells what its column and row make of them."""
    columns, rows = len(sheet.pointer.columns), len(sheet.pointer.rows)
    values = torch.stack([table.values for table in sheet.tables])  # T,M,C
    shares = 100 * torch.stack([table.shares for table in sheet.tables])  # T,base,M,C
    pointed = values.mT.repeat(1, rows, 1)  # T,cells,M: cell (r, c) has column c
    gains = shares.repeat_interleave(columns, 1)  # T,cells,M,C: cell (r, c) has row r
    over = (*sheet.over, sheet.pointer.name)

    def cells(values: Tensor, decimals: int) -> Swept:
        return Swept(over, sheet.swept(values).contiguous(), decimals)

    def zero(values: Tensor) -> Tensor:
        """0 where nothing is printed, for a dash to stand at."""
        return torch.where(values.isnan(), 0.0, torch.nan)

    made = {
        "table": Swept(sheet.over, sheet.swept(values.flatten(1)).contiguous(), 3),
        "rows": Swept((sheet.pointer.name,), torch.arange(rows * columns) // columns, 0),
        "missing values": cells(zero(pointed), 0),
        "missing gains": cells(zero(gains).flatten(2), 0),
    }
    for at, model in enumerate(sheet.tables[0].models):
        one = torch.full_like(pointed, torch.nan)
        one[..., at] = pointed[..., at]
        made[f"{model.key} value"] = cells(one, 3)
        made[f"{model.key} gains"] = cells(gains[:, :, at], 2)
    return made


def _grid(sheet: Sheet, title: str) -> Grid:
    """The table itself; the row that all are compared with is outlined."""
    missing = torch.stack([table.values.isnan() for table in sheet.tables]).all(0)
    return Grid(
        title,
        sheet.pointer.name,
        1e9,  # measures of several units: no color
        "table",
        groups="rows",
        format=sheet.format,
        words=tuple(MISSING if gone else "" for gone in missing.flatten().tolist()),
    )


def _value_charts(sheet: Sheet) -> Iterator[Chart]:
    """One measure on an axis that begins at 0, for the column pointed at."""
    for column, measure in enumerate(sheet.tables[0].measures):
        top = max(
            measure.perfect or 0.0,
            *(1.05 * float(table.values[:, column].nan_to_num().max()) for table in sheet.tables),
        )
        yield _values(sheet, column, measure, top)


def _values(sheet: Sheet, column: int, measure: Measure, top: float) -> Chart:
    models = sheet.tables[0].models
    places = [float(place) for place in range(len(models))]
    of = f", {{{sheet.task.name}}}" if sheet.task else ""
    return chart(
        f"{measure.label} from 0{of}",
        [
            *(_bars(sheet, at, places, WIDTH, "value") for at in range(len(models))),
            _dashes(places, "missing values"),
        ],
        linear(
            "the four rows of the table, in order", -0.6, len(models) - 0.4, room=False, ticks=()
        ),
        linear(f"{measure.label}, {_direction(measure)}", 0, top, room=False),
        f"{measure.label}{of}, {_direction(measure)}, as bars on an axis from 0 to {top:g}. "
        f"Pointed at: {{{sheet.pointer.name}}}. The numbers stand in the table and below.",
        height=300,
        when={sheet.pointer.name: tuple(sheet.of_column(column))},
        barmode="overlay",
    )


def _gain_chart(sheet: Sheet) -> Chart:
    """How much better each row is than the one pointed at, in all measures."""
    models, measures = sheet.tables[0].models, sheet.tables[0].measures
    width = WIDTH / len(models)
    offsets = [(at - (len(models) - 1) / 2) * width for at in range(len(models))]
    places = [[place + offset for place in range(len(measures))] for offset in offsets]
    shares = 100 * torch.stack([table.shares.nan_to_num() for table in sheet.tables])
    reach = 1.05 * float(shares.abs().max())
    of = f" {{{sheet.task.name}}}." if sheet.task else ""
    return chart(
        "How much of what the outlined row lacks the others make up",
        [
            *(_bars(sheet, at, places[at], width, "gains") for at in range(len(models))),
            # In the order of the tensor: all measures of the first model, then of the second.
            _dashes([place for row in places for place in row], "missing gains"),
        ],
        categories("", [measure.label.replace(" ", "<br>") for measure in measures], beyond=0.6),
        linear("% of what is missing, up is better", -reach, reach, room=False, zerolinewidth=2),
        f"Bars for each measure and row of the table: how much better than the outlined row, in "
        f"percent of what that row lacks of a perfect score.{of} Pointed at: "
        f"{{{sheet.pointer.name}}}. The differences of the column pointed at stand below.",
        height=300,
        barmode="overlay",
    )


def _bars(sheet: Sheet, at: int, places: Sequence[float], width: float, what: str) -> list[Part]:
    """The bars of one row of the table."""
    model, token = sheet.tables[0].models[at], sheet.tokens[at]
    edge = {"color": f"var(--ln-{token})", "width": 2}
    hollow = {"marker": {"color": "var(--ln-page)", "line": edge}}
    look = hollow if model.key in sheet.hollow else {}
    return bars(model.label, token, places, f"{model.key} {what}", width=width, **look)


def _dashes(places: Sequence[float], where: str) -> list[Part]:
    """What the paper writes where it has no number."""
    words = go.Scatter(
        mode="text", text=[MISSING] * len(places), textposition="top center", showlegend=False
    )
    return plotted(words, x=list(places), y=where)


def _direction(measure: Measure) -> str:
    return "higher is better" if measure.higher else "lower is better"


def _words(sheet: Sheet) -> Row:
    """Every cell in words: the measure, the differences, and who is ahead how often."""
    return tuple(
        readout
        for at, table in enumerate(sheet.tables)
        for part in (_meanings, _differences, _counts)
        for readout in part(sheet, at, table)
    )


def _meanings(sheet: Sheet, at: int, table: Printed) -> Iterator[Readout]:
    for column, measure in enumerate(table.measures):
        direction = _direction(measure).capitalize()
        yield Readout(
            f"{measure.label}: {measure.meaning} {direction}.",
            when=sheet.when(at, sheet.of_column(column)),
        )


def _differences(sheet: Sheet, at: int, table: Printed) -> Iterator[Readout]:
    for base in range(len(table.models)):
        for column in range(len(table.measures)):
            yield Readout(
                _compared(table, base, column),
                "verdict",
                sheet.when(at, [(base, column)]),
            )


def _compared(table: Printed, base: int, column: int) -> str:
    """One cell's row against all others, in one measure."""
    measure, own = table.measures[column], table.rows[base][column]
    name = table.models[base].label
    if own is None:
        return f"{measure.label} is not printed for “{name}”: nothing can be compared with it."
    parts = [
        f"“{other.label}” {_better(measure, float(table.gains[base, row, column]))}"
        for row, other in enumerate(table.models)
        if row != base and table.rows[row][column] is not None
    ]
    gone = [
        f"“{other.label}”"
        for other, values in zip(table.models, table.rows, strict=True)
        if values[column] is None
    ]
    lacking = f" Not printed: {', '.join(gone)}." if gone else ""
    return f"“{name}” has {measure.written(own)}. Against it: {'; '.join(parts)}.{lacking}"


def _better(measure: Measure, gain: float) -> str:
    if round(gain, measure.decimals) == 0:
        return "has the same"
    size = measure.written(abs(gain)) + measure.unit
    return f"is {size} {'better' if gain > 0 else 'worse'}"


def _counts(sheet: Sheet, at: int, table: Printed) -> Iterator[Readout]:
    """Count the measures in which each other row is ahead by the numbers, whatever their spread."""
    for base, model in enumerate(table.models):
        parts = []
        for row, other in enumerate(table.models):
            if row == base:
                continue
            gains = table.gains[base, row]
            known = int((~gains.isnan()).sum())
            parts.append(f"“{other.label}” in {int((gains > 1e-9).sum())} of {known}")
        yield Readout(
            f"Measures in which a row has the better number than “{model.label}”, of those "
            f"printed for both: {'; '.join(parts)}. {table.source}.",
            when=sheet.when(at, sheet.of_row(base)),
        )
