"""Reader of uploaded files in any supported format."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lnviz.data.uploads.archive import ZIP_STARTS
from lnviz.data.uploads.binary import ArrayLoader, read_npy, read_npz, read_safetensors
from lnviz.data.uploads.csv_table import read_csv
from lnviz.data.uploads.requirements import (
    MAX_CELLS,
    DataTable,
    NotATable,
    Unsupported,
    UploadError,
    require_max_bytes,
    sanitize,
)

MAX_LISTED: Final = 8  # arrays that a message lists
MAX_FILE_CELLS: Final = 2 * MAX_CELLS  # of all arrays of a file, since a session keeps them


@dataclass(frozen=True)
class Upload:
    """Tables read from an uploaded file.

    Attributes:
        arrays: every supported 2-D array by name, in file order.
        left_out: an error message for every unsupported 2-D array.
    """

    arrays: dict[str, DataTable]
    left_out: tuple[str, ...]


def read(filename: str, raw: bytes) -> Upload:
    r"""Read the 2-D arrays of an uploaded file as float32. Safe for untrusted files.

    The separator of a `.csv` file is a tab, semicolon, comma or space: the first of these, in this
    order, that occurs in the first row. A first row without numbers is a header. If the header's
    first cell is empty, the first column has the rows' labels. Empty rows are skipped. If the
    separator is a semicolon, numbers may have a decimal comma.

    A `.csv` or `.npy` file has one array, named after the file. A `.npz` or `.safetensors` file may
    have several arrays, of which those that are not 2-D and numeric are skipped.

    Args:
        filename: its extension determines the format.
        raw: the file's content.

    Returns:
        One or more arrays (N, D), with at least 2 examples, at least 2 features and finite values.

    Raises:
        UploadError: no array is supported; the message says where the problem is and how to fix it.

    >>> found = read("grid.csv", b"height,width\n1,2\n3,4\n").arrays["grid"]
    >>> found.columns, found.values.tolist()
    (('height', 'width'), [[1.0, 2.0], [3.0, 4.0]])
    """
    base = re.split(r"[/\\]", filename)[-1]
    stem, dot, ending = base.rpartition(".")
    ending = ending.lower()
    file = f'"{sanitize(base)}"'
    if not dot or ending not in ("csv", "npy", "npz", "safetensors"):
        raise UploadError(
            f"{file} has an ending other than .csv, .npy, .npz and .safetensors. Save the array "
            "as one of these. Pickled files (.pt, .pkl) are never opened: that can run code."
        )
    if not raw:
        raise UploadError(f"{file} is empty (0 bytes). Save it again and upload the new file.")
    require_max_bytes(f"{file} has", len(raw), "Save fewer rows or columns.")
    _require_signature(file, ending, raw)
    match ending:
        case "npz":
            return _load_arrays(file, read_npz(file, raw))
        case "safetensors":
            return _load_arrays(file, read_safetensors(file, raw))
        case "npy":
            table = DataTable(read_npy(file, raw))
        case _:
            table = read_csv(file, raw)
    return Upload({sanitize(stem) or "array": table}, ())


_SIGNATURES: Final = (
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    *((start, "a zip archive (such as .npz or .xlsx)") for start in ZIP_STARTS),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89HDF", "an HDF5 file"),
)


def _require_signature(file: str, ending: str, raw: bytes) -> None:
    """Raise an error if a file's first bytes do not match its extension."""
    fits = {
        "csv": not raw.startswith(tuple(start for start, _ in _SIGNATURES)),
        "npy": raw.startswith(b"\x93NUMPY"),
        "npz": raw.startswith(ZIP_STARTS),
        "safetensors": raw[8:9] == b"{",
    }
    if fits[ending]:
        return
    known = (f", but as {what}" for start, what in _SIGNATURES if raw.startswith(start))
    raise UploadError(
        f"{file} does not begin as a .{ending} file{next(known, '')}. Give it the ending of what "
        "it holds, or save the array as .csv, .npy, .npz or .safetensors."
    )


def _load_arrays(file: str, entries: Iterable[tuple[str, ArrayLoader]]) -> Upload:
    """Read the supported arrays of an archive."""
    arrays: dict[str, DataTable] = {}
    left_out: list[str] = []
    others: list[str] = []
    labels: set[str] = set()
    cells = 0
    for name, load in entries:
        base = sanitize(name) or "array"
        numbered = itertools.chain([base], (f"{base} ({n})" for n in itertools.count(2)))
        label = next(candidate for candidate in numbered if candidate not in labels)
        labels.add(label)
        try:
            array = load(f'"{label}" in {file}')
            if cells + array.numel() <= MAX_FILE_CELLS:
                cells += array.numel()
                arrays[label] = DataTable(array)
            else:
                left_out.append(
                    f'"{label}" in {file} is left out: the arrays of a file have at most '
                    f"{MAX_FILE_CELLS:,} cells together. Upload it in a file of its own."
                )
        except Unsupported as unfit:
            left_out.append(str(unfit))
        except NotATable as other:
            others.append(f'"{label}" ({other.description})')
    if arrays:
        return Upload(arrays, tuple(left_out))
    if left_out:
        raise UploadError(left_out[0])
    listed = ", ".join(others[:MAX_LISTED]) or "nothing"
    more = f" and {len(others) - MAX_LISTED:,} more" if len(others) > MAX_LISTED else ""
    raise UploadError(
        f"{file} holds no 2-D array of numbers. Found: {listed}{more}. "
        "Save one in it, with cases as rows and units as columns."
    )
