"""Readers of .npy, .npz and .safetensors files."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import safetensors

from lnviz.data.uploads.archive import Archive
from lnviz.data.uploads.npy import read_header, read_values
from lnviz.data.uploads.numeric_tables import NumericTable
from lnviz.data.uploads.requirements import (
    DataTable,
    NotATable,
    UploadError,
    describe_shape,
    reject_dtype,
    require_max_bytes,
    require_max_members,
    require_table_shape,
    sanitize,
    to_tensor,
)

MAX_HEADER_BYTES: Final = 1024 * 1024  # bytes; a thousand arrays take about a fifth of it

LAST_AXIS: Final = ", last axis as features"
"""What is added to the name of an array's second table, with an example per position."""

# Reads the tables of one array, by what is added to its name, given the words that name it in
# messages.
ArrayLoader = Callable[[str], dict[str, NumericTable]]


def read_npy(subject: str, raw: bytes) -> dict[str, NumericTable]:
    """Read the tables of a .npy file; `subject` names the file in error messages."""
    header = read_header(subject, raw)
    is_truth = header.dtype.kind == "b"
    if header.unsupported_kind and not is_truth:
        reject_dtype(subject, header.unsupported_kind, header.shape)
    shapes = _table_shapes(subject, header.shape)
    values = read_values(subject, header, raw)
    return _tables(subject, values.view(np.uint8) != 0 if is_truth else values, shapes)


def _table_shapes(subject: str, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the shapes in which an array can be read as a table, by suffix of the table's name."""
    if len(shape) > 2 and 0 not in shape:
        shape = tuple(size for size in shape if size > 1)
    if len(shape) <= 2:
        require_table_shape(subject, shape)
        return {"": shape}
    cells = math.prod(shape)
    shapes: dict[str, tuple[int, ...]] = {
        "": (shape[0], cells // max(shape[0], 1)),
        LAST_AXIS: (cells // max(shape[-1], 1), shape[-1]),
    }
    for each in shapes.values():
        require_table_shape(subject, each)
    return shapes


def _tables(
    subject: str, values: npt.NDArray[Any], shapes: dict[str, tuple[int, ...]]
) -> dict[str, NumericTable]:
    """Return an array as tables of the given shapes; the tables share their memory."""
    first = to_tensor(subject, values.reshape(shapes[""]))
    tables = {}
    for suffix, (rows, columns) in shapes.items():
        notes: tuple[str, ...] = ()
        if values.shape != (rows, columns):
            notes = (
                f"The array has {describe_shape(values.shape)}. It was read as {rows:,} examples "
                f"of {columns:,} features.",
            )
        tables[suffix] = NumericTable(DataTable(first.reshape(rows, columns)), notes)
    return tables


def read_npz(file: str, raw: bytes) -> Iterator[tuple[str, ArrayLoader]]:
    """Yield the name of each array in a .npz file, with a function that reads the array."""
    archive = Archive(file, raw)
    require_max_bytes(f"{file} unpacks to", archive.size, "Save fewer arrays, rows or columns.")
    for member in archive.members:
        stem, dot, ending = member.filename.rpartition(".")
        if dot and ending == "npy":
            yield stem, partial(read_npy, raw=archive.unpack(member))
        else:
            yield member.filename, _refuse_member


def _refuse_member(subject: str) -> dict[str, NumericTable]:
    raise NotATable(f"{subject} is not an array.", "not an array")


_SAFETENSORS_DTYPES: Final = {
    "BOOL": "u1",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "U8": "u1",
    "U16": "<u2",
    "U32": "<u4",
    "U64": "<u8",
}


def read_safetensors(file: str, raw: bytes) -> Iterator[tuple[str, ArrayLoader]]:
    """Yield the name of each array in a .safetensors file, with a function that reads it."""
    header = int.from_bytes(raw[:8], "little")
    again = "Save it again with safetensors.torch.save_file."
    if header > min(MAX_HEADER_BYTES, len(raw) - 8):
        raise UploadError(
            f"{file} declares a header of {header:,} bytes, but {len(raw) - 8:,} bytes follow, "
            f"and the limit is {MAX_HEADER_BYTES:,}. {again}"
        )
    try:
        entries = safetensors.deserialize(raw)  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError as error:
        raise UploadError(
            f"{file} is damaged or truncated: its header of {header:,} bytes does not match the "
            f"{len(raw) - 8 - header:,} bytes after it. {again}"
        ) from error
    require_max_members(file, len(entries))
    for name, entry in sorted(entries, key=lambda named: named[0]):
        yield name, partial(_safetensor, entry=entry)


def _safetensor(subject: str, entry: dict[str, Any]) -> dict[str, NumericTable]:
    shape, kind = tuple(entry["shape"]), entry["dtype"]
    if kind != "BF16" and kind not in _SAFETENSORS_DTYPES:
        reject_dtype(subject, f"values of type {sanitize(kind)}", shape)
    shapes = _table_shapes(subject, shape)
    numbers: npt.NDArray[Any]
    if kind == "BF16":  # the upper half of a float32
        numbers = (np.frombuffer(entry["data"], "<u2").astype("<u4") << 16).view("<f4")
    else:
        numbers = np.frombuffer(entry["data"], _SAFETENSORS_DTYPES[kind])
    return _tables(subject, (numbers != 0 if kind == "BOOL" else numbers).reshape(shape), shapes)
