"""Figures of a table printed in the paper: the table, and comparisons for the selected cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lnviz.explorable import UNCOLORED, CellPicker, Chart, Choice, Grid, SweptTensor, ViewRow, When
from lnviz.lessons.captions import Captions, CaptionVariant, load_captions
from lnviz.lessons.chart_axes import category_axis, linear_axis
from lnviz.lessons.charts import ChartTrace, bars, chart, labels
from lnviz.lessons.interpolation import join_words
from lnviz.topics.paper import PrintedTable, TableColumn

WIDTH = 0.8  # of a group of bars
MISSING = "–"
CAPTIONS = load_captions(__file__)
_KINDS = ("printed", "unprinted", "better", "worse", "gone", "counted")


@dataclass(frozen=True)
class PrintedTables:
    """Printed tables with the same rows and columns, of which the figure shows one at a time.

    Attributes:
        tables: a table for each option of `task`.
        pointer: the cell picker; its row is the baseline, its column the measure.
        task: the choice of the table; None if there is only one.
        tokens: a theme color for each row.
        hollow: the rows whose bars are drawn as outlines.
        format: the format of the cells.
    """

    tables: tuple[PrintedTable, ...]
    pointer: CellPicker
    task: Choice | None
    tokens: tuple[str, ...]
    hollow: tuple[str, ...]
    format: str

    @property
    def over(self) -> tuple[str, ...]:
        """The name of the control that selects a table; () if there is only one table."""
        return (self.task.name,) if self.task else ()

    def drop_single_table(self, values: Tensor) -> Tensor:
        """Return values without their leading axis, the tables, if there is only one table."""
        return values if self.task else values[0]

    def when(self, table: int, cells: Sequence[tuple[int, int]]) -> When:
        """Return the condition that a table is shown and one of the given cells is selected."""
        task = {self.task.name: (self.task.options[table].value,)} if self.task else {}
        return task | {self.pointer.name: tuple(cells)}

    def column_cells(self, column: int) -> list[tuple[int, int]]:
        """Return the row and column indices of all cells in a column."""
        return [(row, column) for row in range(len(self.pointer.rows))]


def views(sheet: PrintedTables, title: str, words: Captions) -> tuple[ViewRow, ...]:
    """Draw the table, its captions, the selected column, and improvements over the selected row.

    Args:
        sheet: the tables.
        title: the title of the table, a template.
        words: the captions on the measures, by key.
    """
    return (
        (_grid(sheet, title),),
        _words(sheet, words),
        (*_value_charts(sheet), _gain_chart(sheet)),
    )


def tensors(sheet: PrintedTables) -> dict[str, SweptTensor]:
    """Return tensors of the printed values, and of improvements over the selected cell's row."""
    columns, rows = len(sheet.pointer.columns), len(sheet.pointer.rows)
    values = torch.stack([table.values for table in sheet.tables])  # T,M,C
    shares = 100 * torch.stack([table.shares for table in sheet.tables])  # T,base,M,C
    pointed = values.mT.repeat(1, rows, 1)  # T,cells,M: cell (r, c) has column c
    gains = shares.repeat_interleave(columns, 1)  # T,cells,M,C: cell (r, c) has row r
    over = (*sheet.over, sheet.pointer.name)

    def cells(values: Tensor, decimals: int) -> SweptTensor:
        return SweptTensor(over, sheet.drop_single_table(values).contiguous(), decimals)

    def zero(values: Tensor) -> Tensor:
        """Return 0 for cells without a printed value, where a dash is drawn; else NaN."""
        return torch.where(values.isnan(), 0.0, torch.nan)

    made = {
        "table": SweptTensor(
            sheet.over, sheet.drop_single_table(values.flatten(1)).contiguous(), 3
        ),
        "rows": SweptTensor((sheet.pointer.name,), torch.arange(rows * columns) // columns, 0),
        "missing values": cells(zero(pointed), 0),
        "missing gains": cells(zero(gains).flatten(2), 0),
    }
    for at, model in enumerate(sheet.tables[0].models):
        one = torch.full_like(pointed, torch.nan)
        one[..., at] = pointed[..., at]
        made[f"{model.key} value"] = cells(one, 3)
        made[f"{model.key} gains"] = cells(gains[:, :, at], 2)
    return made


def _grid(sheet: PrintedTables, title: str) -> Grid:
    """Draw the printed table, with the baseline row outlined."""
    missing = torch.stack([table.values.isnan() for table in sheet.tables]).all(0)
    return Grid(
        title,
        sheet.pointer.name,
        UNCOLORED,
        "table",
        groups="rows",
        format=sheet.format,
        words=tuple(MISSING if gone else "" for gone in missing.flatten().tolist()),
    )


def _value_charts(sheet: PrintedTables) -> Iterator[Chart]:
    """Yield charts of the selected column's values on an axis from 0."""
    for column, measure in enumerate(sheet.tables[0].measures):
        top = max(
            measure.perfect or 0.0,
            *(1.05 * float(table.values[:, column].nan_to_num().max()) for table in sheet.tables),
        )
        yield _values(sheet, column, measure, top)


def _values(sheet: PrintedTables, column: int, measure: TableColumn, top: float) -> Chart:
    models = sheet.tables[0].models
    places = [float(place) for place in range(len(models))]
    of = f", {{{sheet.task.name}}}" if sheet.task else ""
    return chart(
        f"{measure.label} from 0{of}",
        [
            *(_bars(sheet, at, places, WIDTH, "value") for at in range(len(models))),
            labels(places, "missing values", [MISSING] * len(places), "top center"),
        ],
        linear_axis(
            "the four rows of the table, in order", -0.6, len(models) - 0.4, padded=False, ticks=()
        ),
        linear_axis(f"{measure.label}, {_direction(measure)}", 0, top, padded=False),
        f"How the rows compare in {measure.label}{of} ({_direction(measure)}), on an axis from 0 "
        f"to {top:g}. Selected: {{{sheet.pointer.name}}}. The numbers are in the table and below.",
        height=300,
        when={sheet.pointer.name: tuple(sheet.column_cells(column))},
        barmode="overlay",
    )


def _gain_chart(sheet: PrintedTables) -> Chart:
    """Draw the improvement of each row over the selected row, for all columns."""
    models, measures = sheet.tables[0].models, sheet.tables[0].measures
    width = WIDTH / len(models)
    offsets = [(at - (len(models) - 1) / 2) * width for at in range(len(models))]
    places = [[place + offset for place in range(len(measures))] for offset in offsets]
    shares = 100 * torch.stack([table.shares.nan_to_num() for table in sheet.tables])
    reach = 1.05 * float(shares.abs().max())
    of = f" {{{sheet.task.name}}}." if sheet.task else ""
    return chart(
        "How much of the outlined row’s distance to a perfect score the others close",
        [
            *(_bars(sheet, at, places[at], width, "gains") for at in range(len(models))),
            # In the order of the tensor: all measures of the first model, then of the second.
            labels(
                [place for row in places for place in row],
                "missing gains",
                [MISSING] * len(models) * len(measures),
                "top center",
            ),
        ],
        category_axis("", [measure.label.replace(" ", "<br>") for measure in measures], beyond=0.6),
        linear_axis(
            "% of what is missing, up is better", -reach, reach, padded=False, zerolinewidth=2
        ),
        f"How much of the outlined row’s distance to a perfect score each other row closes, for "
        f"every measure.{of} Selected: {{{sheet.pointer.name}}}. The differences in the selected "
        "column are below.",
        height=300,
        barmode="overlay",
    )


def _bars(
    sheet: PrintedTables, at: int, places: Sequence[float], width: float, what: str
) -> list[ChartTrace]:
    """Draw the values of one row of the table as bars."""
    model, token = sheet.tables[0].models[at], sheet.tokens[at]
    edge = {"color": f"var(--ln-{token})", "width": 2}
    hollow = {"marker": {"color": "var(--ln-page)", "line": edge}}
    look: dict[str, Any] = hollow if model.key in sheet.hollow else {}
    return bars(model.label, token, places, f"{model.key} {what}", width=width, **look)


def _direction(measure: TableColumn) -> str:
    return "higher is better" if measure.higher else "lower is better"


def _words(sheet: PrintedTables, words: Captions) -> ViewRow:
    """Return captions for every cell: its metric, the differences, and counts of better values."""
    measures = sheet.tables[0].measures
    explained = {
        measure.key: (CaptionVariant({sheet.pointer.name: tuple(sheet.column_cells(column))}),)
        for column, measure in enumerate(measures)
    }
    cases: dict[str, list[CaptionVariant]] = {kind: [] for kind in _KINDS}
    for at, table in enumerate(sheet.tables):
        for kind, base, column, values in _cells(table):
            cases[kind].append(CaptionVariant(sheet.when(at, [(base, column)]), values))
        for base, values in enumerate(_counts(table)):
            cases["counted"].append(
                CaptionVariant(sheet.when(at, sheet.pointer.cells_in_row(base)), values)
            )
    compared = CAPTIONS.render(variants={kind: tuple(some) for kind, some in cases.items()})
    return (*words.render(variants=explained).readouts, *compared.readouts)


def _cells(table: PrintedTable) -> Iterator[tuple[str, int, int, dict[str, str]]]:
    """Yield the caption variants of a table: the caption's key, row, column, and values."""
    for base, model in enumerate(table.models):
        for column, measure in enumerate(table.measures):
            name, own = model.label, table.rows[base][column]
            top, best = _best(table, column)
            facts = {"measure": measure.label, "name": name, "top": top, "best": best}
            if own is None:
                yield "unprinted", base, column, facts
                continue
            yield "printed", base, column, {**facts, "own": measure.written(own)}
            for kind, others in _compared(table, base, column).items():
                if others:
                    yield kind, base, column, {"name": name, "others": join_words(others)}


def _compared(table: PrintedTable, base: int, column: int) -> dict[str, list[str]]:
    """Return the labels of the rows that are better or worse than one row, or not printed."""
    measure = table.measures[column]
    compared: dict[str, list[str]] = {"better": [], "worse": [], "gone": []}
    for row, (model, values) in enumerate(zip(table.models, table.rows, strict=True)):
        gain = float(table.gains[base, row, column])
        size = f"“{model.label}” by {measure.written(abs(gain))}{measure.unit}"
        if values[column] is None:
            compared["gone"].append(f"“{model.label}”")
        elif round(gain, measure.decimals):
            compared["better" if gain > 0 else "worse"].append(size)
    return compared


def _best(table: PrintedTable, column: int) -> tuple[str, str]:
    """Return the best value in a column, and the labels of the rows that have it."""
    measure = table.measures[column]
    printed = [row[column] for row in table.rows]
    known = [value for value in printed if value is not None]
    top = max(known) if measure.higher else min(known)
    whose = (m.label for m, value in zip(table.models, printed, strict=True) if value == top)
    return measure.written(top), join_words(f"“{label}”" for label in whose)


def _counts(table: PrintedTable) -> Iterator[dict[str, str]]:
    """Yield, for each baseline row, in how many columns each other row has a better value."""
    for base, model in enumerate(table.models):
        counted = []
        for row, other in enumerate(table.models):
            if row != base:
                gains = table.gains[base, row]
                known, ahead = int((~gains.isnan()).sum()), int((gains > 1e-9).sum())
                counted.append(f"“{other.label}” in {ahead} of {known}")
        yield {"name": model.label, "others": "; ".join(counted), "source": table.source}
