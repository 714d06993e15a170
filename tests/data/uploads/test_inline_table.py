import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lnviz.data.uploads import DataTable, UploadError, from_url_value, to_url_value
from lnviz.data.uploads.requirements import dedupe_labels

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1_2*3_four", 'Row 2, column 2 of the table in the address holds "four"'),
        ("a_b*1_", "Row 2, column 2 of the table in the address is empty"),
        ("1_2*3", "row 2 has 1 cells, but row 1 has 2"),
        ("a_b", "no row holds numbers"),
        ("", "no row holds numbers"),
        ('1_"2*3_4', "a quotation mark is unmatched"),
        ("1_2*nan_4", "Row 2, column 1 of the table in the address is NaN"),
    ],
)
def test_a_damaged_address_is_answered_with_the_place(text: str, said: str) -> None:
    with pytest.raises(UploadError, match=said):
        from_url_value(text)
