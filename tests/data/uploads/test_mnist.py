"""A visitor's MNIST: read as it is, and refused in words where it is something else."""

import tracemalloc
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lnviz.data.uploads import MAX_BYTES, UploadError
from lnviz.data.uploads.mnist import LAYOUT, read_mnist
from tests.data.uploads.making import Trap, declared, npy, npy_with_header, npz, zipped

DRAW = np.random.default_rng(0)


def images(count: int) -> np.ndarray:
    return DRAW.integers(0, 256, (count, 28, 28), dtype=np.uint8)


def digits(count: int) -> np.ndarray:
    return DRAW.integers(0, 10, count, dtype=np.uint8)


ARRAYS = {
    "x_train": images(110),
    "y_train": digits(110),
    "x_test": images(100),
    "y_test": digits(100),
}


def refusal(raw: bytes) -> str:
    with pytest.raises(UploadError) as caught:
        read_mnist(raw)
    return str(caught.value)


def require_arrays(raw: bytes) -> None:
    """Hold what is read to the arrays that were written."""
    found = read_mnist(raw)
    for name, part in (("train", found.train), ("test", found.test)):
        assert (part.images.dtype, part.targets.dtype) == (torch.uint8, torch.int64)
        np.testing.assert_array_equal(part.images.numpy(), ARRAYS[f"x_{name}"])
        np.testing.assert_array_equal(part.targets.numpy(), ARRAYS[f"y_{name}"])


def packed(**changes: bytes) -> bytes:
    """The arrays in an archive, some of the members replaced."""
    members = {name: npy(array) for name, array in ARRAYS.items()} | changes
    return zipped({f"{name}.npy": content for name, content in members.items()})


def test_a_file_is_read_as_it_is() -> None:
    require_arrays(npz(**ARRAYS))


def test_the_arrays_may_stand_in_any_order() -> None:
    require_arrays(npz(**{name: ARRAYS[name] for name in sorted(ARRAYS, reverse=True)}))


def test_what_else_the_file_holds_is_passed_over() -> None:
    require_arrays(npz(**ARRAYS, names=np.array(["a"], dtype=object), z=np.zeros((3, 3))))


def test_a_file_that_is_not_compressed_is_read() -> None:
    members = {f"{name}.npy": npy(array) for name, array in ARRAYS.items()}
    require_arrays(zipped(members, zipfile.ZIP_STORED))


def test_images_in_column_order_are_read() -> None:
    require_arrays(packed(x_train=npy(np.asfortranarray(ARRAYS["x_train"]))))


@pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")
def test_a_header_written_by_python_2_is_read() -> None:
    header = declared("'|u1'", "(110L, 28L, 28L)")
    require_arrays(packed(x_train=npy_with_header(header, ARRAYS["x_train"].tobytes())))


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_array_is_named(name: str) -> None:
    raw = npz(**{each: array for each, array in ARRAYS.items() if each != name})
    assert refusal(raw) == (f'The file holds no array "{name}". {LAYOUT}')


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        (
            "x_train",
            ARRAYS["x_train"] / np.float32(255),
            '"x_train" in the file holds numbers of type float32, but must hold uint8. Save it as '
            'array.astype("uint8"), with pixels from 0 to 255.',
        ),
        (
            "y_test",
            ARRAYS["y_test"].astype(">i8"),
            '"y_test" in the file holds numbers of type int64, but must hold uint8. Save it as '
            'array.astype("uint8"), with digits from 0 to 9.',
        ),
        (
            "y_train",
            ARRAYS["y_train"].astype("U1"),
            '"y_train" in the file holds text, but must hold uint8. Save it as '
            'array.astype("uint8"), with digits from 0 to 9.',
        ),
        (
            "x_test",
            ARRAYS["x_test"].reshape(100, 784),
            '"x_test" in the file has shape 100 x 784, but images must have shape N x 28 x 28. '
            f"{LAYOUT}",
        ),
        (
            "x_train",
            np.zeros((28, 28), np.uint8),
            '"x_train" in the file has shape 28 x 28, but images must have shape N x 28 x 28. '
            f"{LAYOUT}",
        ),
        (
            "x_train",
            np.array(0, np.uint8),
            '"x_train" in the file has no dimensions, but images must have shape N x 28 x 28. '
            f"{LAYOUT}",
        ),
        (
            "x_train",
            np.zeros((110, 28, 28, 1), np.uint8),
            '"x_train" in the file has shape 110 x 28 x 28 x 1, but images must have shape N x '
            f"28 x 28. {LAYOUT}",
        ),
        (
            "y_test",
            np.eye(100, 10, dtype=np.uint8),
            f'"y_test" in the file has shape 100 x 10, but digits must have shape N. {LAYOUT}',
        ),
        (
            "y_train",
            np.zeros(111, np.uint8),
            'The file holds 110 images in "x_train", but 111 digits in "y_train". Save one digit '
            "for each image.",
        ),
        (
            "y_train",
            np.where(np.arange(110) == 41, 10, 3).astype(np.uint8),
            'Entry 42 (counted from 1) of "y_train" in the file is 10, but digits must be from 0 '
            f"to 9. {LAYOUT}",
        ),
    ],
)
def test_an_array_of_another_kind_is_refused(name: str, array: np.ndarray, said: str) -> None:
    assert refusal(npz(**ARRAYS | {name: array})) == said


