"""Selection of the numbers in a raw table: without text, and without rows or columns with gaps."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lnviz.data.uploads.cells import Column, Kind, is_blank, parse_column
from lnviz.data.uploads.raw_table import RawTable, is_index_name
from lnviz.data.uploads.requirements import (
    DataTable,
    UploadError,
    dedupe_labels,
    quote,
    require_max_columns,
    to_tensor,
)

MAX_NAMED: Final = 6
"""Maximum number of columns that a sentence names."""

WITHOUT_ROWS, WITHOUT_COLUMNS = ", rows with gaps left out", ", columns with gaps left out"
"""What is added to a table's name where a reader can choose how gaps are left out."""

_KINDS: Final[dict[Kind, str]] = {
    "words": "words",
    "text": "text",
    "dates": "dates or times",
    "lists": "lists or objects",
    "empty": "no values",
}


@dataclass(frozen=True, eq=False)
class NumericTable:
    """A table of finite numbers, and sentences on what was left out of the file's table."""

    table: DataTable
    notes: tuple[str, ...] = ()


def choose_numbers(file: str, name: str, raw: RawTable) -> dict[str, NumericTable]:
    """Return the numeric tables in a raw table, first the table that keeps the most numbers.

    Columns of text are left out. If there are gaps, the first table leaves out those rows and
    columns that cost the fewest numbers; the others leave out all rows, or all columns, with gaps.

    Args:
        file: the file's name, for messages.
        name: the name of the table.
        raw: the table as it stands in the file.

    Raises:
        UploadError: fewer than two rows or columns of numbers remain.
    """
    require_max_columns(file, len(raw.columns))
    parsed = [parse_column(cells, comma=raw.comma) for cells in raw.columns]
    notes = list(raw.notes)
    labels = _take_labels(raw, parsed, notes)
    kept = [d for d, column in enumerate(parsed) if column.kind == "numbers" and d != labels]
    notes += _describe_left_out(raw, parsed, labels)
    if len(kept) < 2:
        held = f"one column of numbers ({raw.describe_column(kept[0])})" if kept else "no numbers"
        raise UploadError(
            " ".join(
                [
                    f"{file} holds {held}, but at least two columns of numbers are needed, since "
                    "LayerNorm turns a single number into 0.",
                    *notes,
                ]
            )
        )
    _require_one_decimal_mark(file, raw, kept)
    notes += _describe_read(raw, parsed, kept)
    names = raw.names and list(dedupe_labels([raw.names[d] for d in kept]))
    grid = np.column_stack([parsed[d].values for d in kept])
    choices = _choose_complete(grid)
    if not choices:
        raise UploadError(" ".join([_describe_gaps(file, raw, kept, np.isnan(grid)), *notes]))
    tables: dict[str, NumericTable] = {}
    for suffix, (rows, columns) in choices.items():
        ids = [kept[d] for d in columns]
        values = to_tensor(
            file,
            grid[np.ix_(rows, columns)],
            lambda n, d, rows=rows, ids=ids: (  # type: ignore[misc]
                f"Row {raw.row_numbers[rows[n]]:,}, column {ids[d] + raw.first_column:,}"
            ),
        )
        table = DataTable(
            values,
            dedupe_labels([raw.row_labels[n] for n in rows]) if raw.row_labels else (),
            tuple(names[d] for d in columns) if names else (),
        )
        tables[name + suffix] = NumericTable(
            table, (*notes, *_describe_choice(raw, kept, np.isnan(grid), rows, columns))
        )
    return tables


def _take_labels(raw: RawTable, parsed: Sequence[Column], notes: list[str]) -> int:
    """If the table has no row labels, use a column as labels; return its index, or -1."""
    if raw.row_labels or not raw.names or not raw.columns:
        return -1
    first = parsed[0]
    if first.kind == "numbers":
        whole = bool(np.all(first.values == np.round(first.values)))
        if not (whole and is_index_name(raw.names[0]) and _all_differ(raw.columns[0])):
            return -1
        raw.row_labels = [f"{number:.0f}" for number in first.values]
        notes.append(f"{raw.describe_column(0)} was left out: it holds row numbers.")
        return 0
    for d, column in enumerate(parsed):
        if column.kind in ("words", "text", "dates") and _all_differ(raw.columns[d]):
            raw.row_labels = ["" if is_blank(cell) else str(cell) for cell in raw.columns[d]]
            notes.append(f"{raw.describe_column(d)} was left out: it holds row names.")
            return d
    return -1


def _all_differ(cells: Sequence[object]) -> bool:
    return len(set(map(str, cells))) == len(cells)


def _describe_left_out(raw: RawTable, parsed: Sequence[Column], labels: int) -> list[str]:
    """Return a sentence for each kind of column that was left out."""
    sentences = []
    for kind, held in _KINDS.items():
        ids = [d for d, column in enumerate(parsed) if column.kind == kind and d != labels]
        if kind == "empty" and raw.names:
            ids = [d for d in ids if raw.names[d].strip()]
        if not ids:
            continue
        example = parsed[ids[0]].example
        such = ""
        if example >= 0 and kind != "lists":
            cell = quote(str(raw.columns[ids[0]][example]))
            such = f" ({cell} in row {raw.row_numbers[example]:,})"
        be, it = ("was", "it holds") if len(ids) == 1 else ("were", "they hold")
        listed = _enumerate(raw.describe_column(d) for d in ids)
        sentences.append(f"{listed} {be} left out: {it} {held}{such}.")
    return sentences


