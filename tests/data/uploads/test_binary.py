import io
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save as save_safetensors
from safetensors.torch import save as save_torch

from lnviz.data.uploads import read
from tests.data.uploads.making import (
    GRID,
    Trap,
    declared,
    message,
    npy,
    npy_with_header,
    only,
    table,
    zipped,
)

DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">f8", ">i2"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_npy_file_is_read_in_every_type_of_real_numbers(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    np.testing.assert_array_equal(only("a.npy", npy(values)), values)


@pytest.mark.parametrize("dtype", DTYPES[:-3])
def test_a_safetensors_file_is_read_in_every_type_of_real_numbers(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    np.testing.assert_array_equal(only("a.safetensors", save_safetensors({"a": values})), values)


def test_bfloat16_is_read() -> None:
    values = torch.tensor([[1.5, -2.25, 1e30], [0.0, 3e-30, -7.0]], dtype=torch.bfloat16)
    read_back = table("a.safetensors", save_torch({"a": values})).values
    assert torch.equal(read_back, values.float())


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_an_npy_file_of_every_format_version_is_read(version: tuple[int, int]) -> None:
    out = io.BytesIO()
    np.lib.format.write_array(out, GRID, version=version)
    np.testing.assert_array_equal(only("a.npy", out.getvalue()), GRID)


def test_an_npy_file_in_column_order_is_read() -> None:
    np.testing.assert_array_equal(only("a.npy", npy(np.asfortranarray(GRID))), GRID)


@pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")
def test_an_npy_header_written_by_python_2_is_read() -> None:
    raw = npy_with_header(declared("'<f4'", "(2L, 3L)"), GRID.tobytes())
    np.testing.assert_array_equal(only("a.npy", raw), GRID)


@pytest.mark.parametrize("save", [npy, lambda values: save_safetensors({"a": values})])
def test_truth_values_are_read_as_0_and_1(save: Callable[[np.ndarray], bytes]) -> None:
    raw = save(np.array([[True, False], [False, True]]))
    name = "a.npy" if raw.startswith(b"\x93") else "a.safetensors"
    np.testing.assert_array_equal(only(name, raw), [[1, 0], [0, 1]])


def test_an_array_of_more_axes_is_read_by_its_first_and_by_its_last_axis() -> None:
    images = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    for name, raw in (("a.npy", npy(images)), ("a.safetensors", save_safetensors({"a": images}))):
        found = read(name, raw)
        first, last = found.arrays.values()
        np.testing.assert_array_equal(first.values, images.reshape(2, 12))
        np.testing.assert_array_equal(last.values, images.reshape(6, 4))
        assert list(found.arrays) == ["a", "a, last axis as features"]
        assert found.notes["a"] == (
            "The array has shape 2 x 3 x 4. It was read as 2 examples of 12 features.",
        )


def test_axes_of_length_1_are_dropped() -> None:
    tokens = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
    np.testing.assert_array_equal(only("a.npy", npy(tokens)), tokens[0])


def not_a_grid(what: str) -> str:
    return (
        f'"a.npy" holds {what}, but must hold real numbers. Convert it if that makes sense: '
        'array.astype("float32").'
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (GRID.astype(complex), not_a_grid("complex numbers")),
        (GRID.astype("U8"), not_a_grid("text")),
        (GRID.astype("S8"), not_a_grid("text")),
        (GRID.astype("M8[s]"), not_a_grid("dates")),
        (GRID.astype("m8[s]"), not_a_grid("durations")),
        (GRID.astype("V4"), not_a_grid("records or values of an unusual type")),
        (np.zeros((2, 2), "f4,f4"), not_a_grid("records or values of an unusual type")),
        (np.zeros((2, 2), np.longdouble), not_a_grid("records or values of an unusual type")),
        (
            np.zeros(7),
            '"a.npy" has shape 7, but a table must have two dimensions. Save a 2-D array '
            "with examples as rows and features as columns.",
        ),
        (
            np.zeros((1, 7, 1)),
            '"a.npy" has shape 7, but a table must have two dimensions. Save a 2-D array '
            "with examples as rows and features as columns.",
        ),
        (
            np.array(1.0),
            '"a.npy" has no dimensions, but a table must have two dimensions. Save a 2-D array '
            "with examples as rows and features as columns.",
        ),
        (
            np.zeros((0, 5)),
            '"a.npy" has shape 0 x 5: it is empty. Save at least two rows and two columns.',
        ),
        (
            np.zeros((1_001, 1_000), np.int8),
            '"a.npy" has shape 1,001 x 1,000: 1,001,000 cells, more than the limit of 1,000,000. '
            "Save fewer rows or columns.",
        ),
        (
            np.zeros((1, 4)),
            '"a.npy" has shape 1 x 4: a single example, but BatchNorm needs at least two. Save at '
            "least two rows.",
        ),
        (
            np.zeros((4, 1)),
            '"a.npy" has shape 4 x 1: a single feature, which LayerNorm would turn into 0. Save '
            "at least two columns.",
        ),
        (
            np.array([[1, 2], [3, np.nan], [np.nan, 1]]),
            'Row 2, column 2 (counted from 1) of "a.npy" is NaN, not a number. Enter a finite '
            "number there, or leave that row out.",
        ),
        (
            np.array([[1, 2], [-np.inf, np.nan]], np.float16),
            'Row 2, column 1 (counted from 1) of "a.npy" is infinite. Enter a finite number '
            "there, or leave that row out.",
        ),
        (
            np.array([[1, 2], [3, -1e300]]),
            'Row 2, column 2 (counted from 1) of "a.npy" holds -1e+300, but the largest float32 '
            "number is 3.4e+38. Scale the values down.",
        ),
    ],
)
def test_an_array_that_cannot_be_shown_is_answered_with_place_and_remedy(
    values: np.ndarray, expected: str
) -> None:
    assert message("a.npy", npy(values)) == expected


DAMAGED_HEADER = (
    '"a.npy" is damaged: its header cannot be read. Save it again with numpy.save or numpy.savez, '
    "as one array of plain numbers."
)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x93NUMPY",
        npy(GRID)[:11],
        npy(GRID)[:40],
        b"\x93NUMPY\x09\x00" + npy(GRID)[8:],
        npy_with_header("[1, 2]"),
        npy_with_header(declared("'<f4'", "(-2, 3)"), GRID.tobytes()),
        npy_with_header(declared("'<f4'", "(" + "9" * 5_000 + ", 3)")),
        npy_with_header(declared("'<f4'", "(2, 3)") + " " * 20_000, GRID.tobytes()),
        npy_with_header(declared("__import__('os')", "(2, 3)"), GRID.tobytes()),
        npy_with_header("(" * 9_000),
    ],
)
def test_an_npy_header_that_cannot_be_read_is_answered(raw: bytes) -> None:
    assert message("a.npy", raw) == DAMAGED_HEADER


