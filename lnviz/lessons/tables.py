"""Comparison tables whose cells link to the figures that show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Literal

Evidence = Literal["measured here", "cited", "not measured here"]


@dataclass(frozen=True)
class CellSource:
    """The publication that a cell of a comparison table cites.

    Attributes:
        label: authors and year, or the title.
        url: the URL of the source.
    """

    label: str
    url: str


@dataclass(frozen=True)
class ComparisonCell:
    """A cell of a comparison table: a short text, and the figure or publication that supports it.

    Attributes:
        text: a few words.
        figure: the URL of the figure or section that supports it, such as `batch#figure-noise`.
        evidence: whether it was measured here, cited, or neither.
        source: the source of a cited cell.

    Raises:
        ValueError: the cell is cited but has no source, or has a source but is not cited.
    """

    text: str
    figure: str
    evidence: Evidence
    source: CellSource | None = None

    def __post_init__(self) -> None:
        if (self.evidence == "cited") != (self.source is not None):
            raise ValueError(
                f"A cell has a source if it is cited, and only then; got {self.evidence!r} and "
                f"{self.source} for {self.text!r}."
            )


@dataclass(frozen=True)
class ComparisonRow:
    """A row of a comparison table: a label, and one cell for each column.

    Evidence that all its cells share is shown once, below the label.

    Attributes:
        label: the row's heading.
        cells: the cells, one for each column.
        color: the theme token of the label's color; "" for none.
    """

    label: str
    cells: tuple[ComparisonCell, ...]
    color: str = ""


@dataclass(frozen=True)
class ComparisonTable:
    """A comparison table, which readers can sort by any column.

    Attributes:
        name: the name in URLs, and in the text's placeholder.
        caption: a sentence that says what is compared.
        head: the heading of the column of labels.
        columns: the headings of the other columns.
        rows: the rows, in their initial order.

    Raises:
        ValueError: a row has more or fewer cells than there are columns.
    """

    name: str
    caption: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"Table {self.name!r} has {len(self.columns)} columns, got {len(row.cells)} "
                    f"cells in row {row.label!r}. Give every column one."
                )


def _unchanged(address: str) -> str:
    return address


def table_html(table: ComparisonTable, address: Callable[[str], str] = _unchanged) -> str:
    """Render a comparison table as HTML, with all text escaped; `tables.js` makes it sortable.

    Args:
        table: the table.
        address: maps the URLs of figures and sources to those in the HTML.

    Returns:
        A region that scrolls sideways if it is narrower than the table.

    >>> cell = ComparisonCell("yes", "batch#figure-noise", "measured here")
    >>> row = ComparisonRow("a < b", (cell,))
    >>> table = ComparisonTable("one", "Norms.", "norm", ("batch?",), (row,))
    >>> '<th scope="row">a &lt; b</th>' in table_html(table)
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


def _row(row: ComparisonRow, address: Callable[[str], str]) -> str:
    style = f' style="color: var(--ln-{escape(row.color)})"' if row.color else ""
    first, *others = ((cell.evidence, cell.source) for cell in row.cells)
    is_said_once = bool(others) and all(each == first for each in others)
    known = _evidence(row.cells[0], address) if is_said_once else ""
    cells = "".join(
        f'<td><a href="{escape(address(cell.figure))}">{escape(cell.text)}</a>'
        f"{'' if is_said_once else _evidence(cell, address)}</td>"
        for cell in row.cells
    )
    return f'<tr><th scope="row"{style}>{escape(row.label)}{known}</th>{cells}</tr>'


def _evidence(cell: ComparisonCell, address: Callable[[str], str]) -> str:
    """Return HTML that says whether a cell is cited or unmeasured; "" if it was measured here."""
    if cell.evidence == "measured here":
        return ""
    known = escape(cell.evidence)
    if cell.source:
        label, there = escape(cell.source.label), escape(address(cell.source.url))
        known = f'{known}: <a href="{there}">{label}</a>'
    return f"<small>{known}</small>"
