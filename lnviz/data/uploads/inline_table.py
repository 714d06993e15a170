"""Small numeric tables encoded in a URL."""

import csv
import io
import re
from typing import Final

import numpy as np

from lnviz.data.uploads.cells import is_blank, parse_number
from lnviz.data.uploads.requirements import (
    DataTable,
    UploadError,
    dedupe_labels,
    quote,
    to_tensor,
)

MAX_URL_CHARACTERS: Final = 2_000
"""Maximum length of a table in a URL: mail programs and proxies accept that many characters."""

_SUBJECT: Final = "the table in the address"


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
    try:
        rows = [row for row in csv.reader(io.StringIO(lines), strict=True) if "".join(row).strip()]
    except csv.Error as error:
        raise UploadError(f"In {_SUBJECT}, a quotation mark is unmatched.") from error
    has_header = bool(rows) and all(parse_number(cell) is None for cell in rows[0])
    labels = 1 if has_header and is_blank(rows[0][0]) else 0
    body = rows[has_header:]
    if not body:
        raise UploadError(f"In {_SUBJECT}, no row holds numbers.")
    for n, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UploadError(
                f"In {_SUBJECT}, row {n} has {len(row)} cells, but row 1 has {len(rows[0])}. Give "
                "all rows the same number of cells."
            )
    grid = np.array(
        [
            [_parse_cell(cell, n, d) for d, cell in enumerate(row[labels:], labels + 1)]
            for n, row in enumerate(body, has_header + 1)
        ]
    )
    return DataTable(
        to_tensor(
            _SUBJECT, grid, lambda n, d: f"Row {n + has_header + 1}, column {d + labels + 1}"
        ),
        dedupe_labels([row[0] for row in body]) if labels else (),
        dedupe_labels(rows[0][labels:]) if has_header else (),
    )


def _parse_cell(cell: str, row: int, column: int) -> float:
    number = parse_number(cell)
    if number is None:
        held = f"holds {quote(cell)}, which is not a number" if cell.strip() else "is empty"
        raise UploadError(f"Row {row}, column {column} of {_SUBJECT} {held}. Enter a number there.")
    return number


def _encode_number(value: np.float32) -> str:
    return str(value).removesuffix(".0").replace("e+", "e")


def _encode_label(name: str) -> str:
    """Encode a label so that it cannot be mistaken for a separator, an empty cell or a number."""
    word = re.sub(r'[_*,;"\t]', " ", name).strip() or "unnamed"
    return f"no. {word}" if parse_number(word) is not None else word
