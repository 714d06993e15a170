"""Tables as text: .csv files, and small tables encoded in a URL."""

import codecs
import csv
import io
import re
from array import array
from collections.abc import Iterator
from itertools import islice

import numpy as np

from lnviz.data.uploads.requirements import (
    MAX_CELLS,
    DataTable,
    UploadError,
    dedupe_labels,
    sanitize,
    to_tensor,
)

MAX_URL_CHARACTERS = 2_000
"""Maximum length of a table in a URL: mail programs and proxies accept that many characters."""

MAX_EMPTY_ROWS = 10_000
"""Maximum number of empty rows that are skipped: skipping millions takes seconds."""


def read_csv(file: str, raw: bytes) -> DataTable:
    """Read a .csv table; `uploads.read` documents the accepted separators, headers and labels."""
    text = _decode(file, raw)
    separator = _detect_separator(text)
    cells = array("d")
    columns: list[str] = []
    rows: list[str] = []
    numbers: list[int] = []  # of the rows read, as a spreadsheet counts them
    marks: dict[str, int] = {}  # decimal mark: a row that has it
    width = labels = 0
    for number, row in _rows(file, text, separator):
        if len(cells) + len(row) - labels > MAX_CELLS:
            raise UploadError(
                f"Row {number:,} of {file} passes the {MAX_CELLS:,} cells that are allowed. "
                "Save fewer rows or columns."
            )
        if not width:
            width = len(row)
            if not any(_is_number(cell, separator) for cell in row):
                labels = 0 if row[0].strip() else 1
                columns = row[labels:]
                continue
        if len(row) != width:
            raise UploadError(
                f"Row {number:,} of {file} and the first row differ in length: {len(row):,} and "
                f"{width:,} cells. Give all rows the same number of cells."
            )
        values = row[labels:]
        try:
            cells.extend([_parse_number(cell, separator) for cell in values])
        except ValueError as error:
            wrong = next(d for d, cell in enumerate(values) if not _is_number(cell, separator))
            place = f"Row {number:,}, column {wrong + labels + 1:,} of {file}"
            raise UploadError(_not_a_number(place, values[wrong])) from error
        if separator == ";":
            marks |= {mark: number for mark in ",." if any(mark in cell for cell in values)}
        numbers.append(number)
        rows += row[:labels]
    if not numbers:
        raise UploadError(f"{file} has no row of numbers. Save it again, one row a case.")
    if len(marks) == 2:
        raise UploadError(
            f"Numbers in {file} have a decimal comma (row {marks[',']:,}) and a decimal point "
            f"(row {marks['.']:,}). Use one of them throughout, and no thousands separators."
        )
    grid = np.array(cells).reshape(len(numbers), width - labels)
    return DataTable(
        to_tensor(file, grid, lambda n, d: f"Row {numbers[n]:,}, column {d + labels + 1:,}"),
        dedupe_labels(rows),
        dedupe_labels(columns),
    )


def to_url_value(table: DataTable) -> str | None:
    """Encode a table as a URL parameter; return None if it would be too long.

    Rows end with `*` and cells with `_`, which need no escaping in a URL.

    >>> import torch
    >>> to_url_value(DataTable(torch.tensor([[0.1, 2.0], [3.0, -4e-9]]), columns=("a", "b")))
    'a_b*0.1_2*3_-4e-09'
    """
    if 2 * table.values.numel() > MAX_URL_CHARACTERS:
        return None
    corner = [""] if table.rows else []
    head = [corner + [_encode_label(name) for name in table.columns]] if table.columns else []
    numbers = [[_encode_number(value) for value in row] for row in table.values.numpy()]
    names = [[_encode_label(name)] for name in table.rows] or [[]] * len(numbers)
    body = [name + row for name, row in zip(names, numbers, strict=True)]
    text = "*".join("_".join(row) for row in head + body)
    return text if len(text) <= MAX_URL_CHARACTERS else None


