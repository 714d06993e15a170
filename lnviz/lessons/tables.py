"""A table that compares things: every cell leads to what shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Literal

Known = Literal["measured here", "cited", "not measured here"]


@dataclass(frozen=True)
class Source:
    """The source of a cited cell.

    Attributes:
        label: authors and year, or the name of what is cited.
        address: the address of the source.
    """

    label: str
    address: str


@dataclass(frozen=True)
class Cell:
    """What a table says in one place.

    Attributes:
        text: a few words.
        figure: the address of what shows it, such as `batch#figure-noise`.
        known: how it is known.
        source: the source of a cited cell.

    Raises:
        ValueError: a cell is cited without a source, or has a source and is not cited.
    """

    text: str
    figure: str
    known: Known
    source: Source | None = None

    def __post_init__(self) -> None:
        if (self.known == "cited") != (self.source is not None):
            raise ValueError(
                f"A cell has a source if it is cited, and only then; got {self.known!r} and "
                f"{self.source} for {self.text!r}."
            )


@dataclass(frozen=True)
class Row:
    """One thing that is compared, with its cells.

    What is known of all its cells alike is said once, below its label.

    Attributes:
        label: the head of the row.
        cells: one for each column.
        color: the name of a color of the theme for the label; empty for none.
    """

    label: str
    cells: tuple[Cell, ...]
    color: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose rows can be sorted by each of its columns.

    Attributes:
        name: the name in addresses, and in the text that places it.
        caption: a sentence that says what is compared.
        head: the head of the column of labels.
        columns: the heads of the other columns.
        rows: the rows, in the order in which the table opens.

    Raises:
        ValueError: a row has more or fewer cells than there are columns.
    """

    name: str
    caption: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"Table {self.name!r} has {len(self.columns)} columns, got {len(row.cells)} "
                    f"cells in row {row.label!r}. Give every column one."
                )


def _as_written(address: str) -> str:
    return address


def html(table: Table, address: Callable[[str], str] = _as_written) -> str:
    """Return a table as HTML; `tables.js` makes its heads sort it.

    Args:
        table: the table to be written.
        address: turns an address of a figure or a source into the one that is written.

    Returns:
        A box that scrolls sideways where it is narrower than the table, everything in it escaped.

    >>> cell = Cell("yes", "batch#figure-noise", "measured here")
    >>> one = Table("one", "Norms.", "norm", ("batch?",), (Row("a < b", (cell,)),))
    >>> '<th scope="row">a &lt; b</th>' in html(one)
    True
    """
    heads = "".join(
        f'<th scope="col"><button type="button">{escape(head)}</button></th>'
        for head in (table.head, *table.columns)
    )
    rows = "".join(_row(row, address) for row in table.rows)
    return (
        f'<div class="ln-table" id="table-{escape(table.name)}" role="region" tabindex="0" '
        f'aria-label="{escape(table.caption)}">'
        f"<table><caption>{escape(table.caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(row: Row, address: Callable[[str], str]) -> str:
    style = f' style="color: var(--ln-{escape(row.color)})"' if row.color else ""
    first, *others = ((cell.known, cell.source) for cell in row.cells)
    is_said_once = bool(others) and all(each == first for each in others)
    known = _known(row.cells[0], address) if is_said_once else ""
    cells = "".join(
        f'<td><a href="{escape(address(cell.figure))}">{escape(cell.text)}</a>'
        f"{'' if is_said_once else _known(cell, address)}</td>"
        for cell in row.cells
    )
    return f'<tr><th scope="row"{style}>{escape(row.label)}{known}</th>{cells}</tr>'


def _known(cell: Cell, address: Callable[[str], str]) -> str:
    """How a cell is known, or all cells of a row; of what is measured here nothing is said."""
    if cell.known == "measured here":
        return ""
    known = escape(cell.known)
    if cell.source:
        label, there = escape(cell.source.label), escape(address(cell.source.address))
        known = f'{known}: <a href="{there}">{label}</a>'
    return f"<small>{known}</small>"