def _describe_read(raw: RawTable, parsed: Sequence[Column], kept: Sequence[int]) -> list[str]:
    """Return sentences on cells that were not read literally, such as `true` read as 1."""
    sentences = []
    if truths := [raw.describe_column(d) for d in kept if parsed[d].is_truth]:
        sentences.append(f"In {_enumerate(truths)}, true is 1 and false is 0.")
    if commas := [raw.describe_column(d) for d in kept if parsed[d].has_thousands]:
        sentences.append(f"Commas in {_enumerate(commas)} were read as thousands separators.")
    strays = [d for d in kept if parsed[d].example >= 0]
    if strays:
        stray = parsed[strays[0]].example
        listed = _enumerate(raw.describe_column(d) for d in strays)
        sentences.append(
            f"Text in {listed} counts as a gap "
            f"({quote(str(raw.columns[strays[0]][stray]))} in row {raw.row_numbers[stray]:,})."
        )
    return sentences


def _choose_complete(
    grid: npt.NDArray[np.float64],
) -> dict[str, tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Return the rows and columns of each table without gaps, by suffix of the table's name.

    Columns are ordered by their gaps; keeping the first k of them keeps the rows whose first gap,
    in this order, is at k or later. The first table has the k with the most numbers.
    """
    gaps = np.isnan(grid)
    count, width = gaps.shape
    everything = np.arange(count), np.arange(width)
    if not gaps.any():
        return {"": everything}
    order = np.argsort(gaps.sum(0), kind="stable")
    first_gap = np.where(gaps.any(1), gaps[:, order].argmax(1), width)
    kept_rows = count - np.searchsorted(np.sort(first_gap), np.arange(width + 1))
    sizes = np.arange(2, width + 1)
    usable = sizes[kept_rows[2:] >= 2]
    if not usable.size:
        return {}
    best = int(usable[::-1][np.argmax((usable * kept_rows[usable])[::-1])])

    def table(k: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        return np.flatnonzero(first_gap >= k), np.sort(order[:k])

    complete = int((~gaps.any(0)).sum())
    choices = {"": table(best)}
    if best != width and kept_rows[width] >= 2:
        choices[WITHOUT_ROWS] = table(width)
    if best != complete and complete >= 2:
        choices[WITHOUT_COLUMNS] = table(complete)
    return choices


def _describe_choice(
    raw: RawTable,
    kept: Sequence[int],
    gaps: npt.NDArray[np.bool_],
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
) -> list[str]:
    """Return sentences on the rows and columns that were left out because of gaps."""
    count, width = gaps.shape
    sentences = []
    if len(columns) < width:
        lost = [d for d in range(width) if d not in set(columns.tolist())]
        listed = _enumerate(raw.describe_column(kept[d]) for d in lost)
        be, it = ("was", "it has") if len(lost) == 1 else ("were", "they have")
        number = int(gaps[:, lost].sum())
        sentences.append(f"{listed} {be} left out: {it} {number:,} gap{'s' * (number != 1)}.")
    if len(rows) < count:
        lost_rows = np.ones(count, bool)
        lost_rows[rows] = False
        place = int(np.argmax(lost_rows))
        d = kept[int(columns[np.argmax(gaps[place, columns])])]
        number = int(lost_rows.sum())
        be, have = ("was", "it has a gap") if number == 1 else ("were", "they have gaps")
        sentences.append(
            f"{number:,} of {count:,} rows {be} left out: {have} (the first is row "
            f"{raw.row_numbers[place]:,}, where {raw.describe_column(d)} "
            f"{_describe_gap(raw, d, place)})."
        )
    return sentences


def _describe_gap(raw: RawTable, d: int, n: int) -> str:
    cells = raw.columns[d]
    if isinstance(cells, np.ndarray) or is_blank(cells[n]):
        return "is empty"
    return f"is {quote(str(cells[n]))}"


def _describe_gaps(
    file: str, raw: RawTable, kept: Sequence[int], gaps: npt.NDArray[np.bool_]
) -> str:
    """Return the error message for a table with too many gaps to read any part."""
    n, d = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    place, column = int(n), kept[int(d)]
    return (
        f"{file} has gaps in too many rows: no two rows have numbers in the same two columns. Row "
        f"{raw.row_numbers[place]:,} is the first, where {raw.describe_column(column)} "
        f"{_describe_gap(raw, column, place)}. Enter a number in every cell."
    )


def _require_one_decimal_mark(file: str, raw: RawTable, kept: Sequence[int]) -> None:
    """Raise an error if some numbers have a decimal comma, and others a decimal point."""
    if not raw.comma:
        return
    marks: dict[str, int] = {}
    for d in kept:
        for n, cell in enumerate(raw.columns[d]):
            if isinstance(cell, str) and (found := re.search("[.,]", cell)) and len(cell) > 1:
                marks.setdefault(found[0], raw.row_numbers[n])
    if len(marks) == 2:
        raise UploadError(
            f"Numbers in {file} have a decimal comma (row {marks[',']:,}) and a decimal point "
            f"(row {marks['.']:,}). Use one of them throughout, and no thousands separators."
        )


def _enumerate(names: Iterable[str]) -> str:
    """Join names as in a sentence; if there are many, count the rest.

    >>> _enumerate(["a", "b", "c"])
    'a, b and c'
    """
    listed = list(names)
    if len(listed) > MAX_NAMED:
        listed = [*listed[: MAX_NAMED - 1], f"{len(listed) - MAX_NAMED + 1:,} more columns"]
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
