import ast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lnviz.data.examples import digits, worked_example
from lnviz.data.uploads import DataTable
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.lessons.data_parameters import (
    DATA,
    INLINE_PREFIX,
    STORED_PREFIX,
    load_examples,
    store_table,
    table_edits,
    tensor_literal,
)
from tests.lessons.kept import kept

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(
    arrays.arrays("f4", arrays.array_shapes(min_dims=1, max_dims=2, max_side=4), elements=FINITE)
)
def test_an_array_written_as_code_is_read_back_to_the_last_bit(array: object) -> None:
    values = torch.as_tensor(array)
    assert torch.equal(torch.tensor(ast.literal_eval(tensor_literal(values))), values)


def test_numbers_are_written_as_a_person_would() -> None:
    assert tensor_literal(torch.tensor([0.1, -0.6, 3.0])) == "[0.1, -0.6, 3.0]"


def test_the_examples_are_those_of_the_data() -> None:
    assert torch.equal(load_examples("worked", 0, units=8).values.cpu(), worked_example().values)
    expected = digits(seed=3, features=8)
    assert torch.equal(load_examples("digits", 3, units=8).values.cpu(), expected.values)
    assert load_examples("digits", 3, units=8).example_labels == expected.example_labels


def test_an_upload_is_found_under_its_name() -> None:
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = load_examples(kept(DataTable(values)), 0, units=8)
    assert torch.equal(found.values.cpu(), values)
    assert (len(found.example_labels), len(found.feature_labels)) == (2, 3)


@pytest.mark.parametrize("name", ["", "gone", "../worked"])
def test_an_upload_that_is_gone_is_refused_with_the_example(name: str) -> None:
    with pytest.raises(
        ExpiredDataError,
        match=r"^The server no longer keeps this table. Upload it again to see it.$",
    ) as error:
        load_examples(STORED_PREFIX + name, 0, units=8)
    assert error.value.nearest == {"data": DATA.start}


def test_a_small_table_needs_no_memory_of_the_server() -> None:
    data = store_table(
        DataTable(torch.tensor([[1.0, 2.5], [3.0, 4.0]]), columns=("height", "width")), "", ""
    )
    assert data == INLINE_PREFIX + "height_width*1_2.5*3_4"
    found = load_examples(data, 0, units=8)
    assert found.values.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert found.feature_labels == ("height", "width")
    assert found.example_labels == ("example 1", "example 2")


def test_a_large_table_is_kept_under_a_name() -> None:
    values = torch.rand(100, 50)
    data = store_table(DataTable(values), "somebody", "somewhere")
    assert data.startswith(STORED_PREFIX)
    assert torch.equal(load_examples(data, 0, units=8).values.cpu(), values)


@pytest.mark.parametrize("text", ["", "1_2", "1_2*3", "1_2*3_x", "1_2*3_1e99", "*_*_"])
def test_an_address_that_holds_no_table_is_refused_with_the_example(text: str) -> None:
    with pytest.raises(ParameterError, match=r"\.$") as error:
        load_examples(INLINE_PREFIX + text, 0, units=8)
    assert error.value.nearest == {"data": DATA.start}


def test_a_typed_cell_is_another_table_in_the_address() -> None:
    data = INLINE_PREFIX + "_height_width*Ada_1_2.5*Grace_3_4"
    found = table_edits(data, "cell")
    assert found is not None
    lines = [list(line) for line in found.lines]
    row, column = found.first
    lines[row + 1][column] = "-7"
    changed = found.prefix + "*".join("_".join(line) for line in lines)
    assert load_examples(changed, 0, units=8).values.tolist() == [[1.0, 2.5], [-7.0, 4.0]]
    assert load_examples(changed, 0, units=8).feature_labels == ("height", "width")


def test_the_worked_example_can_be_changed_and_digits_cannot() -> None:
    found = table_edits("worked", "cell")
    assert found is not None
    assert found.lines[1][0] == "-0.8"
    assert table_edits("digits", "cell") is None
    assert table_edits(store_table(DataTable(torch.rand(100, 50)), "", ""), "cell") is None
