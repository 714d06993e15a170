"""Reader of tables in text files: .csv, .tsv, .txt and similar."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from lnviz.data.uploads.cells import parse_number
from lnviz.data.uploads.raw_table import RawTable, arrange
from lnviz.data.uploads.requirements import MAX_CELLS, MAX_LABELS, UploadError

MAX_EMPTY_ROWS: Final = 10_000
"""Maximum number of empty rows that are skipped: skipping millions takes seconds."""

SEPARATORS: Final = "\t;,| "
_SAMPLED_LINES: Final = 100
_SAMPLED_CHARACTERS: Final = 200_000
_STATED_SEPARATOR: Final = re.compile(r'"?sep=(.)"?\s*\n', re.IGNORECASE)


def read_text(file: str, raw: bytes) -> RawTable:
    """Read a table as text; `uploads.read` documents separators, headers and labels."""
    text = decode(file, raw).replace("\r\n", "\n").replace("\r", "\n")
    stated = _STATED_SEPARATOR.match(text)
    separator = stated[1] if stated else _detect_separator(text)
    rows: list[list[str]] = []
    row_numbers: list[int] = []
    cells = 0
    for number, row in _rows(file, text, separator):
        cells += len(row)
        if cells > MAX_CELLS + 2 * MAX_LABELS:
            raise UploadError(
                f"At row {number:,}, {file} exceeds the limit of {MAX_CELLS:,} cells. Save fewer "
                "rows or columns."
            )
        rows.append(row)
        row_numbers.append(number)
    return arrange(
        file, rows, row_numbers, comma=separator != ",", comment=_last_comment(text, separator)
    )


def decode(file: str, raw: bytes) -> str:
    """Decode a text file: UTF-8 or UTF-16 by its byte order mark, else UTF-8 or Latin-1."""
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
                f"Byte {error.start + 1:,} of {file} does not fit the encoding of the bytes "
                'before it. Save the table as "CSV UTF-8".'
            ) from error
        text = raw.decode("latin-1")  # numbers are the same; only labels could be misread
    if "\0" in text:
        raise UploadError(
            f"{file} is not a text file: character {text.index(chr(0)) + 1:,} is a zero byte. "
            'Save the table as "CSV UTF-8".'
        )
    return text


def _last_comment(text: str, separator: str) -> list[str] | None:
    """Return the cells of the last comment above the table; NumPy writes headers as comments."""
    last = ""
    for line in islice(io.StringIO(text), MAX_EMPTY_ROWS):
        if line.startswith("#"):
            last = line[1:].strip(" \n")
        elif line.strip() and not _STATED_SEPARATOR.match(line):
            break
    try:
        return next(_cells(iter([last]), separator), None) if last else None
    except csv.Error:
        return None  # a sentence, with a quotation mark


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; comments and a `sep=` line become empty lines."""
    stated = _STATED_SEPARATOR.match(text)
    for number, line in enumerate(io.StringIO(text)):
        yield "\n" if line.startswith("#") or (stated and not number) else line


def _cells(lines: Iterator[str], separator: str) -> Iterator[list[str]]:
    if separator == " ":
        lines = (f"{' '.join(line.split())}\n" for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)


def _rows(file: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each row that is not empty."""
    number = empty = 0
    try:
        for row in _cells(_lines(text), separator):
            number += 1
            if "".join(row).strip():
                yield number, row
                continue
            empty += 1
            if empty > MAX_EMPTY_ROWS:
                raise UploadError(
                    f"{file} has more than {MAX_EMPTY_ROWS:,} empty rows, such as row {number:,}. "
                    "Delete the empty rows."
                )
    except csv.Error as error:
        raise UploadError(
            f"Row {number + 1:,} of {file} has an unmatched quotation mark, or a cell of more "
            f"than {csv.field_size_limit():,} characters. Remove the quotation marks."
        ) from error


def _detect_separator(text: str) -> str:
    """Return the separator that gives most rows the same width and most cells a number."""
    head = text[:_SAMPLED_CHARACTERS]
    lines = [line for line in islice(_lines(head), MAX_EMPTY_ROWS + 1) if line.strip()]
    lines = lines[:_SAMPLED_LINES]

    def score(separator: str) -> float:
        try:
            rows = list(_cells(iter(lines), separator))
        except csv.Error:  # a quoted cell goes on beyond the sample
            rows = [line.split(separator) for line in lines]
        width, count = Counter(map(len, rows)).most_common(1)[0]
        if width < 2:
            return 0
        cells = [cell for row in rows if len(row) == width for cell in row]
        comma = separator != ","
        numbers = sum(parse_number(cell, comma=comma) is not None for cell in cells)
        return count / len(rows) * (0.5 + numbers / len(cells))

    return max(SEPARATORS, key=score) if lines and max(map(score, SEPARATORS)) > 0 else ","
