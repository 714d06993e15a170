"""Reader of uploaded files in any supported format."""

import gzip
import io
import itertools
import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from lnviz.data.uploads.archive import ZIP_STARTS
from lnviz.data.uploads.binary import ArrayLoader, read_npy, read_npz, read_safetensors
from lnviz.data.uploads.json_table import read_json
from lnviz.data.uploads.numeric_tables import choose_numbers
from lnviz.data.uploads.parquet_table import MAGIC, read_parquet
from lnviz.data.uploads.raw_table import RawTable
from lnviz.data.uploads.requirements import (
    MAX_BYTES,
    MAX_CELLS,
    DataTable,
    NotATable,
    Unsupported,
    UploadError,
    require_max_bytes,
    sanitize,
)
from lnviz.data.uploads.text_table import read_text

MAX_LISTED: Final = 8  # arrays that a message lists
MAX_FILE_CELLS: Final = 2 * MAX_CELLS  # of all arrays of a file, since a session keeps them
_TABLE_READERS: Final[dict[str, Callable[[str, bytes], RawTable]]] = {
    **dict.fromkeys(("csv", "tsv", "txt", "tab", "dat", "data"), read_text),
    **dict.fromkeys(("json", "jsonl", "ndjson"), read_json),
    "parquet": read_parquet,
}
_ARRAY_ENDINGS: Final = ("npy", "npz", "safetensors")
ENDINGS: Final = (*_TABLE_READERS, *_ARRAY_ENDINGS, "gz")
"""Endings of the files that are read."""

_SPREADSHEETS: Final = ("xlsx", "xls", "xlsm", "xlsb", "ods", "numbers")
_PICKLES: Final = ("pt", "pth", "pkl", "pickle", "joblib", "bin", "ckpt")
_EXPORTS: Final = {
    **dict.fromkeys(("rds", "rda", "rdata"), "an R file. Save the table as .csv, with write.csv"),
    "mat": "a MATLAB file. Save the matrix as .csv, with writematrix",
    **dict.fromkeys(("h5", "hdf5"), "an HDF5 file. Save its array as .npy, with numpy.save"),
    **dict.fromkeys(
        ("feather", "arrow", "ipc"),
        "an Arrow file. Save the table as .parquet, with pandas.DataFrame.to_parquet",
    ),
    **dict.fromkeys(("dta", "sav"), "a file of a statistics program. Export its table as CSV"),
    **dict.fromkeys(
        ("zip", "7z", "tar", "rar"), "an archive. Unpack it, and upload the file that you need"
    ),
    **dict.fromkeys(
        ("png", "jpg", "jpeg", "gif", "webp"),
        "an image. Save its numbers as .npy, with numpy.save",
    ),
    "pdf": "a document. Copy its table into the field below the file",
}


@dataclass(frozen=True)
class Upload:
    """Tables read from an uploaded file.

    Attributes:
        arrays: every supported table by name, in file order.
        left_out: an error message for every unsupported 2-D array.
        notes: sentences on what a table lacks of its file, by its name.
    """

    arrays: dict[str, DataTable]
    left_out: tuple[str, ...] = ()
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read(filename: str, raw: bytes) -> Upload:
    r"""Read the tables of an uploaded file as float32. Safe for untrusted files.

    Tables of text (`.csv`, `.tsv`, `.txt`, `.tab`, `.dat`, `.data`): the separator is a tab,
    semicolon, comma, bar or space, whichever gives most rows the same length and most cells a
    number. A first row without numbers is a header, also with years. Lines that begin with `#`,
    rows of other lengths above the table, a row of units below the header, and text below the table
    are skipped. If the header's first cell is empty, or the header is a cell shorter than the rows,
    the first column has the rows' labels. Numbers may have a decimal comma unless the separator is
    a comma.

    JSON (`.json`, `.jsonl`): records, columns or a list of rows. Parquet: columns of numbers,
    truth values or text.

    Of all tables, columns of text are left out, and the first one whose cells all differ names the
    rows, as a first column of whole numbers does that is called an id. `True` is 1. Rows or columns
    with gaps (an empty cell, `NA`, `NaN`, `?`) are left out: there is a table for each choice, and
    the first one keeps the most numbers.

    A `.npz` or `.safetensors` file may have several arrays, of which those that are not numeric, or
    have fewer than two dimensions, are skipped. An array of more dimensions has two tables: its
    first axis as examples, and its last axis as features. Any file may be compressed by gzip.

    Args:
        filename: its extension determines the format.
        raw: the file's content.

    Returns:
        One or more tables (N, D), with at least 2 examples, at least 2 features and finite values.

    Raises:
        UploadError: no table is supported; the message says where the problem is and how to fix it.

    >>> found = read("grid.csv", b"height,width,name\n1,2,a\n3,4,b\n")
    >>> found.arrays["grid"].columns, found.arrays["grid"].values.tolist()
    (('height', 'width'), [[1.0, 2.0], [3.0, 4.0]])
    """
    base = re.split(r"[/\\]", filename)[-1]
    file = f'"{sanitize(base)}"'
    stem, ending = _split(base)
    _require_ending(file, ending)
    if not raw:
        raise UploadError(f"{file} is empty (0 bytes). Save it again and upload the new file.")
    require_max_bytes(f"{file} has", len(raw), "Save fewer rows or columns.")
    if ending == "gz":
        stem, ending = _split(stem)
        _require_ending(file, "" if ending == "gz" else ending)
        raw = _decompress(file, raw)
    _require_signature(file, ending, raw)
    name = sanitize(stem) or "array"
    match ending:
        case "npz":
            return _load_arrays(file, read_npz(file, raw))
        case "safetensors":
            return _load_arrays(file, read_safetensors(file, raw))
        case "npy":
            tables = read_npy(file, raw)
        case _:
            tables = choose_numbers(file, "", _TABLE_READERS[ending](file, raw))
    named = {name + suffix: table for suffix, table in tables.items()}
    return Upload(
        {label: each.table for label, each in named.items()},
        notes={label: each.notes for label, each in named.items()},
    )


