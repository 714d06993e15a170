"""Tables as they appear in files: rows of cells, arranged into columns, header and row labels."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lnviz.data.uploads.cells import is_blank, is_gap, is_text, parse_column, parse_number
from lnviz.data.uploads.requirements import UploadError, quote, require_max_columns

MAX_PREAMBLE_ROWS: Final = 40
"""Maximum number of rows that are left out above a table, such as its title."""

MAX_LOOKED_AT: Final = 200  # rows of a column, to tell numbers from text
_INDEX_NAMES: Final = re.compile(
    r"(|#|id|index|idx|no\.?|nr\.?|obs|row|row ?names?|unnamed: ?0|.*[ _.]id|.*[a-z]I[dD])"
)


@dataclass(eq=False)
class RawTable:
    """A table's cells by column, as they appear in the file.

    Attributes:
        columns: for each column, its cells, or an array of numbers with NaN for gaps.
        row_numbers: the number of each row in the file, for messages.
        names: a name per column, or none.
        row_labels: a label per row, or none.
        comma: whether numbers may have a decimal comma.
        notes: sentences on what was left out.
        first_column: number of the first column in the file, for messages.
    """

    columns: list[Any]
    row_numbers: Sequence[int]
    names: list[str] = field(default_factory=list)
    row_labels: list[str] = field(default_factory=list)
    comma: bool = False
    notes: list[str] = field(default_factory=list)
    first_column: int = 1

    def describe_column(self, d: int) -> str:
        """Return a column's name as shown in messages."""
        name = self.names[d].strip() if self.names else ""
        return quote(name) if name else f"Column {d + self.first_column:,}"


def is_index_name(name: str) -> bool:
    """Return whether a column of this name, such as `id`, numbers or identifies the rows.

    >>> is_index_name("customer_id"), is_index_name("width")
    (True, False)
    """
    return bool(_INDEX_NAMES.fullmatch(name.strip()) or _INDEX_NAMES.fullmatch(name.lower()))


def arrange(
    file: str,
    rows: list[list[Any]],
    row_numbers: list[int],
    *,
    comma: bool = False,
    comment: list[str] | None = None,
) -> RawTable:
    """Separate a table's header, units and row labels from its values; drop text around the table.

    Args:
        file: the file's name, for error messages.
        rows: the cells of every row that is not empty.
        row_numbers: the number of each row in the file.
        comma: whether numbers may have a decimal comma.
        comment: the cells of the comment right above the table, which may be its header.

    Raises:
        UploadError: there is no row of numbers, or rows differ in length.
    """
    notes: list[str] = []
    classes = _strip_class_header(rows, row_numbers)
    no_rows = UploadError(f"{file} has no row of numbers. Save it again with one row per example.")
    if not rows:
        raise no_rows
    width = Counter(map(len, rows)).most_common(1)[0][0]
    require_max_columns(file, width)
    header = _strip_preamble(rows, row_numbers, width, notes)
    if header is None and rows and _is_header(rows[0], rows[1:], comma):
        header = rows.pop(0)
        row_numbers.pop(0)
    if header is None and comment is not None and len(comment) in (width, width - 1):
        header = comment
    body = _even_out(file, rows, row_numbers, width, notes)
    if header is not None and body and _is_units(body, comma):
        units = body.pop(0)
        row_numbers.pop(0)
        header = [
            name if is_blank(unit) else f"{name} ({str(unit).strip()})"
            for name, unit in zip(header, units[-len(header) :], strict=False)
        ]
    if not body:
        raise no_rows
    columns: list[Any] = list(zip(*body, strict=True))
    names = [] if header is None else ["" if is_blank(name) else str(name) for name in header]
    if names and len(names) == width - 1 and all(is_blank(cell) for cell in columns[-1]):
        columns.pop()  # a comma at the end of every row
    table = RawTable(columns, row_numbers, names, comma=comma, notes=notes)
    if names and (len(names) == len(columns) - 1 or not names[0].strip()):
        table.row_labels = ["" if is_gap(cell) else str(cell) for cell in columns.pop(0)]
        table.names = names[len(names) - len(columns) :]
        table.first_column = 2
    if classes is not None:
        columns.pop()
        listed = ", ".join(quote(str(name)) for name in classes[:3])
        listed += ", ..." if len(classes) > 3 else ""
        notes.append(f"The last column was left out: it holds class numbers ({listed}).")
    return table


