import gzip
import json
import string
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import save as save_safetensors

from lnviz.data.uploads import UploadError, from_url_value, read, to_url_value
from tests.data.uploads.making import (
    GRID,
    csv,
    declared,
    npy,
    npy_with_header,
    npz,
    only,
    parquet,
    safetensors_with_header,
    zipped,
)

# What NumPy says of headers as Python 2 or its own older versions wrote them.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning"),
    pytest.mark.filterwarnings("ignore:Data type alias:DeprecationWarning"),
]

ENDINGS = st.sampled_from(["csv", "json", "parquet", "csv.gz", "npy", "npz", "safetensors"])
STARTS = st.sampled_from(
    [
        b"",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x02\x00\x10\x00\x00\x00",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x20\x00\x00\x00\x00\x00\x00\x00{",
        b"\xff\xfe",
        b"1,2\n3,",
        b'[{"a":',
        b"PAR1",
        b"\x1f\x8b\x08\x00",
    ]
)
VALID = {
    "csv": [csv(GRID), b",x,y\na,1,2\nb,3,4\n", "ä;ö\n1,5;2\n3;4\n".encode("utf-16")],
    "json": [
        b'[{"a": 1, "b": 2}, {"a": 3, "b": 4}]',
        b"[[1, 2], [3, 4]]",
        b'{"a":[1,2],"b":[3,4]}',
    ],
    "parquet": [parquet(a=[1, 2], b=[3.5, None], c=["x", "y"]), parquet(a=[True, False], b=[1, 2])],
    "csv.gz": [gzip.compress(csv(GRID), mtime=0)],
    "npy": [
        npy(GRID),
        npy(np.asfortranarray(GRID)),
        npy(GRID.astype(">i2")),
        npy(GRID.astype("U2")),
    ],
    "npz": [npz(a=GRID, b=GRID[0]), zipped({"a.npy": npy(GRID), "b": b"x"}, zipfile.ZIP_STORED)],
    "safetensors": [save_safetensors({"a": GRID, "b": GRID[0]}, metadata={"k": "v"})],
}


def read_or_refuse(name: str, raw: bytes) -> None:
    try:
        upload = read(name, raw)
    except UploadError as error:
        said = str(error)
        assert said.isprintable()
        assert len(said) < 2_000
        assert said.endswith(".")
        return
    assert upload.arrays
    for label, table in upload.arrays.items():
        assert label.isprintable()
        values = table.values
        for names, count in zip((table.rows, table.columns), values.shape, strict=True):
            assert len(set(names)) in (0, count)
            assert "".join(names).isprintable()
        again = to_url_value(table)
        assert again is None or torch.equal(from_url_value(again).values, values)
        assert values.dtype == torch.float32
        assert min(values.shape) >= 2
        assert values.isfinite().all()


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(stem=st.text(max_size=80), ending=ENDINGS, start=STARTS, raw=st.binary(max_size=400))
def test_arbitrary_bytes_are_read_or_refused(
    stem: str, ending: str, start: bytes, raw: bytes
) -> None:
    read_or_refuse(f"{stem}.{ending}", start + raw)


@pytest.mark.slow
@settings(deadline=None, max_examples=500)
@given(text=st.text(alphabet="0123456789.,;|#?\t\n\r\"'-+eE_ naif\0\ufeffx", max_size=60))
@example("1,2\n3,0x10")
@example("1e999,2\n3,4")
@example('"1"2,3\n4,5')
def test_arbitrary_tables_are_read_or_refused(text: str) -> None:
    read_or_refuse("a.csv", text.encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=500)
@given(document=JSON)
def test_arbitrary_json_is_read_or_refused(document: object) -> None:
    read_or_refuse("a.json", json.dumps(document).encode())


@pytest.mark.slow
@settings(deadline=None, max_examples=1_000)
@given(data=st.data(), ending=ENDINGS)
def test_damaged_files_are_read_or_refused(data: st.DataObject, ending: str) -> None:
    raw = bytearray(data.draw(st.sampled_from(VALID[ending])))
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=6)
    ):
        raw[place] = byte
    end = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    extra = data.draw(st.binary(max_size=4))
    read_or_refuse(f"a.{ending}", bytes(raw[:end]) + extra)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(
    descr=st.one_of(
        st.sampled_from(["'<f4'", "'>i8'", "'|u1'", "'|O'", "[('a', '<f4')]", "'<f2'"]),
        st.text(string.printable, max_size=8).map(repr),
    ),
    shape=st.lists(st.integers(-1, 2**70) | st.integers(0, 4), max_size=4).map(tuple).map(repr),
    body=st.binary(max_size=64),
)
def test_invented_npy_headers_are_read_or_refused(descr: str, shape: str, body: bytes) -> None:
    raw = npy_with_header(declared(descr, shape), body)
    read_or_refuse("a.npy", raw)
    read_or_refuse("a.npz", zipped({"a.npy": raw}))


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(
    dtype=st.sampled_from(["F32", "BF16", "F64", "I8", "BOOL", "F8_E5M2", "C64", "F4", "X"]),
    shape=st.lists(st.integers(0, 4) | st.integers(-1, 2**70), max_size=3),
    offsets=st.lists(st.integers(0, 64), min_size=1, max_size=3),
    body=st.binary(max_size=64),
)
def test_invented_safetensors_headers_are_read_or_refused(
    dtype: str, shape: list[int], offsets: list[int], body: bytes
) -> None:
    header = {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}
    read_or_refuse("a.safetensors", safetensors_with_header(header, body))


def grids(dtype: str) -> st.SearchStrategy[np.ndarray]:
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9)
    finite = {"allow_nan": False, "allow_infinity": False} if dtype.startswith("f") else None
    return hnp.arrays(np.dtype(dtype), shapes, elements=finite)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(
    values=grids("f4"), separator=st.sampled_from(",;\t"), ending=st.sampled_from(["\n", "\r\n"])
)
def test_a_grid_comes_back_from_csv(values: np.ndarray, separator: str, ending: str) -> None:
    np.testing.assert_array_equal(only("a.csv", csv(values, separator, ending)), values)


@settings(deadline=None, max_examples=50)
@given(values=grids("f4"))
def test_a_grid_comes_back_from_csv_with_decimal_commas(values: np.ndarray) -> None:
    raw = csv(values, ";").replace(b".", b",")
    np.testing.assert_array_equal(only("a.csv", raw), values)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(values=st.sampled_from(["f2", "f4", "i1", "i4", "u8"]).flatmap(grids))
def test_a_grid_comes_back_from_npy_npz_and_safetensors(values: np.ndarray) -> None:
    expected = values.astype(np.float32)
    np.testing.assert_array_equal(only("a.npy", npy(values)), expected)
    np.testing.assert_array_equal(only("a.npz", npz(a=values)), expected)
    np.testing.assert_array_equal(only("a.safetensors", save_safetensors({"a": values})), expected)
