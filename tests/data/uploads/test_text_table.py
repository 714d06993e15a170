import numpy as np
import pytest

from lnviz.data.uploads import MAX_CELLS
from lnviz.data.uploads.requirements import MAX_COLUMNS, MAX_LABELS
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


FEW = (
    "but at least two columns of numbers are needed, since LayerNorm turns a single number into 0."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "1,2\n3,abc\n",
            f'"a.csv" holds one column of numbers (Column 1), {FEW} Column 2 was left out: it '
            'holds words ("abc" in row 2).',
        ),
        (
            "x,y\n1,2\nu,4\n",
            f'"a.csv" holds one column of numbers ("y"), {FEW} "x" was left out: it holds row '
            "names.",
        ),
        (
            "1\t2\n3\t1_000\n",
            f'"a.csv" holds one column of numbers (Column 1), {FEW} Column 2 was left out: it '
            'holds text ("1_000" in row 2).',
        ),
        (
            "1,2\n3,\n",
            '"a.csv" has gaps in too many rows: no two rows have numbers in the same two columns. '
            "Row 2 is the first, where Column 2 is empty. Enter a number in every cell.",
        ),
        (
            "1,2\n\n\n3,n/a\n",
            '"a.csv" has gaps in too many rows: no two rows have numbers in the same two columns. '
            'Row 4 is the first, where Column 2 is "n/a". Enter a number in every cell.',
        ),
        (
            "1;2,5\n3.5;4\n",
            'Numbers in "a.csv" have a decimal comma (row 1) and a decimal point (row 2). '
            "Use one of them throughout, and no thousands separators.",
        ),
        (
            "1,2\n3,4,5\n",
            'Row 2 of "a.csv" has 3 cells, but most rows have 2. Give all rows the same number of '
            "cells.",
        ),
        (
            "x,y,z\n1,2,3\n3,4\n",
            'Row 3 of "a.csv" has 2 cells, but most rows have 3. Give all rows the same number of '
            "cells.",
        ),
        (
            ",x,y\na,1,2\nb,3,1e39\n",
            'Row 3, column 3 of "a.csv" holds 1e+39, but the largest float32 number is 3.4e+38. '
            "Scale the values down.",
        ),
        ("\n,,\n  \n", '"a.csv" has no row of numbers. Save it again with one row per example.'),
        ("x,y\n", '"a.csv" has no row of numbers. Save it again with one row per example.'),
        ("1\n2\n", f'"a.csv" holds one column of numbers (Column 1), {FEW}'),
        (
            "1,2,3\n",
            '"a.csv" has shape 1 x 3: a single example, but BatchNorm needs at least two. Save at '
            "least two rows.",
        ),
        (
            '1,2\n3,"4\n',
            'Row 2 of "a.csv" has an unmatched quotation mark, or a cell of more than 131,072 '
            "characters. Remove the quotation marks.",
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
        'Byte 7 of "a.csv" does not fit the encoding of the bytes before it. Save the table as '
        '"CSV UTF-8".'
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "row"),
    [
        (b"1,2\n" * (MAX_CELLS // 2 + MAX_LABELS + 1), "510,001"),
        (b"1," * (MAX_CELLS + 2 * MAX_LABELS + 1), "1"),
        (b"x," * (MAX_CELLS + 2 * MAX_LABELS + 1), "1"),
    ],
    ids=["long", "wide", "wide header"],
)
def test_a_table_of_too_many_cells_is_named_with_the_row_that_passes_the_limit(
    raw: bytes, row: str
) -> None:
    assert message("a.csv", raw) == (
        f'At row {row}, "a.csv" exceeds the limit of 1,000,000 cells. Save fewer rows or columns.'
    )


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.csv", b"1" + b",1" * MAX_COLUMNS + b"\n"),
        ("a.json", b"[[1" + b",1" * MAX_COLUMNS + b"]]"),
        ("a.json", b"[{" + b",".join(b'"%d": 1' % n for n in range(MAX_COLUMNS + 1)) + b"}]"),
        ("a.json", b"{" + b",".join(b'"%d": [1]' % n for n in range(MAX_COLUMNS + 1)) + b"}"),
        ("a.json", b"{" + b",".join(b'"a%d": {"0": 1}' % n for n in range(MAX_COLUMNS + 1)) + b"}"),
    ],
    ids=range(5),
)
def test_a_table_of_too_many_columns_is_refused(name: str, raw: bytes) -> None:
    assert message(name, raw).startswith(
        f'"{name}" has 20,001 columns, more than the limit of 20,000'
    )


@pytest.mark.slow
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


@pytest.mark.parametrize("blank", ["\n", " \n", ",,\n"])
@pytest.mark.parametrize("begin", ["", "1,2,3\n4,5,6\n"])
def test_rows_without_content_are_passed_over_and_not_without_end(begin: str, blank: str) -> None:
    few = f"{begin}{blank * 100}1,2,3\n4,5,6\n"
    assert table("f.csv", few.encode()).values.shape[1] == 3
    many = f"{begin}{blank * 20_000}1,2,3\n4,5,6\n"
    assert "more than 10,000 empty rows" in message("f.csv", many.encode())


def test_a_quoted_name_may_follow_a_space() -> None:
    found = table("a.csv", b'"one, two", "three, four"\n1, 2\n"3", "4"\n')
    assert found.columns == ("one, two", "three, four")
    assert found.values.tolist() == [[1, 2], [3, 4]]
