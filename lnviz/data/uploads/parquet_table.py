"""Reader of tables in Parquet files, with limits on rows, footer and unpacked pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lnviz.data.uploads.raw_table import RawTable
from lnviz.data.uploads.requirements import (
    MAX_BYTES,
    MAX_CELLS,
    UploadError,
    require_max_bytes,
    sanitize,
)

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, DataType
    from pyarrow.parquet import ParquetFile

MAGIC: Final = b"PAR1"
MAX_FOOTER_BYTES: Final = 1024 * 1024
MAX_TABLE_CELLS: Final = 2 * MAX_CELLS  # with columns of text
_INDEX: Final = "__index_level_0__"  # pandas
_STOP, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = 0, 3, (4, 5, 6), 7, 8, (9, 10), 12
_MAX_DEPTH: Final = 16


def read_parquet(file: str, raw: bytes) -> RawTable:
    """Read the columns of a Parquet file that hold numbers, truth values or text.

    Arrow allocates what a page's header declares, so all page headers are read before any page.

    Raises:
        UploadError: the file is damaged, or more than the limits allow.
    """
    import pyarrow  # here, since importing it takes a tenth of a second
    from pyarrow.parquet import ParquetFile

    damaged = UploadError(
        f"{file} is damaged or truncated: it cannot be read as Parquet. Save it again, for "
        "example with pandas.DataFrame.to_parquet."
    )
    footer = int.from_bytes(raw[-8:-4], "little")
    if raw[-4:] != MAGIC or not 0 < footer <= len(raw) - 12:
        raise damaged
    if footer > MAX_FOOTER_BYTES:
        raise UploadError(
            f"{file} has a footer of {footer:,} bytes, more than the limit of "
            f"{MAX_FOOTER_BYTES:,}. Save fewer columns, and larger row groups."
        )
    try:
        source = ParquetFile(
            pyarrow.BufferReader(raw),
            pre_buffer=False,
            arrow_extensions_enabled=False,
            thrift_string_size_limit=MAX_FOOTER_BYTES,
            thrift_container_size_limit=MAX_FOOTER_BYTES,
        )
        names = _supported_columns(source)
        _require_limits(file, source, raw, names)
        texts = [name for name, kind in names.items() if not _is_number(kind)]
        source = ParquetFile(
            pyarrow.BufferReader(raw),
            metadata=source.metadata,
            read_dictionary=texts,
            pre_buffer=False,
            arrow_extensions_enabled=False,
        )
        table = source.read(columns=list(names), use_threads=False)
        columns = {name: _cells(table.column(name)) for name in names}
        others = [name for name in source.schema_arrow.names if name not in names]
    except UploadError:
        raise
    except (pyarrow.ArrowException, ArithmeticError, OSError, LookupError, ValueError) as error:
        raise damaged from error
    labels = [str(cell) for cell in columns.pop(_INDEX)] if _INDEX in columns else []
    notes = [
        f"{len(others):,} columns were left out: their values are neither numbers nor text."
        if len(others) > 1
        else f'"{sanitize(name)}" was left out: its values are neither numbers nor text.'
        for name in others[:1]
    ]
    return RawTable(
        list(columns.values()), range(1, table.num_rows + 1), list(columns), labels, notes=notes
    )


def _supported_columns(source: ParquetFile) -> dict[str, DataType]:
    """Return the types of the flat columns of numbers, truth values or text, keyed by name."""
    from pyarrow import types

    schema, arrow = source.schema, source.schema_arrow
    flat = {schema.column(n).path for n in range(len(schema))}
    if len(set(arrow.names)) < len(arrow.names):
        raise ValueError("two columns have the same name")
    return {
        field.name: field.type
        for field in arrow
        if field.name in flat
        and (
            _is_number(field.type)
            or types.is_string(field.type)
            or types.is_large_string(field.type)
        )
    }


def _is_number(kind: DataType) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _require_limits(file: str, source: ParquetFile, raw: bytes, names: dict[str, Any]) -> None:
    """Raise an error if a file has too many cells, or its pages decompress to too many bytes."""
    metadata = source.metadata
    rows = sum(metadata.row_group(g).num_rows for g in range(metadata.num_row_groups))
    if rows < 0 or rows != metadata.num_rows:
        raise ValueError("the numbers of rows do not agree")
    if rows * max(len(names), 1) > MAX_TABLE_CELLS:
        raise UploadError(
            f"{file} has {rows:,} rows of {len(names):,} columns, more than the limit of "
            f"{MAX_CELLS:,} cells. Save fewer rows or columns."
        )
    size = 0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        for c in range(group.num_columns):
            chunk = group.column(c)
            if chunk.path_in_schema not in names:
                continue
            if chunk.num_values != group.num_rows or chunk.file_path:
                raise ValueError("a column does not have one value for each row")
            start = chunk.data_page_offset
            if chunk.has_dictionary_page and chunk.dictionary_page_offset:
                start = min(start, chunk.dictionary_page_offset)
            stop = start + chunk.total_compressed_size
            if not 0 < start <= stop <= len(raw):
                raise ValueError("a column lies outside the file")
            size += _unpacked_size(raw, start, stop)
            require_max_bytes(f"{file} unpacks to", size, "Save fewer rows or columns.")


def _unpacked_size(raw: bytes, start: int, stop: int) -> int:
    """Return the total size of a column's pages, as their headers declare it."""
    size = 0
    while start < stop:
        header = _CompactReader(raw, start)
        unpacked, packed = header.page_sizes()
        if unpacked < 0 or packed < 0:
            raise ValueError("a page has a negative size")
        size += unpacked
        if size > MAX_BYTES:
            break
        start = header.place + packed
    return size


