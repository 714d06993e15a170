"""Files as a visitor could bring them, sound and otherwise."""

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import torch

from lnviz.data.uploads import DataTable, UploadError, read

GRID = np.array([[1.0, 2.5, -3.0], [4.0, 0.125, 6.0]], dtype=np.float32)


def npy(values: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    out = io.BytesIO()
    np.save(out, values, allow_pickle=allow_pickle)
    return out.getvalue()


def npy_with_header(header: str, body: bytes = b"") -> bytes:
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def declared(descr: str, shape: str) -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def npz(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def csv(values: np.ndarray, separator: str = ",", ending: str = "\n") -> bytes:
    rows = (separator.join(repr(float(cell)) for cell in row) for row in values)
    return "".join(row + ending for row in rows).encode()


def parquet(**columns: object) -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out, compression="zstd")
    return out.getvalue()


def safetensors_with_header(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def message(filename: str, raw: bytes) -> str:
    with pytest.raises(UploadError) as caught:
        read(filename, raw)
    return str(caught.value)


def table(filename: str, raw: bytes) -> DataTable:
    """The file's one array."""
    (found,) = read(filename, raw).arrays.values()
    return found


def only(filename: str, raw: bytes) -> np.ndarray:
    """The values of the file's one array."""
    tensor = table(filename, raw).values
    assert tensor.dtype == torch.float32
    assert tensor.is_contiguous()
    return tensor.numpy()


class Trap:
    """Unpickling it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self.path),)
