"""Binary arrays: .npy, .npz and .safetensors files."""

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import safetensors
from jaxtyping import Float
from torch import Tensor

from lnviz.data.uploads.grid import (
    MAX_BYTES,
    NotAGrid,
    UploadError,
    plain,
    refuse_kind,
    require_few,
    require_grid,
    to_tensor,
)

MAX_HEADER: Final = 1024 * 1024  # bytes; a thousand arrays take about a fifth of it

# Reads one array, given the words that name it in messages.
Load = Callable[[str], Float[Tensor, "_ _"]]

# What numpy.save writes first: a Python dict. It is matched, not evaluated.
_NPY_HEADER: Final = re.compile(
    r"\s*\{\s*'descr':\s*(?P<descr>'[^']*'|\[.*\]),\s*'fortran_order':\s*(?P<fortran>True|False),"
    r"\s*'shape':\s*\((?P<shape>[\dL,\s]*)\),?\s*\}\s*",
    re.DOTALL,
)
_NPY_NUMBERS: Final = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_NPY_OTHERS: Final = {
    "O": "pickled objects, which are never opened",
    "b": "truth values",
    "c": "complex numbers",
    "U": "text",
    "S": "text",
    "M": "dates",
    "m": "durations",
}


def read_npy(subject: str, raw: bytes) -> Float[Tensor, "N D"]:
    """Read one array; `subject` names it in messages."""
    damaged = UploadError(
        f"{subject} is damaged: its header cannot be read. Save it again with numpy.save or "
        "numpy.savez, as one array of plain numbers."
    )
    if not raw.startswith(b"\x93NUMPY") or len(raw) < 12 or raw[6] not in (1, 2, 3):
        raise damaged
    start, size = (10, raw[8:10]) if raw[6] == 1 else (12, raw[8:12])
    end = start + int.from_bytes(size, "little")
    header = _NPY_HEADER.fullmatch(raw[start:end].decode("latin-1")) if end < 10_000 else None
    sizes = re.findall(r"[0-9]+", header["shape"]) if header else []
    if header is None or any(len(size) > 18 for size in sizes):
        raise damaged
    shape = tuple(map(int, sizes))
    descr = header["descr"].strip("'")
    kind = descr.lstrip("<>|=")
    if kind not in _NPY_NUMBERS:
        what = _NPY_OTHERS.get(kind[:1], "records or values of an unusual type")
        refuse_kind(subject, what, shape)
    require_grid(subject, shape)
    dtype = np.dtype((">" if descr.startswith(">") else "<") + kind)
    declared = math.prod(shape) * dtype.itemsize
    if len(raw) - end != declared:
        raise UploadError(
            f"{subject} is damaged: its header declares {shape[0]:,} x {shape[1]:,} numbers in "
            f"{declared:,} bytes, and {max(len(raw) - end, 0):,} bytes follow. Save it again and "
            "upload the new file."
        )
    values = np.frombuffer(raw, dtype, offset=end)
    if header["fortran"] == "True":
        return to_tensor(subject, values.reshape(shape[::-1]).T)
    return to_tensor(subject, values.reshape(shape))


_ZIP_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def read_npz(file: str, raw: bytes) -> Iterator[tuple[str, Load]]:
    """Yield the name of each member, and what reads it."""
    again = "Save it again with numpy.savez and upload the new file."
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except _ZIP_FAULTS as error:
        raise UploadError(
            f"{file} is a damaged or truncated archive of {len(raw):,} bytes: its list of arrays "
            f"cannot be read. {again}"
        ) from error
    # Not is_dir(), which fails on a member without a name.
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    unpacked = sum(member.file_size for member in members)
    require_few(file, len(members))
    if unpacked > MAX_BYTES:
        raise UploadError(
            f"{file} unpacks to {unpacked:,} bytes, more than the {MAX_BYTES:,} (20 MB) that are "
            "allowed. Save fewer arrays, rows or columns."
        )
    for member in members:
        name = f'"{plain(member.filename)}" in {file}'
        if member.flag_bits & 0x1:
            raise UploadError(f"{name} is encrypted. Save the archive without a password.")
        stem, dot, ending = member.filename.rpartition(".")
        if not dot or ending != "npy":
            yield member.filename, _refuse_member
            continue
        # Python unpacks other methods in whole blocks, which no size limit holds back.
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError(
                f"{name} is compressed in a way that numpy.savez does not use. {again}"
            )
        try:
            with archive.open(member) as stream:
                content = stream.read(member.file_size + 1)
        except _ZIP_FAULTS as error:
            raise UploadError(f"{name} is damaged or truncated. {again}") from error
        yield stem, partial(read_npy, raw=content)


def _refuse_member(subject: str) -> Tensor:
    raise NotAGrid(f"{subject} is not an array.", "not an array")


_SAFETENSORS_NUMBERS: Final = {
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


def read_safetensors(file: str, raw: bytes) -> Iterator[tuple[str, Load]]:
    """Yield the name of each array, and what reads it; the file keeps no order, so by name."""
    header = int.from_bytes(raw[:8], "little")
    again = "Save it again with safetensors.torch.save_file."
    if header > min(MAX_HEADER, len(raw) - 8):
        raise UploadError(
            f"{file} declares a header of {header:,} bytes, and {len(raw) - 8:,} bytes follow; at "
            f"most {MAX_HEADER:,} are allowed. {again}"
        )
    try:
        entries = safetensors.deserialize(raw)  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError as error:
        raise UploadError(
            f"{file} is damaged or truncated: what its header of {header:,} bytes declares does "
            f"not fit the {len(raw) - 8 - header:,} bytes after it. {again}"
        ) from error
    require_few(file, len(entries))
    for name, entry in sorted(entries, key=lambda named: named[0]):
        yield name, partial(_safetensor, entry=entry)


def _safetensor(subject: str, entry: dict[str, Any]) -> Float[Tensor, "N D"]:
    shape, kind = tuple(entry["shape"]), entry["dtype"]
    if kind != "BF16" and kind not in _SAFETENSORS_NUMBERS:
        refuse_kind(subject, f"values of type {plain(kind)}", shape)
    require_grid(subject, shape)
    values: npt.NDArray[Any]
    if kind == "BF16":  # the upper half of a float32
        values = (np.frombuffer(entry["data"], "<u2").astype("<u4") << 16).view("<f4")
    else:
        values = np.frombuffer(entry["data"], _SAFETENSORS_NUMBERS[kind])
    return to_tensor(subject, values.reshape(shape))