def from_url_value(text: str) -> DataTable:
    """Decode a table from a URL parameter that `to_url_value` produced.

    Raises:
        UploadError: the text is not a table.

    >>> from_url_value("a_b*0.1_2*3_4").columns
    ('a', 'b')
    """
    lines = text[: 2 * MAX_URL_CHARACTERS].replace("_", ",").replace("*", "\n")
    return read_csv("The table in the address", lines.encode())


def _encode_number(value: np.float32) -> str:
    return str(value).removesuffix(".0").replace("e+", "e")


def _encode_label(name: str) -> str:
    """Encode a label so that it cannot be mistaken for a separator, an empty cell or a number."""
    word = re.sub(r'[_*,;"\t]', " ", name).strip() or "unnamed"
    return f"no. {word}" if _is_number(word, ",") else word


def _decode(file: str, raw: bytes) -> str:
    boms = {
        codecs.BOM_UTF8: "utf-8-sig",
        codecs.BOM_UTF16_LE: "utf-16",
        codecs.BOM_UTF16_BE: "utf-16",
    }
    codec = next((codec for bom, codec in boms.items() if raw.startswith(bom)), None)
    try:
        text = raw.decode(codec or "utf-8")
    except UnicodeDecodeError as error:
        if codec is not None:
            raise UploadError(
                f"Byte {error.start + 1:,} of {file} does not fit the encoding that the file "
                'begins with. Save the table as "CSV UTF-8".'
            ) from error
        text = raw.decode("latin-1")  # numbers are the same; only labels could be misread
    if "\0" in text:
        raise UploadError(
            f"{file} is not a text file: character {text.index(chr(0)) + 1:,} is a zero byte. "
            'Save the table as "CSV UTF-8".'
        )
    return text


def _rows(file: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each non-empty row."""
    lines: Iterator[str] = iter(io.StringIO(text, newline=None))
    if separator == " ":
        lines = (f"{' '.join(line.split())}\n" for line in lines)
    number = empty = 0
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True):
            number += 1
            if "".join(row).strip():
                yield number, row
                continue
            empty += 1
            if empty > MAX_EMPTY_ROWS:
                raise UploadError(
                    f"{file} has more than {MAX_EMPTY_ROWS:,} rows without content, the last of "
                    "these "
                    f"in row {number:,}. Delete them."
                )
    except csv.Error as error:
        raise UploadError(
            f"Row {number + 1:,} of {file} has a quotation mark without its partner, or a cell of "
            f"more than {csv.field_size_limit():,} characters. Remove the quotation marks."
        ) from error


def _detect_separator(text: str) -> str:
    """Return the separator that occurs in the first non-empty row; by default, a comma."""
    lines = islice(io.StringIO(text, newline=None), MAX_EMPTY_ROWS + 1)
    first = next((line for line in lines if line.strip()), "")
    unquoted = re.sub(r'"[^"]*"', "", first.strip())
    return next((s for s in "\t;, " if s in unquoted), ",")


def _parse_number(cell: str, separator: str) -> float:
    """Parse a cell's number; a decimal comma is allowed if semicolons separate the cells."""
    if "_" in cell:  # float() would read 1_000
        raise ValueError
    return float(cell.replace(",", ".") if separator == ";" else cell)


def _is_number(cell: str, separator: str) -> bool:
    try:
        _parse_number(cell, separator)
    except ValueError:
        return False
    return True


def _not_a_number(place: str, cell: str) -> str:
    if not cell.strip():
        return f"{place} is empty. Write a number in every cell."
    if len(cell.split()) > 1:
        remedy = "Separate the cells with commas, semicolons or tabs"
    elif "," in cell:
        remedy = "Write decimal points, and no thousands separators"
    else:
        remedy = (
            "Write a number there; only the first row may be text, and a first column whose top "
            "cell is empty"
        )
    return f'{place} holds "{sanitize(cell)}", which is not a number. {remedy}.'
