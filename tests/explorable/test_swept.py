import json
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lnviz.explorable import SweptTensor
from tests.explorable.decoding import decode

SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, max_side=5)
NUMBERS = st.floats(-1e4, 1e4, width=32)


@st.composite
def grids(draw: st.DrawFn, elements: st.SearchStrategy[float]) -> tuple[int, npt.NDArray[Any]]:
    """How many leading dimensions are controls, and an array."""
    array = draw(arrays.arrays(np.float32, SHAPES, elements=elements))
    return draw(st.integers(0, array.ndim)), array


def swept(controls: int, array: npt.NDArray[Any], decimals: int | None) -> SweptTensor:
    return SweptTensor(
        tuple(f"control {i}" for i in range(controls)), torch.tensor(array), decimals
    )


@given(grids(NUMBERS | st.just(math.nan)), st.integers(0, 4))
@settings(max_examples=50)
def test_fixed_point_values_come_back_to_the_decimals_promised(
    drawn: tuple[int, npt.NDArray[Any]], decimals: int
) -> None:
    controls, array = drawn
    decoded = decode(swept(controls, array, decimals).payload())
    np.testing.assert_array_equal(np.isnan(decoded), np.isnan(array))
    np.testing.assert_allclose(decoded, array, rtol=0, atol=0.5000001 * 10**-decimals)


@pytest.mark.slow
@given(grids(st.floats(width=32)))
@settings(max_examples=50)
def test_float32_comes_back_exactly(drawn: tuple[int, npt.NDArray[Any]]) -> None:
    controls, array = drawn
    decoded = decode(swept(controls, array, None).payload())
    np.testing.assert_array_equal(decoded, array.astype(np.float64))


@given(arrays.arrays(np.int64, SHAPES, elements=st.integers(-1, 10**6)))
@settings(max_examples=50)
def test_whole_numbers_come_back_exactly(array: npt.NDArray[Any]) -> None:
    decoded = decode(swept(array.ndim, array, 0).payload())
    np.testing.assert_array_equal(decoded, array)


@given(
    arrays.arrays(np.float64, st.integers(1, 30), elements=st.sampled_from([-2e9, 2e9, math.nan])),
)
@settings(max_examples=50)
def test_jumps_across_the_whole_range_come_back_exactly(array: npt.NDArray[Any]) -> None:
    decoded = decode(swept(1, array, 0).payload())
    np.testing.assert_array_equal(decoded, array)


@given(grids(NUMBERS), st.integers(0, 4) | st.none())
@settings(max_examples=50)
def test_a_payload_says_its_controls_and_its_shape(
    drawn: tuple[int, npt.NDArray[Any]], decimals: int | None
) -> None:
    controls, array = drawn
    tensor = swept(controls, array, decimals)
    document = json.loads(json.dumps(tensor.payload()))
    assert document["over"] == list(tensor.dims)
    assert document["shape"] == list(array.shape)


@given(arrays.arrays(np.float32, 4, elements=st.floats(1e6, 2.0**126, width=32) | NUMBERS))
@settings(max_examples=50)
def test_numbers_too_large_for_fixed_point_are_not_lost(array: npt.NDArray[Any]) -> None:
    decoded = decode(swept(1, array, 4).payload())
    np.testing.assert_allclose(decoded, array, rtol=1e-6, atol=0.5000001e-4)


@pytest.mark.parametrize(("largest", "size"), [(127, 1), (128, 2), (32767, 2), (32768, 4)])
def test_whole_numbers_take_as_few_bytes_as_hold_them(largest: int, size: int) -> None:
    values = torch.tensor([-float(largest), float(largest), math.nan])
    document = SweptTensor(("a",), values, 0).payload()
    assert document["bytes"] == size
    np.testing.assert_array_equal(decode(document), values.numpy())


@pytest.mark.parametrize("endless", [math.inf, -math.inf])
def test_infinity_in_fixed_point_is_a_missing_value(endless: float) -> None:
    assert math.isnan(decode(SweptTensor((), torch.tensor([endless]), 2).payload())[0])


def test_values_on_the_way_of_a_gradient_travel_too() -> None:
    values = torch.ones(3, requires_grad=True)
    assert decode(SweptTensor(("a",), values, 2).payload()).tolist() == [1, 1, 1]


def test_values_that_are_not_contiguous_travel_in_their_order() -> None:
    values = torch.arange(6.0).reshape(2, 3).T
    assert decode(SweptTensor(("a", "b"), values, 2).payload()).tolist() == values.tolist()


@pytest.mark.parametrize("axis", [0, 1])
def test_a_sweep_that_is_smooth_along_a_control_shrinks(axis: int) -> None:
    scattered = torch.rand(6, generator=torch.Generator().manual_seed(0))
    smooth = torch.linspace(-3, 3, 301)[:, None] * scattered
    values = smooth if axis == 0 else smooth.T
    along = SweptTensor(("a", "b"), values, 2).payload()
    unaware = SweptTensor((), values, 2).payload()
    assert along["difference"] == axis
    assert len(along["data"]) < len(unaware["data"]) / 3


def test_what_no_control_makes_smooth_is_not_made_larger() -> None:
    noise = torch.randn(40, 40, generator=torch.Generator().manual_seed(0))
    aware, unaware = (SweptTensor(over, noise, 4).payload() for over in (("a", "b"), ()))
    assert len(aware["data"]) <= len(unaware["data"])


def test_fixed_point_is_smaller_than_float32() -> None:
    values = torch.randn(100, 6, generator=torch.Generator().manual_seed(0))
    fixed, floating = (SweptTensor(("a",), values, decimals).payload() for decimals in (2, None))
    assert len(fixed["data"]) < len(floating["data"]) / 2
