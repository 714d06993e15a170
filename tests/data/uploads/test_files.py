import io
import pickle
import re

import numpy as np
import pytest

from lnviz.data.uploads import MAX_BYTES, read
from lnviz.data.uploads.requirements import sanitize
from tests.data.uploads.making import GRID, message, npy, npz


@pytest.mark.parametrize("name", ["a.pt", "a.pkl", "a.xlsx", "a", "", "csv", "a.csv.gz", "a.csv "])
def test_another_ending_is_refused(name: str) -> None:
    assert message(name, pickle.dumps([1, 2])) == (
        f'"{name.strip()}" has an ending other than .csv, .npy, .npz and .safetensors. Save the '
        "array as one of these. Pickled files (.pt, .pkl) are never opened: that can run code."
    )


@pytest.mark.parametrize(
    ("name", "raw", "known"),
    [
        ("a.csv", npy(GRID), ", but as a NumPy array (.npy)"),
        ("a.csv", npz(a=GRID), ", but as a zip archive (such as .npz or .xlsx)"),
        ("a.csv", b"\x89PNG\r\n", ", but as a PNG image"),
        ("a.npy", npz(a=GRID), ", but as a zip archive (such as .npz or .xlsx)"),
        ("a.npy", b"1,2\n3,4\n", ""),
        ("a.npz", npy(GRID), ", but as a NumPy array (.npy)"),
        ("a.npz", b"%PDF-1.7", ", but as a PDF document"),
        ("a.safetensors", npz(a=GRID), ", but as a zip archive (such as .npz or .xlsx)"),
        ("a.safetensors", b"1234567", ""),
    ],
)
def test_content_of_another_type_than_the_ending_is_answered(
    name: str, raw: bytes, known: str
) -> None:
    assert message(name, raw) == (
        f'"{name}" does not begin as a {name[1:]} file{known}. Give it the ending of what it '
        "holds, or save the array as .csv, .npy, .npz or .safetensors."
    )


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz", "a.safetensors"])
def test_an_empty_file_is_answered(name: str) -> None:
    assert message(name, b"") == (
        f'"{name}" is empty (0 bytes). Save it again and upload the new file.'
    )


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz", "a.safetensors"])
def test_a_file_of_too_many_bytes_is_answered(name: str) -> None:
    assert message(name, bytes(MAX_BYTES + 1)) == (
        f'"{name}" has 20,971,521 bytes, more than the 20,971,520 (20 MB) that are allowed. '
        "Save fewer rows or columns."
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
        '"c" in "many.npz" is left out: the arrays of a file have at most 2,000,000 cells '
        "together. Upload it in a file of its own."
    )


def test_a_quoted_text_is_cut_only_beyond_its_limit():
    assert sanitize("a" * 60) == "a" * 60
    assert sanitize("a" * 61) == "a" * 60 + "..."