class _CompactReader:
    """Reader of page headers, which are in Thrift's compact encoding."""

    def __init__(self, raw: bytes, place: int) -> None:
        self._raw = raw
        self.place = place

    def page_sizes(self) -> tuple[int, int]:
        """Read a page header; return the page's decompressed and compressed size."""
        sizes = {2: -1, 3: -1}
        number = 0
        while True:
            number, kind = self._field(number)
            if kind == _STOP:
                return sizes[2], sizes[3]
            if number in sizes and kind == 5:
                sizes[number] = self._integer()
            else:
                self._skip(kind, 0)

    def _field(self, number: int) -> tuple[int, int]:
        head = self._byte()
        step, kind = head >> 4, head & 15
        if kind == _STOP:
            return number, kind
        return (number + step if step else self._integer()), kind

    def _byte(self) -> int:
        self.place += 1
        return self._raw[self.place - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number of the header is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError("the header is nested too deep")
        if kind == _BYTE:
            self.place += 1
        elif kind in _INTEGERS:
            self._varint()
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            length = self._varint()
            self.place += length
        elif kind in _LISTS:
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            for _ in range(min(count, len(self._raw) - self.place + 1)):
                self._skip(_BYTE if head & 15 in (1, 2) else head & 15, depth + 1)
        elif kind == _STRUCT:
            number = 0
            while True:
                number, inner = self._field(number)
                if inner == _STOP:
                    return
                self._skip(inner, depth + 1)
        elif kind not in (1, 2):  # truth values are in the field's head
            raise ValueError("the header has a field that page headers do not have")


def _cells(column: ChunkedArray) -> Any:
    """Return a column's cells: numbers as an array with NaN for gaps, or text as a list."""
    import pyarrow

    if pyarrow.types.is_boolean(column.type):
        return [cell.as_py() for cell in column]
    if _is_number(column.type):
        return np.concatenate(
            [np.array([], np.float64)]
            + [
                chunk.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
                for chunk in column.chunks
            ]
        )
    cells: list[str | None] = []
    for chunk in column.chunks:  # equal words share their memory
        words = [*chunk.dictionary.to_pylist(), None]
        cells += [words[n] for n in chunk.indices.fill_null(len(words) - 1).to_pylist()]
    return cells
