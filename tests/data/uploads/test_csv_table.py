import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lnviz.data.uploads import MAX_CELLS, DataTable, UploadError, from_url_value, to_url_value
from lnviz.data.uploads.csv_table import read_csv
from lnviz.data.uploads.requirements import dedupe_labels
from tests.data.uploads.making import GRID, message, only, table


@pytest.mark.parametrize(
    "text",
    [
        "1,2.5,-3\n4,0.125,6\n",
        "1,2.5,-3\n4,0.125,6",
        "1,2.5,-3\r\n4,0.125,6\r\n",
        "1,2.5,-3\r4,0.125,6\r",
        "1;2.5;-3\n4;0.125;6\n",
        "1;2,5;-3\n4;0,125;6\n",
        "1\t2.5\t-3\n4\t0.125\t6\n",
        "1 2.5 -3\n4 0.125 6\n",
        "  1   2.5  -3 \n\n 4 0.125  6\n",
        "height width depth\n1 2.5 -3\n4 0.125 6\n",
        " 1 , 2.5 , -3 \n +4 , 1.25e-1 , 6.\n",
        '"1","2.5","-3"\n"4","0.125","6"\n',
        "\n1,2.5,-3\n\n , ,\n4,0.125,6\n,,\n\n",
        "height,width,depth\n1,2.5,-3\n4,0.125,6\n",
        '"height; cm","width\nmm",depth\n1,2.5,-3\n4,0.125,6\n',
        ",height,width,depth\nfirst,1,2.5,-3\nsecond,4,0.125,6\n",
    ],
)
def test_a_table_is_read(text: str) -> None:
    np.testing.assert_array_equal(only("grid.csv", text.encode()), GRID)


def test_the_numbered_rows_that_pandas_writes_are_labels() -> None:
    text = ",height,width\n0,1,2\n1,3,4\n"
    np.testing.assert_array_equal(only("a.csv", text.encode()), [[1, 2], [3, 4]])


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_table_is_read_in_the_encodings_that_spreadsheets_write(codec: str) -> None:
    text = "Größe;Länge;Höhe\n1;2,5;-3\n4;0,125;6\n"
    np.testing.assert_array_equal(only("grid.csv", text.encode(codec)), GRID)


def test_a_table_with_big_endian_byte_order_mark_is_read() -> None:
    raw = b"\xfe\xff" + "1,2\n3,4\n".encode("utf-16-be")
    np.testing.assert_array_equal(only("grid.csv", raw), [[1, 2], [3, 4]])


