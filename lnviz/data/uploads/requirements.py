"""Limits on uploaded arrays, the checks that enforce them, and their error messages."""

import io
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float
from torch import Tensor

MAX_BYTES: Final = 20 * 1024 * 1024  # of a file, and of what an archive unpacks to
MAX_CELLS: Final = 1_000_000  # of one array
MAX_COLUMNS: Final = 20_000  # of a table of text, JSON or Parquet, which are read one by one
MAX_ARRAYS: Final = 1_000  # of one archive
MAX_QUOTED: Final = 60  # characters of a user's text that a message repeats
MAX_LABELS: Final = 10_000  # of rows or columns: of more, none is kept


@dataclass(frozen=True, eq=False)
class DataTable:
    """A matrix of values with optional row and column labels.

    Attributes:
        values: one row per example, one column per feature.
        rows: N distinct labels, or none.
        columns: D distinct labels, or none.
    """

    values: Float[Tensor, "N D"]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Serialize the table in NumPy's `.npz` format; `from_bytes` reads it."""
        rows, columns = (np.array(names, str) for names in (self.rows, self.columns))
        buffer = io.BytesIO()
        np.savez(buffer, values=self.values.cpu().numpy(), rows=rows, columns=columns)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(content: bytes) -> "DataTable":
        """Deserialize a table serialized by `to_bytes`.

        >>> DataTable.from_bytes(DataTable(torch.ones(2, 3), rows=("a", "b")).to_bytes()).rows
        ('a', 'b')
        """
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            rows, columns = (tuple(arrays[name].tolist()) for name in ("rows", "columns"))
            return DataTable(torch.from_numpy(arrays["values"]), rows, columns)


class UploadError(ValueError):
    """Error: an upload is unsupported or damaged; the message says where, and how to fix it."""


class NotATable(UploadError):
    """Error: an array is not 2-D or not numeric; carries a short description of the array."""

    def __init__(self, message: str, description: str) -> None:
        super().__init__(message)
        self.description = description


class Unsupported(UploadError):
    """Error: a numeric 2-D array is unsupported; other arrays of the file may be supported."""


def sanitize(text: str) -> str:
    r"""Make a user's text safe to display: one line, of limited length, without markup.

    >>> sanitize("a<b>\n[c]")
    'a_b___c_'
    """
    start = text[:MAX_QUOTED]
    kept = (
        c if unicodedata.category(c)[0] in "LMN" or c in " ._-+,%()/=?:;#'@°€£" else "_"
        for c in start
    )
    return "".join(kept).strip() + ("..." if len(text) > MAX_QUOTED else "")


def quote(text: str) -> str:
    """Return a user's text in quotation marks, safe to display.

    >>> quote("a<b>?")
    '"a_b_?"'
    """
    return f'"{sanitize(text)}"'


def dedupe_labels(texts: Sequence[str]) -> tuple[str, ...]:
    """Sanitize a user's labels, and make duplicates distinct.

    >>> dedupe_labels(["a", "", "a", "b"])
    ('a', 'unnamed 2', 'a (2)', 'b')
    """
    if len(texts) > MAX_LABELS:
        return ()
    seen: Counter[str] = Counter()
    names: dict[str, None] = {}
    for number, text in enumerate(texts, 1):
        name = base = sanitize(text) or f"unnamed {number}"
        while name in names:
            seen[base] += 1
            name = f"{base} ({seen[base] + 1})"
        names[name] = None
    return tuple(names)


def require_max_bytes(subject: str, size: int, remedy: str) -> None:
    """Raise an error if a size in bytes exceeds the limit.

    Args:
        subject: beginning of the error message, such as "The file has".
        size: the number of bytes.
        remedy: a sentence with advice for the user.
    """
    if size > MAX_BYTES:
        raise UploadError(f"{subject} {size:,} bytes, more than the limit of 20 MB. {remedy}")