def _split(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, ending.lower()) if dot else (name, "")


def _require_ending(file: str, ending: str) -> None:
    """Raise an error, with advice for the file's extension, unless the extension is supported."""
    if ending in ENDINGS:
        return
    if ending in _SPREADSHEETS:
        raise UploadError(
            f'{file} is a spreadsheet. Save it as CSV (in Excel: "CSV UTF-8"), and upload the new '
            "file."
        )
    if ending in _PICKLES:
        raise UploadError(
            f"{file} may be pickled, and pickled files are never opened, because opening one can "
            "run code. Save the array with numpy.save (.npy) or safetensors.torch.save_file "
            "(.safetensors)."
        )
    if ending in _EXPORTS:
        raise UploadError(f"{file} is {_EXPORTS[ending]}.")
    raise UploadError(
        f"{file} does not have a supported extension. If it is a text table, rename it to .csv; "
        ".json, .parquet, .npy, .npz and .safetensors also work."
    )


def _decompress(file: str, raw: bytes) -> bytes:
    """Decompress a gzip file, but not beyond the size limit."""
    try:
        with gzip.open(io.BytesIO(raw)) as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UploadError(
            f"{file} is damaged, truncated, or not compressed with gzip. Upload the uncompressed "
            "file."
        ) from error
    if len(content) > MAX_BYTES:
        raise UploadError(
            f"{file} unpacks to more than the limit of 20 MB. Save fewer rows or columns."
        )
    if not content:
        raise UploadError(f"{file} is empty. Save it again and upload the new file.")
    return content


_SIGNATURES: Final = (
    (b"\x93NUMPY", "a NumPy array (.npy)"),
    *((start, "a zip archive (such as .npz or .xlsx)") for start in ZIP_STARTS),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89HDF", "an HDF5 file"),
    (MAGIC, "a Parquet file"),
)


def _require_signature(file: str, ending: str, raw: bytes) -> None:
    """Raise an error if a file's first bytes do not match its extension."""
    fits = {
        "npy": raw.startswith(b"\x93NUMPY"),
        "npz": raw.startswith(ZIP_STARTS),
        "safetensors": raw[8:9] == b"{",
        "parquet": raw.startswith(MAGIC),
    }
    if fits.get(ending, not raw.startswith(tuple(start for start, _ in _SIGNATURES))):
        return
    if raw.startswith(ZIP_STARTS) and b"xl/" in raw[:4096]:
        raise UploadError(
            f'{file} is an Excel workbook despite its name. In Excel, save it as "CSV UTF-8", and '
            "upload the new file."
        )
    known = next((what for start, what in _SIGNATURES if raw.startswith(start)), None)
    raise UploadError(
        f"{file} does not begin like a .{ending} file{f', but like {known}' if known else ''}. "
        "Rename it with the extension of its content."
    )


def _load_arrays(file: str, entries: Iterable[tuple[str, ArrayLoader]]) -> Upload:
    """Read the supported arrays of an archive, and note which were left out."""
    arrays: dict[str, DataTable] = {}
    notes: dict[str, tuple[str, ...]] = {}
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
            tables = load(f'"{label}" in {file}')
        except Unsupported as unfit:
            left_out.append(str(unfit))
            continue
        except NotATable as other:
            others.append(f'"{label}" ({other.description})')
            continue
        size = next(iter(tables.values())).table.values.numel()
        if cells + size > MAX_FILE_CELLS:
            left_out.append(
                f'"{label}" in {file} was left out: the arrays of a file may have at most '
                f"{MAX_FILE_CELLS:,} cells in all. Upload it in a file of its own."
            )
            continue
        cells += size
        for suffix, table in tables.items():
            arrays[label + suffix] = table.table
            notes[label + suffix] = table.notes
    if arrays:
        return Upload(arrays, tuple(left_out), notes)
    if left_out:
        raise UploadError(left_out[0])
    listed = ", ".join(others[:MAX_LISTED]) or "nothing"
    more = f" and {len(others) - MAX_LISTED:,} more" if len(others) > MAX_LISTED else ""
    raise UploadError(
        f"{file} holds no 2-D array of numbers, but {listed}{more}. Save a 2-D array in it, with "
        "examples as rows and features as columns."
    )
