import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save as save_safetensors

from lnviz.data.uploads import MAX_BYTES, MAX_CELLS, UploadError, read
from lnviz.data.uploads.npz_members import NpzMembers
from lnviz.data.uploads.requirements import (
    MAX_ARRAYS,
    Unsupported,
    require_max_bytes,
    require_max_members,
    require_table_shape,
)
from tests.data.uploads.making import (
    GRID,
    declared,
    message,
    npy,
    npy_with_header,
    npz,
    safetensors_with_header,
    zipped,
)

AGAIN_NPZ = "Save it again with numpy.savez and upload the new file."
AGAIN_SAFETENSORS = "Save it again with safetensors.torch.save_file."


def test_an_npz_file_gives_its_grids_in_order_and_passes_over_the_rest() -> None:
    arrays = {"z": GRID, "bias": np.zeros(3), "a": GRID.T.copy(), "n": np.array(3), "m": GRID > 0}
    upload = read("a.npz", npz(**arrays))
    assert list(upload.arrays) == ["z", "a", "m"]
    np.testing.assert_array_equal(upload.arrays["a"].values.numpy(), GRID.T)
    assert upload.left_out == ()


def test_a_safetensors_file_gives_its_grids_by_name() -> None:
    arrays = {"z": GRID, "bias": np.zeros(3), "a": GRID.astype("i8"), "m": GRID.T.copy()}
    upload = read("a.safetensors", save_safetensors(arrays, metadata={"format": "np"}))
    assert list(upload.arrays) == ["a", "m", "z"]
    np.testing.assert_array_equal(upload.arrays["m"].values.numpy(), GRID.T)
    assert upload.left_out == ()


def test_a_grid_that_cannot_be_shown_is_left_out_with_its_reason_when_others_can() -> None:
    bad = GRID.copy()
    bad[1, 2] = np.nan
    arrays = {"good": GRID, "bad": bad, "row": GRID[:1]}
    reasons = (
        'Row 2, column 3 (counted from 1) of "bad" in "a.npz" is NaN, not a number. Enter a '
        "finite number there, or leave that row out.",
        '"row" in "a.npz" has shape 1 x 3: a single example, but BatchNorm needs at least two. '
        "Save at least two rows.",
    )
    upload = read("a.npz", npz(**arrays))
    assert list(upload.arrays) == ["good"]
    assert upload.left_out == reasons
    del arrays["good"]
    assert message("a.npz", npz(**arrays)) == reasons[0]


def test_an_archive_without_a_grid_is_answered_with_what_was_found() -> None:
    arrays = {f"bias{n}": np.zeros(n) for n in range(1, 11)}
    assert message("a.npz", npz(**arrays)) == (
        '"a.npz" holds no 2-D array of numbers, but "bias1" (shape 1), "bias2" (shape 2), '
        '"bias3" (shape 3), "bias4" (shape 4), "bias5" (shape 5), "bias6" (shape 6), "bias7" '
        '(shape 7), "bias8" (shape 8) and 2 more. Save a 2-D array in it, with examples as rows '
        "and features as columns."
    )
    header = {
        "c": {"dtype": "C64", "shape": [2, 2], "data_offsets": [0, 32]},
        "f": {"dtype": "F8_E4M3", "shape": [2, 2], "data_offsets": [32, 36]},
    }
    assert message("a.safetensors", safetensors_with_header(header, bytes(36))) == (
        '"a.safetensors" holds no 2-D array of numbers, but "c" (values of type C64, shape 2 x '
        '2), "f" (values of type F8_E4M3, shape 2 x 2). Save a 2-D array in it, with examples as '
        "rows and features as columns."
    )


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.npz", zipped({})), ("a.safetensors", safetensors_with_header({}))],
)
def test_an_archive_of_nothing_is_answered(name: str, raw: bytes) -> None:
    assert message(name, raw) == (
        f'"{name}" holds no 2-D array of numbers, but nothing. Save a 2-D array in it, with '
        "examples as rows and features as columns."
    )