@pytest.mark.parametrize(
    ("raw", "follow"),
    [
        (npy(GRID)[:-1], "23"),
        (npy(GRID) + b"\0\0\0\0", "28"),
        (npy_with_header(declared("'<f4'", "(2, 3)")), "0"),
    ],
)
def test_an_npy_file_of_another_size_than_declared_is_answered(raw: bytes, follow: str) -> None:
    assert message("a.npy", raw) == (
        f'"a.npy" is damaged: its header declares 2 x 3 numbers in 24 bytes, but {follow} bytes '
        "follow. Save it again, and upload the new file."
    )


def test_a_huge_declared_shape_is_refused_before_memory_is_taken() -> None:
    raw = npy_with_header(declared("'<f8'", f"({10**17}, {10**17})"))
    assert message("a.npy", raw) == (
        f'"a.npy" has shape {10**17:,} x {10**17:,}: {10**34:,} cells, more than the limit of '
        "1,000,000. Save fewer rows or columns."
    )


def test_objects_in_arrays_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "sprung"
    trap = np.array([[Trap(path), 1], [2, 3]], dtype=object)
    expected = not_a_grid("pickled objects, which are never opened")
    assert message("a.npy", npy(trap, allow_pickle=True)) == expected
    raw = zipped({"a.npy": npy(trap, allow_pickle=True), "data.pkl": pickle.dumps(Trap(path))})
    assert message("b.npz", raw) == (
        '"b.npz" holds no 2-D array of numbers, but "a" (pickled objects, which are never opened, '
        'shape 2 x 2), "data.pkl" (not an array). Save a 2-D array in it, with examples as rows '
        "and features as columns."
    )
    for name in ("a.npy", "a.npz", "a.csv", "a.safetensors", "a.pt"):
        message(name, pickle.dumps(Trap(path)))
    assert not path.exists()
    pickle.loads(pickle.dumps(Trap(path)))  # the trap works
    assert path.exists()
