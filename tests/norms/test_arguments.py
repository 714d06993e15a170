import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from lnviz.norms import LAYER, WEIGHT, normalize, one_pass_variance, reference

GRID = torch.arange(24.0).view(4, 6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_arrays_are_taken_in_their_own_precision(dtype: type[np.floating]) -> None:
    result = normalize(GRID.numpy().astype(dtype), 1)
    assert result.y.dtype == torch.from_numpy(np.zeros(0, dtype)).dtype
    assert_close(result.y.float(), normalize(GRID, 1).y, rtol=1e-3, atol=1e-3)


def test_arrays_may_be_read_only_or_run_backward() -> None:
    array = GRID.numpy().copy()
    array.flags.writeable = False
    assert torch.equal(normalize(array, 1).y, normalize(GRID, 1).y)
    assert_close(normalize(array[::-1, ::-1], 1).y, normalize(GRID, 1).y.flip(0, 1))
    assert_close(
        normalize(GRID, 1, gain=np.ones(6), bias=array[0]).y, normalize(GRID, 1).y + GRID[0]
    )


def test_gain_and_bias_take_the_precision_of_the_values() -> None:
    for dtype in (torch.float16, torch.float32):
        result = normalize(GRID.to(dtype), 1, gain=torch.ones(6, dtype=torch.float64), bias=1)
        assert result.y.dtype == dtype


@pytest.mark.parametrize("call", [normalize, reference, one_pass_variance])
@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.complex64])
def test_only_floating_point_can_be_normalized(
    call: Callable[..., object], dtype: torch.dtype
) -> None:
    message = (
        f"x must have floating-point values, but got {dtype} of shape (4, 6). Convert x first, "
        "for example with x.float()."
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        call(GRID.to(dtype), 1)


def test_integer_arrays_are_refused_as_integer_tensors_are() -> None:
    with pytest.raises(TypeError, match=r"floating-point values, but got torch\.int64"):
        LAYER.apply(np.arange(24).reshape(4, 6), "ND")


@pytest.mark.parametrize(
    ("over", "message"),
    [
        (
            (),
            "`over` must list at least one dimension, but got none. List the dimensions that "
            "share statistics.",
        ),
        (
            2,
            "`over` lists dimension 2, but x has shape (4, 6). Use -2 to 1.",
        ),
        ((0, -3), "`over` lists dimension -3, but x has shape (4, 6)."),
        (
            (1, -1),
            "`over` lists the same dimension twice: (1, -1), for x of shape (4, 6). List each "
            "dimension once.",
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("call", [normalize, reference, one_pass_variance])
def test_over_names_dimensions_there_are_once_each(
    call: Callable[..., object], over: int | tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call(GRID, over)


def test_a_single_number_has_no_dimension_to_share_over() -> None:
    message = "`over` lists dimension 0, but x has shape (). Give x a dimension, with x.view(1)."
    with pytest.raises(ValueError, match=re.escape(message)):
        normalize(torch.tensor(1.0), 0)


@pytest.mark.parametrize("call", [normalize, reference, one_pass_variance])
def test_a_group_holds_at_least_one_value(call: Callable[..., object]) -> None:
    message = (
        "A group must have at least one value, but got x of shape (0, 6) with over=(0,). Give "
        "dimension 0 at least one entry."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        call(torch.ones(0, 6), 0)


@pytest.mark.parametrize("eps", [-1e-5, float("nan"), float("inf")])
@pytest.mark.parametrize("call", [normalize, reference])
def test_epsilon_is_zero_or_more(call: Callable[..., object], eps: float) -> None:
    message = (
        f"eps must be 0 or greater, but got {eps}. It is added to a variance; PyTorch's "
        "default is 1e-5."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        call(GRID, 1, eps=eps)


@pytest.mark.parametrize("layout", ["", "N", "NX", "NDD", "NCD", "nd", "N D"])
def test_a_layout_names_known_axes_once_and_one_of_features(layout: str) -> None:
    message = (
        f"A layout must name axes once each, one of them C or D, but got {layout!r}. The axes are "
        "N (cases), T (time-steps), C (channels), D (units), L (places), H (rows), W (columns). "
        "Examples are 'ND', 'NTD' and 'NCHW'."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        LAYER.over(layout)


@pytest.mark.parametrize("name", ["gain", "bias"])
def test_gain_and_bias_broadcast_against_the_values(name: str) -> None:
    message = (
        f"{name} must broadcast against x, but got {name} of shape (4,) for x of shape (4, 6). "
        "For one entry per channel of (N, C, H, W), use shape (C, 1, 1)."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        normalize(GRID, 1, **{name: torch.ones(4)})


def test_gain_and_bias_broadcast_against_each_other() -> None:
    message = (
        "gain and bias must broadcast against each other, but got shapes (9, 1, 1) and (5, 1, 1). "
        "Give each sweep a dimension of its own."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        normalize(GRID, 1, gain=torch.ones(9, 1, 1), bias=torch.ones(5, 1, 1))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"mean": 0.0}, "mean="),
        ({"var": 1.0}, "var="),
        ({"mean": 0.0, "center": False}, "mean="),
        ({"mean": 0.0, "var": 1.0, "center": False}, "mean= and var="),
    ],
    ids=str,
)
def test_statistics_are_given_together(given: dict[str, float], names: str) -> None:
    message = (
        "With given statistics, pass mean= and var= if center=True, and only var= if "
        f"center=False, but got {names} with center={given.get('center', True)}. To compute the "
        "statistics from x, leave both out."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        normalize(GRID, 0, **given)


def test_given_statistics_broadcast_against_the_values() -> None:
    with pytest.raises(ValueError, match=re.escape("mean must broadcast against x")):
        normalize(GRID, 0, mean=torch.zeros(4), var=torch.ones(6))


@pytest.mark.parametrize("name", ["mean", "var"])
def test_cells_that_share_statistics_are_given_the_same(name: str) -> None:
    given = {"mean": torch.zeros(1, 1), "var": torch.ones(1, 1)} | {name: torch.ones(6)}
    message = (
        f"Values that share statistics must have one {name}, but got {name} of shape (1, 6) for x "
        f"of shape (4, 6), with statistics shared over dimensions (1,). Give {name} size 1 in "
        "these dimensions, for example with keepdim=True."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        normalize(GRID, 1, **given)


def test_given_statistics_can_be_swept() -> None:
    scales = torch.tensor([1.0, 4.0, 9.0]).view(3, 1, 1)
    result = normalize(GRID, 0, mean=GRID.mean(0), var=scales * torch.ones(6), eps=0.0)
    assert result.y.shape == (3, 4, 6)
    assert_close(result.y[2], (GRID - GRID.mean(0)) / 3)
    assert_close(WEIGHT.apply(GRID, "ND", weight=torch.ones(6, 4), eps=0.0).y, GRID / 2)