def test_an_archive_in_an_archive_is_not_opened() -> None:
    assert message("a.npz", zipped({"inner.npz": npz(a=GRID), "dir/": b""})) == (
        '"a.npz" holds no 2-D array of numbers, but "inner.npz" (not an array). Save a 2-D array '
        "in it, with examples as rows and features as columns."
    )


def test_a_member_without_a_name_is_passed_over() -> None:
    raw = bytearray(zipped({"b": b"x"}))
    entry = raw.index(b"PK\x01\x02")
    del raw[entry + 46]  # the name
    raw[entry + 28] = 0  # its length
    raw[raw.index(b"PK\x05\x06") + 12] -= 1  # the length of the list of members
    assert message("a.npz", bytes(raw)) == (
        '"a.npz" holds no 2-D array of numbers, but "array" (not an array). Save a 2-D array in '
        "it, with examples as rows and features as columns."
    )


def test_arrays_whose_names_look_alike_are_told_apart() -> None:
    raw = save_safetensors({"a[0]": GRID, "a{0}": GRID * 2, "": GRID * 3, "x" * 90: GRID})
    assert list(read("a.safetensors", raw).arrays) == [
        "array",
        "a_0_",
        "a_0_ (2)",
        "x" * 60 + "...",
    ]


def test_an_encrypted_archive_is_answered() -> None:
    raw = bytearray(npz(a=GRID))
    raw[6] |= 1  # the flag in the member's header
    raw[raw.index(b"PK\x01\x02") + 8] |= 1  # and in the list of members
    assert message("a.npz", bytes(raw)) == (
        '"a.npy" in "a.npz" is encrypted. Save the archive without a password.'
    )


@pytest.mark.parametrize("kept", [30, 100, -1])
def test_a_truncated_archive_is_answered(kept: int) -> None:
    raw = npz(a=GRID)[:kept]
    assert message("a.npz", raw) == (
        f'"a.npz" is a damaged or truncated archive of {len(raw):,} bytes: its list of arrays '
        f"cannot be read. {AGAIN_NPZ}"
    )


def test_an_archive_with_a_wrong_checksum_is_answered() -> None:
    raw = bytearray(zipped({"a.npy": npy(GRID)}, zipfile.ZIP_STORED))
    raw[raw.index(GRID.tobytes())] ^= 1
    assert message("a.npz", bytes(raw)) == (
        f'"a.npy" in "a.npz" is damaged or truncated. {AGAIN_NPZ}'
    )


@pytest.mark.slow
def test_an_honest_decompression_bomb_is_refused_by_its_declared_size() -> None:
    raw = zipped({"a.npy": npy(np.zeros((10_000, 1_000)))})
    assert len(raw) < 200_000
    assert message("a.npz", raw) == (
        '"a.npz" unpacks to 80,000,128 bytes, more than the limit of 20 MB. Save fewer arrays, '
        "rows or columns."
    )


@pytest.mark.slow
def test_a_decompression_bomb_that_lies_about_its_size_is_not_unpacked() -> None:
    raw = bytearray(zipped({"a.npy": npy(np.zeros((10_000, 1_000)))}))
    size = struct.pack("<I", 80_000_128)
    assert raw.count(size) == 2
    lying = bytes(raw.replace(size, struct.pack("<I", 1_000)))
    tracemalloc.start()
    said = message("a.npz", lying)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said == f'"a.npy" in "a.npz" is damaged or truncated. {AGAIN_NPZ}'
    assert peak < 2_000_000


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_that_cannot_be_bounded_is_refused(method: int) -> None:
    assert message("a.npz", zipped({"a.npy": npy(GRID)}, method)) == (
        f'"a.npy" in "a.npz" is compressed in a way that numpy.savez does not use. {AGAIN_NPZ}'
    )