NOT_TEXT = "which is not a number. Write a number there; only the first row may be text, and a "
NOT_TEXT += "first column whose top cell is empty."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n3,abc\n", f'Row 2, column 2 of "a.csv" holds "abc", {NOT_TEXT}'),
        ("x,y\n1,2\nu,4\n", f'Row 3, column 1 of "a.csv" holds "u", {NOT_TEXT}'),
        ("1,x\n3,4\n", f'Row 1, column 2 of "a.csv" holds "x", {NOT_TEXT}'),
        (",x,y\na,1,2\nb,?,4\n", f'Row 3, column 2 of "a.csv" holds "_", {NOT_TEXT}'),
        ("1,2\n\n\n3,n/a\n", f'Row 4, column 2 of "a.csv" holds "n/a", {NOT_TEXT}'),
        ("1,2\n3,1_000\n", f'Row 2, column 2 of "a.csv" holds "1_000", {NOT_TEXT}'),
        (
            "1,2\n3,5 6\n",
            'Row 2, column 2 of "a.csv" holds "5 6", which is not a number. '
            "Separate the cells with commas, semicolons or tabs.",
        ),
        (
            "1\t2\n3\t4,5\n",
            'Row 2, column 2 of "a.csv" holds "4,5", which is not a number. '
            "Write decimal points, and no thousands separators.",
        ),
        (
            "1;2\n3;1.234,5\n",
            'Row 2, column 2 of "a.csv" holds "1.234,5", which is not a number. '
            "Write decimal points, and no thousands separators.",
        ),
        (
            "1;2,5\n3.5;4\n",
            'Numbers in "a.csv" have a decimal comma (row 1) and a decimal point (row 2). '
            "Use one of them throughout, and no thousands separators.",
        ),
        ("1,2\n3,\n", 'Row 2, column 2 of "a.csv" is empty. Write a number in every cell.'),
        (
            "1,2\n3,4,5\n",
            'Row 2 of "a.csv" and the first row differ in length: 3 and 2 cells. '
            "Give all rows the same number of cells.",
        ),
        (
            "x,y,z\n1,2,3\n3,4\n",
            'Row 3 of "a.csv" and the first row differ in length: 2 and 3 cells. '
            "Give all rows the same number of cells.",
        ),
        (
            "1,2\n3,nan\n",
            'Row 2, column 2 of "a.csv" is NaN, not a number. '
            "Write a finite number there or leave that row out.",
        ),
        (
            "x,y\n\n1,2\n-inf,4\n",
            'Row 4, column 1 of "a.csv" is infinite. '
            "Write a finite number there or leave that row out.",
        ),
        (
            ",x,y\na,1,2\nb,3,1e39\n",
            'Row 3, column 3 of "a.csv" holds 1e+39, too large for float32, which ends at '
            "3.4e+38. Scale the values down.",
        ),
        ("\n,,\n  \n", '"a.csv" has no row of numbers. Save it again, one row a case.'),
        ("x,y\n", '"a.csv" has no row of numbers. Save it again, one row a case.'),
        (
            "1,2,3\n",
            '"a.csv" has shape 1 x 3: a single example, which BatchNorm cannot compare with '
            "others. Give at least two rows.",
        ),
        (
            "1\n2\n",
            '"a.csv" has shape 2 x 1: a single unit, of which LayerNorm leaves only 0. '
            "Save at least two columns.",
        ),
        (
            '1,2\n3,"4\n',
            'Row 2 of "a.csv" has a quotation mark without its partner, or a cell of more than '
            "131,072 characters. Remove the quotation marks.",
        ),
        (
            "1,2\n3,4\0\n",
            '"a.csv" is not a text file: character 8 is a zero byte. '
            'Save the table as "CSV UTF-8".',
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_answered_with_place_and_remedy(
    text: str, expected: str
) -> None:
    assert message("a.csv", text.encode()) == expected


def test_a_broken_encoding_is_named_with_its_byte() -> None:
    assert message("a.csv", b"\xff\xfe1\x00,\x002") == (
        'Byte 7 of "a.csv" does not fit the encoding that the file begins with. '
        'Save the table as "CSV UTF-8".'
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "row"),
    [
        (b"1,2\n" * (MAX_CELLS // 2 + 1), "500,001"),
        (b"1," * (MAX_CELLS + 1), "1"),
        (b"x," * (MAX_CELLS + 1), "1"),
    ],
    ids=["long", "wide", "wide header"],
)
def test_a_table_of_too_many_cells_is_named_with_the_row_that_passes_the_limit(
    raw: bytes, row: str
) -> None:
    assert message("a.csv", raw) == (
        f'Row {row} of "a.csv" passes the 1,000,000 cells that are allowed. '
        "Save fewer rows or columns."
    )


def test_a_table_of_exactly_a_million_cells_and_its_labels_is_read() -> None:
    header = b"," + b",".join([b"x"] * 1_000)
    row = b"a," + b",".join([b"7"] * 1_000)
    assert only("a.csv", b"\n".join([header] + [row] * 1_000)).shape == (1_000, 1_000)


def test_a_tables_own_names_are_kept() -> None:
    found = table("a.csv", b",height,width\nAda,1,2\nGrace,3,4\n")
    assert found.columns == ("height", "width")
    assert found.rows == ("Ada", "Grace")


def test_a_table_without_a_header_has_no_names() -> None:
    found = table("a.csv", b"1,2\n3,4\n")
    assert (found.rows, found.columns) == ((), ())


def test_names_are_fit_to_show_and_differ() -> None:
    found = table("a.csv", b"x,x,<b>,\n1,2,3,4\n5,6,7,8\n")
    assert found.columns == ("x", "x (2)", "_b_", "unnamed 4")


NAMES = st.text(max_size=12)


@given(
    hnp.arrays("f4", (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)),
    st.lists(NAMES, min_size=3, max_size=3),
    st.lists(NAMES, min_size=2, max_size=2),
)
def test_a_table_in_an_address_is_read_back_to_the_last_bit(
    values: np.ndarray, columns: list[str], rows: list[str]
) -> None:
    plain = DataTable(torch.from_numpy(values))
    named = DataTable(plain.values, dedupe_labels(rows), dedupe_labels(["a", *columns[1:]]))
    for sent in (plain, named):
        text = to_url_value(sent)
        assert text is not None
        assert torch.equal(from_url_value(text).values, plain.values)


def test_the_address_of_a_table_keeps_its_names() -> None:
    sent = DataTable(torch.eye(2), ("Ada", "Grace"), ("height, cm", "width"))
    text = to_url_value(sent)
    assert text == "_height  cm_width*Ada_1_0*Grace_0_1"
    assert from_url_value(text).rows == sent.rows
    assert from_url_value(text).columns == ("height  cm", "width")


def test_a_name_that_is_a_number_is_told_from_a_cell() -> None:
    text = to_url_value(DataTable(torch.eye(2), columns=("width", "7")))
    assert text == "width_no. 7*1_0*0_1"


def test_a_head_of_nothing_but_separators_is_no_corner_in_an_address() -> None:
    text = to_url_value(DataTable(torch.eye(2), columns=("_", "b")))
    assert text == "unnamed_b*1_0*0_1"


def test_a_table_too_long_for_an_address_is_none() -> None:
    assert to_url_value(DataTable(torch.rand(20, 20))) is None
    assert to_url_value(DataTable(torch.rand(2000, 2))) is None


@pytest.mark.parametrize("blank", ["\n", " \n", ",,\n"])
@pytest.mark.parametrize("begin", ["", "1,2,3\n4,5,6\n"])
def test_rows_without_content_are_passed_over_and_not_without_end(begin: str, blank: str) -> None:
    few = f"{begin}{blank * 100}1,2,3\n4,5,6\n"
    assert read_csv("f.csv", few.encode()).values.shape[1] == 3
    many = f"{begin}{blank * 20_000}1,2,3\n4,5,6\n"
    with pytest.raises(UploadError, match="more than 10,000 rows without content"):
        read_csv("f.csv", many.encode())


def test_a_quoted_name_may_follow_a_space() -> None:
    found = table("a.csv", b'"one, two", "three, four"\n1, 2\n"3", "4"\n')
    assert found.columns == ("one, two", "three, four")
    assert found.values.tolist() == [[1, 2], [3, 4]]
