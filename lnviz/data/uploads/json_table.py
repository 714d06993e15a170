"""Reader of tables in JSON files: records, columns, or lists of rows."""

import json
from typing import Any, Final

from lnviz.data.uploads.raw_table import RawTable, arrange
from lnviz.data.uploads.requirements import MAX_CELLS, UploadError, require_max_columns
from lnviz.data.uploads.text_table import decode

MAX_LISTS: Final = MAX_CELLS
"""Maximum number of lists and objects in a file, each of which takes memory."""

MAX_COMMAS: Final = 2 * MAX_CELLS


def read_json(file: str, raw: bytes) -> RawTable:
    """Read a table from JSON: records, columns of equal length, a list of rows, or JSON lines.

    Raises:
        UploadError: the file is damaged, too large, or holds no table.
    """
    if raw.count(b"[") + raw.count(b"{") > MAX_LISTS or raw.count(b",") > MAX_COMMAS:
        raise UploadError(
            f"{file} has more than the limit of {MAX_CELLS:,} cells. Save fewer rows or columns."
        )
    return _table(file, _parse(file, decode(file, raw)))


def _parse(file: str, text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise UploadError(
            f"{file} has lists that are nested too deep to read. Save a list of rows."
        ) from error
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.strip()[0] in "[{" for line in lines):
            try:
                return [json.loads(line) for line in lines]
            except (ValueError, RecursionError):
                pass  # the first error tells the place
        place = f" in line {error.lineno:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise UploadError(
            f"{file} is damaged JSON: it cannot be read{place}. Save it again, for example with "
            "pandas.DataFrame.to_json."
        ) from error


def _table(file: str, document: Any) -> RawTable:
    if isinstance(document, dict):
        return _of_object(file, document)
    if isinstance(document, list) and document:
        if all(isinstance(row, dict) for row in document):
            return _of_records(file, document, [])
        if all(isinstance(row, list) for row in document):
            rows = [row for row in document if row]
            return arrange(file, rows, list(range(1, len(rows) + 1)))
    raise _no_table(file)


def _of_object(file: str, document: dict[str, Any]) -> RawTable:
    values = list(document.values())
    if "data" in document and isinstance(document.get("columns"), list):  # pandas, orient="split"
        rows = document["data"]
        if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            names = [str(name) for name in document["columns"]]
            return arrange(file, [names, *rows], list(range(len(rows) + 1)))
    lists = {name: value for name, value in document.items() if isinstance(value, list) and value}
    flat = {
        name: value
        for name, value in lists.items()
        if not any(isinstance(cell, list | dict) for cell in value)
    }
    if flat:
        length = max(map(len, flat.values()))
        columns = {name: value for name, value in flat.items() if len(value) == length}
        if len(columns) > 1 or len(lists) == len(columns):
            notes = [
                f"{len(document) - len(columns):,} entries were left out, since they are not "
                f"columns of {length:,} cells."
            ] * (len(columns) < len(document))
            numbers = range(1, length + 1)
            return RawTable(list(columns.values()), numbers, list(columns), notes=notes)
    for value in lists.values():  # the table is one of several entries
        if all(isinstance(row, dict) for row in value) or all(
            isinstance(row, list) and not any(isinstance(cell, list | dict) for cell in row)
            for row in value
        ):
            return _table(file, value)
    if len(values) > 1 and all(isinstance(value, dict) for value in values):
        keys = list(dict.fromkeys(key for value in values for key in value))
        if all(key.isdigit() for key in document) and not all(key.isdigit() for key in keys):
            return _of_records(file, values, list(document))  # pandas, orient="index"
        if all(key.isdigit() for key in keys) or len(keys) >= len(values):
            _require_cells(file, len(keys), len(values))
            columns_of = [[value.get(key) for key in keys] for value in values]
            labels = [] if all(key.isdigit() for key in keys) else keys
            return RawTable(columns_of, range(1, len(keys) + 1), list(document), labels)
        return _of_records(file, values, list(document))
    raise _no_table(file)


def _of_records(file: str, records: list[dict[str, Any]], labels: list[str]) -> RawTable:
    names = list(dict.fromkeys(name for record in records for name in record))
    _require_cells(file, len(records), len(names))
    columns = [[record.get(name) for record in records] for name in names]
    numbered = all(label.isdigit() for label in labels)
    return RawTable(columns, range(1, len(records) + 1), names, [] if numbered else labels)


def _require_cells(file: str, rows: int, columns: int) -> None:
    require_max_columns(file, columns)
    if rows * columns > MAX_COMMAS:
        raise UploadError(
            f"{file} has {rows:,} rows of {columns:,} columns, more than the limit of "
            f"{MAX_CELLS:,} cells. Save fewer rows or columns."
        )


def _no_table(file: str) -> UploadError:
    return UploadError(
        f"{file} holds no table. Save a list of rows, such as "
        '[{"height": 1, "width": 2}, {"height": 3, "width": 4}] or [[1, 2], [3, 4]].'
    )