def test_too_many_arrays_are_refused() -> None:
    expected = (
        "holds 1,001 arrays, more than the limit of 1,000. Save only the arrays that you want to "
        "see."
    )
    many = {f"a{n}": np.zeros(1, np.int8) for n in range(1_001)}
    members = zipped({f"{name}.npy": b"" for name in many})
    assert message("a.npz", members) == f'"a.npz" {expected}'
    assert message("a.safetensors", save_safetensors(many)) == f'"a.safetensors" {expected}'


@pytest.mark.parametrize("size", [2**20 + 1, 2**62, 2**64 - 1])
def test_a_safetensors_header_of_more_than_the_file_or_the_limit_is_refused(size: int) -> None:
    raw = struct.pack("<Q", size) + b"{" + b" " * (2**20 + 99)
    assert message("a.safetensors", raw) == (
        f'"a.safetensors" declares a header of {size:,} bytes, but 1,048,676 bytes follow, and '
        f"the limit is 1,048,576. {AGAIN_SAFETENSORS}"
    )


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}, bytes(20)),
        ({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}, bytes(28)),
        ({"a": {"dtype": "F32", "shape": [2, 9], "data_offsets": [0, 24]}}, bytes(24)),
        ({"a": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 24]}}, bytes(24)),
        ({"a": {"dtype": "F32", "shape": [-2, -3], "data_offsets": [0, 24]}}, bytes(24)),
        ({"a": {"dtype": "F99", "shape": [2, 3], "data_offsets": [0, 24]}}, bytes(24)),
        ({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [24, 0]}}, bytes(24)),
        ({"a": 1}, bytes(24)),
    ],
)
def test_a_safetensors_header_that_does_not_fit_its_data_is_answered(
    header: object, body: bytes
) -> None:
    size = len(json.dumps(header))
    assert message("a.safetensors", safetensors_with_header(header, body)) == (
        f'"a.safetensors" is damaged or truncated: its header of {size} bytes does not match the '
        f"{len(body)} bytes after it. {AGAIN_SAFETENSORS}"
    )


def test_the_longest_header_that_numpy_reads_is_read_in_an_archive() -> None:
    for length, is_read in ((10_000, True), (10_001, False)):
        text = declared("'<f4'", "(2, 3)").ljust(length - 1)  # a line, with its end
        for raw in (
            npy_with_header(text, GRID.tobytes()),
            b"\x93NUMPY\x02\x00"
            + struct.pack("<I", length)
            + f"{text}\n".encode()
            + GRID.tobytes(),
        ):
            archive = zipped({"a.npy": raw})
            if not is_read:
                with pytest.raises(UploadError, match="its header cannot be read"):
                    NpzMembers(archive, ["a"], "")
                continue
            members = NpzMembers(archive, ["a"], "")
            members.require_sizes()
            np.testing.assert_array_equal(members.values("a"), GRID)


def test_an_archive_may_hold_as_many_arrays_and_bytes_as_the_limits_say() -> None:
    require_max_members("a.npz", MAX_ARRAYS)
    require_max_bytes("a.npz has", MAX_BYTES, "")
    with pytest.raises(UploadError, match="1,001 arrays"):
        require_max_members("a.npz", MAX_ARRAYS + 1)
    with pytest.raises(UploadError, match="20,971,521 bytes"):
        require_max_bytes("a.npz has", MAX_BYTES + 1, "")


@pytest.mark.parametrize("shape", [(2, 2), (2, MAX_CELLS // 2), (MAX_CELLS // 2, 2)])
def test_a_table_may_have_as_few_rows_and_as_many_cells_as_the_limits_say(
    shape: tuple[int, int],
) -> None:
    require_table_shape("a.npz", shape)
    rows, columns = shape
    for n, d in ((1, columns), (rows, 1), (rows, MAX_CELLS // rows + 1)):
        with pytest.raises(Unsupported):
            require_table_shape("a.npz", (n, d))
