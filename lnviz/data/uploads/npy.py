"""Reader of the .npy format, which checks the header before it reads the values."""

import io
import math
from dataclasses import dataclass
from tokenize import TokenError
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from lnviz.data.uploads.requirements import UploadError

MAX_HEADER_BYTES: Final = 12 + 10_000  # all before the numbers: NumPy reads no longer text
_VERSIONS: Final = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
    (3, 0): npy.read_array_header_2_0,  # differs in how the names of fields are written alone
}
_DAMAGE_ERRORS: Final = (
    KeyError,  # a version that is none
    MemoryError,  # of Python's parser, where a header nests
    OverflowError,
    RecursionError,
    SyntaxError,
    TokenError,
    TypeError,
    ValueError,
)
_UNSUPPORTED_KINDS: Final = {
    "O": "pickled objects, which are never opened",
    "b": "truth values",
    "c": "complex numbers",
    "U": "text",
    "S": "text",
    "M": "dates",
    "m": "durations",
}


@dataclass(frozen=True)
class NpyHeader:
    """The header of a .npy file; its claims are not yet compared with the size of the file.

    Attributes:
        dtype: the dtype of the values.
        shape: the shape of the array.
        data_offset: byte offset of the values.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    data_offset: int

    @property
    def unsupported_kind(self) -> str | None:
        """A description of the dtype if the values are not real numbers, else None."""
        if self.dtype.kind in "fiu" and self.dtype.itemsize <= 8:
            return None
        return _UNSUPPORTED_KINDS.get(self.dtype.kind, "records or values of an unusual type")

    @property
    def declared_bytes(self) -> int:
        """The size of the values in bytes, as the header declares it."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(subject: str, raw: bytes) -> NpyHeader:
    """Parse the header of a .npy file.

    Args:
        subject: the array's name in error messages.
        raw: the file's content, of which the first `MAX_HEADER_BYTES` bytes are sufficient.

    Raises:
        UploadError: the header is invalid.
    """
    stream = io.BytesIO(raw)
    try:
        shape, _, dtype = _VERSIONS[npy.read_magic(stream)](stream)
        if any(size < 0 for size in shape):
            raise ValueError(shape)
    except _DAMAGE_ERRORS as error:
        raise UploadError(
            f"{subject} is damaged: its header cannot be read. Save it again with numpy.save or "
            "numpy.savez, as one array of plain numbers."
        ) from error
    return NpyHeader(dtype, tuple(map(int, shape)), stream.tell())


def require_size(subject: str, header: NpyHeader, size: int) -> None:
    """Raise an error if the file's size in bytes does not match its header."""
    if size - header.data_offset != header.declared_bytes:
        shape = " x ".join(f"{length:,}" for length in header.shape)
        raise UploadError(
            f"{subject} is damaged: its header declares {shape} numbers in "
            f"{header.declared_bytes:,} bytes, but {max(size - header.data_offset, 0):,} bytes "
            "follow. Save it again, and upload the new file."
        )


def read_values(subject: str, header: NpyHeader, raw: bytes) -> npt.NDArray[Any]:
    """Return the values of a .npy file, given its header.

    Raises:
        UploadError: the number of bytes does not match the header.
    """
    require_size(subject, header, len(raw))
    array: npt.NDArray[Any] = np.load(io.BytesIO(raw), allow_pickle=False)
    return array