def require_max_columns(file: str, columns: int) -> None:
    """Raise an error if a table of text, JSON or Parquet has too many columns."""
    if columns > MAX_COLUMNS:
        raise UploadError(
            f"{file} has {columns:,} columns, more than the limit of {MAX_COLUMNS:,}. Save fewer "
            "columns, or an array with numpy.save (.npy)."
        )


def require_max_members(file: str, arrays: int) -> None:
    """Raise an error if an archive has too many arrays."""
    if arrays > MAX_ARRAYS:
        raise UploadError(
            f"{file} holds {arrays:,} arrays, more than the limit of {MAX_ARRAYS:,}. Save only "
            "the arrays that you want to see."
        )


def reject_dtype(subject: str, kind: str, shape: Sequence[int]) -> NoReturn:
    """Raise the error for an array that does not hold real numbers; `kind` describes the values."""
    raise NotATable(
        f"{subject} holds {kind}, but must hold real numbers. Convert it if that makes sense: "
        'array.astype("float32").',
        f"{kind}, {describe_shape(shape)}",
    )


def require_table_shape(subject: str, shape: Sequence[int]) -> None:
    """Raise an error unless a shape has at least two rows and two columns, within the limits."""
    if len(shape) != 2:
        raise NotATable(
            f"{subject} has {describe_shape(shape)}, but a table must have two dimensions. Save a "
            "2-D array with examples as rows and features as columns.",
            describe_shape(shape),
        )
    n, d = shape
    size = f"{subject} has {describe_shape(shape)}"
    if n * d == 0:
        raise Unsupported(f"{size}: it is empty. Save at least two rows and two columns.")
    if n * d > MAX_CELLS:
        raise Unsupported(
            f"{size}: {n * d:,} cells, more than the limit of {MAX_CELLS:,}. Save fewer rows or "
            "columns."
        )
    if n == 1:
        raise Unsupported(
            f"{size}: a single example, but BatchNorm needs at least two. Save at least two rows."
        )
    if d == 1:
        raise Unsupported(
            f"{size}: a single feature, which LayerNorm would turn into 0. Save at least two "
            "columns."
        )


def describe_shape(shape: Sequence[int]) -> str:
    """Format an array's shape for error messages.

    >>> describe_shape((2, 3))
    'shape 2 x 3'
    """
    return (
        "shape " + sanitize(" x ".join(f"{size:,}" for size in shape)) if shape else "no dimensions"
    )


def describe_cell(n: int, d: int) -> str:
    """Format the position of a cell for error messages.

    >>> describe_cell(0, 1)
    'Row 1, column 2 (counted from 1)'
    """
    return f"Row {n + 1:,}, column {d + 1:,} (counted from 1)"


def to_tensor(
    subject: str, values: npt.NDArray[Any], cell_name: Callable[[int, int], str] = describe_cell
) -> Float[Tensor, "N D"]:
    """Check a table and convert it to float32; errors name an invalid cell with `cell_name`."""
    require_table_shape(subject, values.shape)
    return to_finite_float32(subject, values, cell_name)


def to_finite_float32(
    subject: str, values: npt.NDArray[Any], cell_name: Callable[[int, int], str] = describe_cell
) -> Float[Tensor, "N D"]:
    """Convert values to float32; raise an error that names the first cell that is not finite."""
    with np.errstate(over="ignore"):
        narrow = np.array(values, dtype=np.float32, order="C")
    finite = np.isfinite(narrow)
    if finite.all():
        return torch.from_numpy(narrow)
    n, d = divmod(int(np.argmin(finite)), values.shape[1])
    where, value = f"{cell_name(n, d)} of {subject}", float(values[n, d])
    if math.isfinite(value):
        raise Unsupported(
            f"{where} holds {value:.3g}, but the largest float32 number is "
            f"{np.finfo(np.float32).max:.3g}. Scale the values down."
        )
    what = "NaN, not a number" if math.isnan(value) else "infinite"
    raise Unsupported(f"{where} is {what}. Enter a finite number there, or leave that row out.")
