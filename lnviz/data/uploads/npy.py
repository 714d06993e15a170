"""The format .npy: a header that says what follows, and the numbers."""

import math
import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lnviz.data.uploads.grid import UploadError

LONGEST_HEADER: Final = 10_000  # bytes, with all before the numbers

# What numpy.save writes first: a Python dict. It is matched, not evaluated.
_HEADER: Final = re.compile(
    r"\s*\{\s*'descr':\s*(?P<descr>'[^']*'|\[.*\]),\s*'fortran_order':\s*(?P<fortran>True|False),"
    r"\s*'shape':\s*\((?P<shape>[\dL,\s]*)\),?\s*\}\s*",
    re.DOTALL,
)
_NUMBERS: Final = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_OTHERS: Final = {
    "O": "pickled objects, which are never opened",
    "b": "truth values",
    "c": "complex numbers",
    "U": "text",
    "S": "text",
    "M": "dates",
    "m": "durations",
}


@dataclass(frozen=True)
class Header:
    """What a file of one array declares; nothing of it has been held against the bytes.

    Attributes:
        descr: the type of the values, as NumPy writes it.
        by_column: whether they stand column by column.
        shape: of the array.
        end: the byte where the values begin.
    """

    descr: str
    by_column: bool
    shape: tuple[int, ...]
    end: int

    @property
    def kind(self) -> str:
        """The type without the order of its bytes."""
        return self.descr.lstrip("<>|=")

    @property
    def other(self) -> str | None:
        """In words what the values are instead of real numbers."""
        if self.kind in _NUMBERS:
            return None
        return _OTHERS.get(self.kind[:1], "records or values of an unusual type")

    @property
    def declared(self) -> int:
        """Bytes of the values; they are real numbers."""
        return math.prod(self.shape) * int(self.kind[1:])


def read_header(subject: str, raw: bytes) -> Header:
    """Read what an array declares; of `raw` the first `LONGEST_HEADER` bytes suffice.

    Args:
        subject: names the array in messages.
        raw: the file's content.

    Raises:
        UploadError: it is no header.
    """
    damaged = UploadError(
        f"{subject} is damaged: its header cannot be read. Save it again with numpy.save or "
        "numpy.savez, as one array of plain numbers."
    )
    if not raw.startswith(b"\x93NUMPY") or len(raw) < 12 or raw[6] not in (1, 2, 3):
        raise damaged
    start, size = (10, raw[8:10]) if raw[6] == 1 else (12, raw[8:12])
    end = start + int.from_bytes(size, "little")
    text = raw[start:end].decode("latin-1") if end < LONGEST_HEADER else ""
    header = _HEADER.fullmatch(text)
    sizes = re.findall(r"[0-9]+", header["shape"]) if header else []
    if header is None or any(len(size) > 18 for size in sizes):
        raise damaged
    shape = tuple(map(int, sizes))
    return Header(header["descr"].strip("'"), header["fortran"] == "True", shape, end)


def require_size(subject: str, header: Header, size: int) -> None:
    """Refuse a file of real numbers that has not as many bytes as it declares."""
    if size - header.end != header.declared:
        shape = " x ".join(f"{each:,}" for each in header.shape)
        raise UploadError(
            f"{subject} is damaged: its header declares {shape} numbers in {header.declared:,} "
            f"bytes, and {max(size - header.end, 0):,} bytes follow. Save it again and upload the "
            "new file."
        )


def values(subject: str, header: Header, raw: bytes) -> npt.NDArray[Any]:
    """Return the real numbers that a file holds, as they lie in it.

    Raises:
        UploadError: there are more or fewer than declared.
    """
    require_size(subject, header, len(raw))
    dtype = np.dtype((">" if header.descr.startswith(">") else "<") + header.kind)
    flat = np.frombuffer(raw, dtype, offset=header.end)
    return flat.reshape(header.shape[::-1]).T if header.by_column else flat.reshape(header.shape)