def _strip_class_header(rows: list[list[Any]], row_numbers: list[int]) -> list[Any] | None:
    """Remove scikit-learn's first line (rows, features, classes); return the class names."""
    if len(rows) < 3:
        return None
    first = rows[0]
    counts = [parse_number(cell) for cell in first[:2]]
    if counts != [len(rows) - 1, len(rows[1]) - 1] or not all(map(is_text, first[2:])):
        return None
    row_numbers.pop(0)
    return rows.pop(0)[2:] or None


def _strip_preamble(
    rows: list[list[Any]], row_numbers: list[int], width: int, notes: list[str]
) -> list[Any] | None:
    """Remove the rows above the table; return the last if it is the table's header."""
    count = 0
    while count < min(len(rows), MAX_PREAMBLE_ROWS) and len(rows[count]) != width:
        count += 1
    if not count or count == len(rows) or len(rows[count]) != width:
        return None
    above, first = rows[:count], row_numbers[0]
    last = above[-1]
    while len(last) > width and is_blank(last[-1]):
        last = last[:-1]
    is_header = len(last) in (width - 1, width) and all(parse_number(c) is None for c in last)
    if not is_header and len(last) > 1 and all(parse_number(cell) is not None for cell in last):
        return None  # a row of numbers that lacks a cell, or has one too many
    left_out = count - is_header
    if left_out == 1:
        notes.append(f"The first row (row {first:,}) was left out: it has a different length.")
    elif left_out:
        notes.append(f"The first {left_out} rows were left out: they have different lengths.")
    del rows[:count], row_numbers[:count]
    return last if is_header else None


def _is_header(first: list[Any], body: list[list[Any]], comma: bool) -> bool:
    """Return whether the first row names the columns."""
    numbers = [number for cell in first if (number := parse_number(cell, comma=comma)) is not None]
    if not numbers:
        return any(map(is_text, first)) or is_blank(first[0])
    if len(numbers) < 2 or not body or parse_number(first[0], comma=comma) is not None:
        return False
    steps = {b - a for a, b in itertools.pairwise(numbers)}
    if (
        len(steps) > 1
        or not steps <= {1, -1, 2, 4, 5, 10}
        or not all(map(float.is_integer, numbers))
    ):
        return False
    if all(1000 <= number < 3000 for number in numbers):
        return True
    is_numbered = numbers[0] in (0, 1) and steps == {1}
    return is_numbered and isinstance(first[0], str) and is_index_name(first[0])


def _is_units(body: list[list[Any]], comma: bool) -> bool:
    """Return whether the first row below the header holds units: text above numbers."""
    first, rest = body[0], body[1 : MAX_LOOKED_AT + 1]
    if not rest or any(parse_number(cell, comma=comma) is not None for cell in first):
        return False
    return any(
        is_text(cell)
        and str(cell).strip().lower() not in ("true", "false")
        and parse_column([row[d] for row in rest], comma=comma).kind == "numbers"
        for d, cell in enumerate(first)
    )


def _even_out(
    file: str, rows: list[list[Any]], row_numbers: list[int], width: int, notes: list[str]
) -> list[list[Any]]:
    """Return rows of equal length, without empty cells at the end and without a footer."""
    count = len(rows)
    while count and len(rows[count - 1]) == 1 < width and is_text(rows[count - 1][0]):
        count -= 1
    if count < len(rows):
        notes.append(f"The text below the table was left out (from row {row_numbers[count]:,}).")
        del rows[count:], row_numbers[count:]
    body = []
    for number, row in zip(row_numbers, rows, strict=True):
        if len(row) > width and all(map(is_blank, row[width:])):
            row = row[:width]
        if len(row) != width:
            raise UploadError(
                f"Row {number:,} of {file} has {len(row):,} cells, but most rows have {width:,}. "
                "Give all rows the same number of cells."
            )
        body.append(row)
    return body
