"""What is asked of an array, and how a file is told to fall short of it."""

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
MAX_ARRAYS: Final = 1_000  # of one archive
SHOWN: Final = 60  # characters of a visitor's text that a message repeats
MAX_NAMES: Final = 10_000  # of rows or columns: of more, none is kept


@dataclass(frozen=True, eq=False)
class Table:
    """A grid of numbers, with the names that its file gives to rows and columns.

    Attributes:
        values: one row a case, one column a unit.
        rows: N distinct names, or none.
        columns: D distinct names, or none.
    """

    values: Float[Tensor, "N D"]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Write the table as NumPy's `.npz`, which `from_bytes` reads."""
        rows, columns = (np.array(names, str) for names in (self.rows, self.columns))
        buffer = io.BytesIO()
        np.savez(buffer, values=self.values.cpu().numpy(), rows=rows, columns=columns)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(content: bytes) -> "Table":
        """Read what `to_bytes` wrote.

        >>> Table.from_bytes(Table(torch.ones(2, 3), rows=("a", "b")).to_bytes()).rows
        ('a', 'b')
        """
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            rows, columns = (tuple(arrays[name].tolist()) for name in ("rows", "columns"))
            return Table(torch.from_numpy(arrays["values"]), rows, columns)


class UploadError(ValueError):
    """What is wrong with a file, where, and what to do: text for the visitor to read."""


class NotAGrid(UploadError):
    """An array that is not 2-D or not of numbers, with a few words on it for a list."""

    def __init__(self, message: str, description: str) -> None:
        super().__init__(message)
        self.description = description


class Unfit(UploadError):
    """A 2-D array of numbers that cannot be shown, though others in its file may be."""


def plain(text: str) -> str:
    r"""Make a visitor's text fit to repeat: one line, bounded, no markup, no control characters.

    >>> plain("a<b>\n[c]")
    'a_b___c_'
    """
    start = text[:SHOWN]
    kept = (c if unicodedata.category(c)[0] in "LMN" or c in " ._-+,%()/=" else "_" for c in start)
    return "".join(kept).strip() + ("..." if len(text) > SHOWN else "")


def distinct(texts: Sequence[str]) -> tuple[str, ...]:
    """Make a visitor's names fit to show, and different from each other.

    >>> distinct(["a", "", "a", "b"])
    ('a', 'unnamed 2', 'a (2)', 'b')
    """
    if len(texts) > MAX_NAMES:
        return ()
    seen: Counter[str] = Counter()
    names: dict[str, None] = {}
    for number, text in enumerate(texts, 1):
        name = base = plain(text) or f"unnamed {number}"
        while name in names:
            seen[base] += 1
            name = f"{base} ({seen[base] + 1})"
        names[name] = None
    return tuple(names)


def require_small(said: str, size: int, remedy: str) -> None:
    """Refuse more bytes than are allowed.

    Args:
        said: whose they are, as the beginning of a sentence: "The file has", say.
        size: how many there are.
        remedy: what to do.
    """
    if size > MAX_BYTES:
        raise UploadError(
            f"{said} {size:,} bytes, more than the {MAX_BYTES:,} (20 MB) that are allowed. {remedy}"
        )


def require_few(file: str, arrays: int) -> None:
    """Refuse an archive of too many arrays."""
    if arrays > MAX_ARRAYS:
        raise UploadError(
            f"{file} holds {arrays:,} arrays, more than the {MAX_ARRAYS:,} that are allowed. "
            "Save only those you want to see."
        )


def refuse_kind(subject: str, what: str, shape: Sequence[int]) -> NoReturn:
    """Refuse an array that is not of real numbers; `what` says of what it is."""
    raise NotAGrid(
        f'{subject} holds {what}. Save real numbers: array.astype("float32") where that fits.',
        f"{what}, {shown(shape)}",
    )


def require_grid(subject: str, shape: Sequence[int]) -> None:
    """Refuse a shape that is not of at least two cases and two units, within the limits."""
    if len(shape) != 2:
        raise NotAGrid(
            f"{subject} has {shown(shape)}; a grid has two dimensions. Save a 2-D array with "
            "cases as rows and units as columns, by array.reshape or by taking a slice.",
            shown(shape),
        )
    n, d = shape
    size = f"{subject} has {shown(shape)}"
    if n * d == 0:
        raise Unfit(f"{size}: it is empty. Save at least two rows and two columns.")
    if n * d > MAX_CELLS:
        raise Unfit(
            f"{size}: {n * d:,} cells, more than the {MAX_CELLS:,} that are allowed. Save fewer "
            "rows or columns."
        )
    if n == 1:
        raise Unfit(
            f"{size}: a single example, which BatchNorm cannot compare with others. Give at least "
            "two rows."
        )
    if d == 1:
        raise Unfit(
            f"{size}: a single unit, of which LayerNorm leaves only 0. Save at least two columns."
        )


def shown(shape: Sequence[int]) -> str:
    """Write a shape as messages have it.

    >>> shown((2, 3))
    'shape 2 x 3'
    """
    return "shape " + plain(" x ".join(f"{size:,}" for size in shape)) if shape else "no dimensions"


def row_and_column(n: int, d: int) -> str:
    """Say where a cell is.

    >>> row_and_column(0, 1)
    'Row 1, column 2 (counted from 1)'
    """
    return f"Row {n + 1:,}, column {d + 1:,} (counted from 1)"


def to_tensor(
    subject: str, values: npt.NDArray[Any], place: Callable[[int, int], str] = row_and_column
) -> Float[Tensor, "N D"]:
    """Check a grid and make it float32; `place` says where in the file a cell is."""
    require_grid(subject, values.shape)
    return finite(subject, values, place)


def finite(
    subject: str, values: npt.NDArray[Any], place: Callable[[int, int], str] = row_and_column
) -> Float[Tensor, "N D"]:
    """Check that values are finite and make them float32; `place` is as in `to_tensor`."""
    with np.errstate(over="ignore"):
        narrow = np.array(values, dtype=np.float32, order="C")
    finite = np.isfinite(narrow)
    if finite.all():
        return torch.from_numpy(narrow)
    n, d = divmod(int(np.argmin(finite)), values.shape[1])
    where, value = f"{place(n, d)} of {subject}", float(values[n, d])
    if math.isfinite(value):
        raise Unfit(
            f"{where} holds {value:.3g}, too large for float32, which ends at "
            f"{np.finfo(np.float32).max:.3g}. Scale the values down."
        )
    what = "NaN, not a number" if math.isnan(value) else "infinite"
    raise Unfit(f"{where} is {what}. Write a finite number there or leave that row out.")
