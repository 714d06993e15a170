import gzip
import io
import pickle
import re

import numpy as np
import pytest

from lnviz.data.uploads import MAX_BYTES, read
from lnviz.data.uploads.requirements import sanitize
from tests.data.uploads.making import GRID, message, npy, npz, zipped


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.pt", "pickled files are never opened"),
        ("a.pkl", "pickled files are never opened"),
        ("a.xlsx", 'Save it as CSV (in Excel: "CSV UTF-8"), and upload the new file.'),
        ("a.ods", 'Save it as CSV (in Excel: "CSV UTF-8"), and upload the new file.'),
        ("a.rds", "Save the table as .csv, with write.csv."),
        ("a.h5", "Save its array as .npy, with numpy.save."),
        ("a.png", "Save its numbers as .npy, with numpy.save."),
        ("a", "rename it to .csv"),
        ("", "rename it to .csv"),
        ("csv", "rename it to .csv"),
        ("a.csv ", "rename it to .csv"),
        ("a.gz.gz", "rename it to .csv"),
        ("a.gz", "rename it to .csv"),
        ("a.pkl.gz", "pickled files are never opened"),
    ],
)
def test_a_file_of_another_ending_is_refused_with_advice_that_fits(name: str, advice: str) -> None:
    said = message(name, pickle.dumps([1, 2]))
    assert said.startswith(f'"{name.strip()}" ')
    assert advice in said


@pytest.mark.parametrize(
    ("name", "raw", "known"),
    [
        ("a.csv", npy(GRID), ", but like a NumPy array (.npy)"),
        ("a.csv", npz(a=GRID), ", but like a zip archive (such as .npz or .xlsx)"),
        ("a.csv", b"\x89PNG\r\n", ", but like a PNG image"),
        ("a.npy", npz(a=GRID), ", but like a zip archive (such as .npz or .xlsx)"),
        ("a.npy", b"1,2\n3,4\n", ""),
        ("a.npz", npy(GRID), ", but like a NumPy array (.npy)"),
        ("a.npz", b"%PDF-1.7", ", but like a PDF document"),
        ("a.safetensors", npz(a=GRID), ", but like a zip archive (such as .npz or .xlsx)"),
        ("a.safetensors", b"1234567", ""),
    ],
)
def test_content_of_another_type_than_the_ending_is_answered(
    name: str, raw: bytes, known: str
) -> None:
    assert message(name, raw) == (
        f'"{name}" does not begin like a {name[1:]} file{known}. Rename it with the extension of '
        "its content."
    )


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz", "a.safetensors"])
def test_an_empty_file_is_answered(name: str) -> None:
    assert message(name, b"") == (
        f'"{name}" is empty (0 bytes). Save it again and upload the new file.'
    )


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz", "a.safetensors"])
def test_a_file_of_too_many_bytes_is_answered(name: str) -> None:
    assert message(name, bytes(MAX_BYTES + 1)) == (
        f'"{name}" has 20,971,521 bytes, more than the limit of 20 MB. Save fewer rows or columns.'
    )


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Grid.CSV", "Grid"),
        ("two words.v2.csv", "two words.v2"),
        ("C:\\Users\\me\\grid.csv", "grid"),
        ("../../etc/grid.csv", "grid"),
        (".csv", "array"),
        ("größe_グリッド.csv", "größe_グリッド"),
        ("<img src=x>![](y)$z$.csv", "_img src=x____(y)_z_"),
        ("\x1b[31m\n\u202egrid\ud800.csv", "__31m__grid_"),
        ("x" * 300 + ".csv", "x" * 60 + "..."),
    ],
)
def test_an_array_is_named_after_its_file_without_odd_characters(name: str, key: str) -> None:
    assert list(read(name, b"1,2\n3,4\n").arrays) == [key]
    last = re.split(r"[/\\]", name)[-1]
    assert message(name, b"1,2\n").startswith(f'"{sanitize(last)}" has shape 1 x 2')


def test_arrays_that_are_too_many_together_are_left_out() -> None:
    big = np.zeros((1000, 900), np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=big, b=big, c=big, d=big[:2])
    upload = read("many.npz", buffer.getvalue())
    assert list(upload.arrays) == ["a", "b", "d"]
    assert upload.left_out[0] == (
        '"c" in "many.npz" was left out: the arrays of a file may have at most 2,000,000 cells in '
        "all. Upload it in a file of its own."
    )


def test_a_quoted_text_is_cut_only_beyond_its_limit():
    assert sanitize("a" * 60) == "a" * 60
    assert sanitize("a" * 61) == "a" * 60 + "..."


def test_a_workbook_under_another_ending_is_known() -> None:
    workbook = zipped({"xl/workbook.xml": b"<workbook/>"})
    assert "is an Excel workbook despite its name" in message("a.csv", workbook)


def test_a_gzip_file_is_not_unpacked_beyond_the_limit() -> None:
    assert message("a.csv.gz", gzip.compress(b"1,2\n" * (MAX_BYTES // 4 + 1))) == (
        '"a.csv.gz" unpacks to more than the limit of 20 MB. Save fewer rows or columns.'
    )


@pytest.mark.parametrize(
    "raw", [b"1,2\n3,4\n", gzip.compress(b"1,2\n3,4\n")[:-9]], ids=["not packed", "cut off"]
)
def test_a_damaged_gzip_file_is_answered(raw: bytes) -> None:
    assert "is damaged, truncated, or not compressed with gzip" in message("a.csv.gz", raw)


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.csv", b"1,2\n3,4\n"), ("a.json", b"[[1, 2], [3, 4]]"), ("a.npy", npy(GRID[:, :2]))],
)
def test_a_file_of_any_format_may_be_compressed(name: str, raw: bytes) -> None:
    (plain,) = read(name, raw).arrays.values()
    ((key, packed),) = read(name + ".gz", gzip.compress(raw)).arrays.items()
    assert key == "a"
    np.testing.assert_array_equal(packed.values, plain.values)