@pytest.mark.parametrize("count", [0, 1, 99])
def test_a_part_of_too_few_images_is_refused(count: int) -> None:
    raw = npz(**ARRAYS | {"x_test": images(count), "y_test": digits(count)})
    assert refusal(raw) == (
        f'"x_test" in the file has {count} images, but at least 100 are needed. Save more images.'
    )


def test_objects_are_never_unpickled(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "sprung"
    trap = npy(np.array([Trap(path)] * 110, dtype=object), allow_pickle=True)
    assert refusal(packed(y_train=trap)) == (
        '"y_train" in the file holds pickled objects, which are never opened, but must hold '
        'uint8. Save it as array.astype("uint8"), with digits from 0 to 9.'
    )
    assert not path.exists()


def test_an_empty_file_is_refused() -> None:
    assert refusal(b"") == f"The file is empty (0 bytes). {LAYOUT}"


@pytest.mark.parametrize("raw", [b"1,2\n3,4\n", npy(ARRAYS["x_train"]), b"\x1f\x8b" + bytes(50)])
def test_what_is_no_archive_is_refused(raw: bytes) -> None:
    assert refusal(raw) == f"The file does not begin like a .npz file. {LAYOUT}"


def test_an_archive_of_nothing_is_refused() -> None:
    assert refusal(zipped({})) == f'The file holds no array "x_train". {LAYOUT}'


@pytest.mark.parametrize("kept", [30, 10_000, -1])
def test_a_truncated_file_is_refused(kept: int) -> None:
    raw = npz(**ARRAYS)[:kept]
    assert refusal(raw) == (
        f"The file is a damaged or truncated archive of {len(raw):,} bytes: its list of arrays "
        "cannot be read. Save it again with numpy.savez and upload the new file."
    )


def test_a_file_of_too_many_bytes_is_refused() -> None:
    assert refusal(b"PK\x03\x04" + bytes(MAX_BYTES)) == (
        f"The file has {MAX_BYTES + 4:,} bytes, more than the limit of 20 MB. Save it with "
        "numpy.savez_compressed."
    )


@pytest.mark.slow
def test_more_images_than_mnist_has_are_refused_before_memory_is_taken() -> None:
    raw = npz(
        **ARRAYS | {"x_train": np.zeros((69_901, 28, 28), np.uint8), "y_train": digits(69_901)}
    )
    tracemalloc.start()
    said = refusal(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said == "The file holds 70,001 images, more than the limit of 70,000. Save fewer images."
    assert peak < 1_000_000


@pytest.mark.parametrize("shape", [f"({10**17}, 28, 28)", f"({10**17}, {10**17}, 28)"])
def test_a_huge_declared_shape_is_refused(shape: str) -> None:
    said = refusal(packed(x_train=npy_with_header(declared("'|u1'", shape))))
    assert said.startswith(("The file holds 100,000,000,000,000,000 images", '"x_train" in'))


@pytest.mark.slow
def test_a_bomb_behind_a_small_header_is_not_unpacked() -> None:
    raw = packed(x_train=npy(ARRAYS["x_train"]) + bytes(200_000_000))
    tracemalloc.start()
    said = refusal(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said == (
        '"x_train" in the file is damaged: its header declares 110 x 28 x 28 numbers in 86,240 '
        "bytes, but 200,086,240 bytes follow. Save it again, and upload the new file."
    )
    assert peak < 1_000_000


def test_fewer_pixels_than_declared_are_refused() -> None:
    assert refusal(packed(x_test=npy(ARRAYS["x_test"])[:-1])) == (
        '"x_test" in the file is damaged: its header declares 100 x 28 x 28 numbers in 78,400 '
        "bytes, but 78,399 bytes follow. Save it again, and upload the new file."
    )


def test_a_file_with_a_wrong_checksum_is_refused() -> None:
    members = {f"{name}.npy": npy(array) for name, array in ARRAYS.items()}
    raw = bytearray(zipped(members, zipfile.ZIP_STORED))
    raw[raw.index(ARRAYS["x_test"].tobytes()) + 20_000] ^= 1
    assert refusal(bytes(raw)) == (
        '"x_test.npy" in the file is damaged or truncated. Save it again with numpy.savez and '
        "upload the new file."
    )


def read_or_refuse(raw: bytes) -> None:
    try:
        found = read_mnist(raw)
    except UploadError as error:
        said = str(error)
        assert said.isprintable()
        assert len(said) < 1_000
        assert said.endswith(".")
        return
    for part in (found.train, found.test):
        assert part.images.shape == (len(part.targets), 28, 28)
        assert len(part.targets) >= 100
        assert 0 <= int(part.targets.min()) <= int(part.targets.max()) <= 9


@pytest.mark.slow
@settings(max_examples=300)
@given(start=st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06"]), raw=st.binary(max_size=400))
def test_arbitrary_bytes_are_read_or_refused(start: bytes, raw: bytes) -> None:
    read_or_refuse(start + raw)


BLANK = {name: np.zeros_like(array) for name, array in ARRAYS.items()}
VALID = [
    npz(**BLANK),
    zipped({f"{name}.npy": npy(array[:1]) for name, array in BLANK.items()}, zipfile.ZIP_STORED),
]


@pytest.mark.slow
@settings(max_examples=500)
@given(data=st.data(), valid=st.sampled_from(VALID))
def test_damaged_files_are_read_or_refused(data: st.DataObject, valid: bytes) -> None:
    raw = bytearray(valid)
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=6)
    ):
        raw[place] = byte
    end = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    read_or_refuse(bytes(raw[:end]))


@pytest.mark.slow
@settings(max_examples=200)
@given(
    name=st.sampled_from(list(ARRAYS)),
    descr=st.sampled_from(["'|u1'", "'u1'", "'<u2'", "'|O'", "'|b1'", "[('a', '|u1')]", "''"]),
    shape=st.lists(st.integers(-1, 2**70) | st.sampled_from([0, 28, 100]), max_size=4)
    .map(tuple)
    .map(repr),
    body=st.binary(max_size=64),
)
def test_invented_headers_are_read_or_refused(
    name: str, descr: str, shape: str, body: bytes
) -> None:
    read_or_refuse(packed(**{name: npy_with_header(declared(descr, shape), body)}))


@pytest.mark.parametrize(("most", "refused"), [(210, False), (209, True)])
def test_both_splits_together_have_at_most_as_many_images_as_mnist(
    monkeypatch: pytest.MonkeyPatch, most: int, refused: bool
) -> None:
    monkeypatch.setattr("lnviz.data.uploads.mnist.MAX_IMAGES", most)
    if refused:
        assert refusal(npz(**ARRAYS)).startswith(
            "The file holds 210 images, more than the limit of 209"
        )
    else:
        require_arrays(npz(**ARRAYS))
