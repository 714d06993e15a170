"""Arrays with named axes."""

import pytest
import torch

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.stored import read
from lnviz.topics.playground.stored import SPIRAL

AXES = {"norm": ("batch", "layer"), "size": (2, 8, 32)}
VALUES = torch.arange(6.0).unflatten(0, (2, 3))
FOUND = ArrayDataset(
    AXES, {"error": NamedArray(("norm", "size"), VALUES), "count": NamedArray((), torch.tensor(7))}
)


def test_axes_come_in_the_order_asked_for() -> None:
    assert torch.equal(FOUND.tensor("error", "norm", "size"), VALUES)
    assert torch.equal(FOUND.tensor("error", "size", "norm"), VALUES.T)
    assert torch.equal(FOUND.tensor("error", "norm", size=8), VALUES[:, 1])
    assert FOUND.tensor("error", norm="layer", size=32) == 5
    assert FOUND.tensor("count") == 7


def test_an_axis_that_is_not_asked_for_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"^Each axis of 'error' must be named once \(norm, size\), but got"
    ):
        FOUND.tensor("error", "size")


def test_a_coordinate_that_is_not_there_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"^The axis 'size' has the coordinates 2, 8, 32, not 4\.$"
    ):
        FOUND.tensor("error", "norm", size=4)


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        (("size",), r"^'error', over \('size',\), must have the shape \(3,\) of its axes"),
        (("norm", "seed"), "has none for 'seed'"),
    ],
)
def test_arrays_fit_their_axes(over: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ArrayDataset(AXES, {"error": NamedArray(over, VALUES)})


def test_small_integers_do_not_overflow_once_they_are_asked_for() -> None:
    counts = NamedArray(("step",), torch.tensor([100, -100], dtype=torch.int8))
    data = ArrayDataset({"step": (0, 1)}, {"counts": counts})
    assert (data.tensor("counts", "step") * 100).tolist() == [10_000, -10_000]
    assert (data.tensor("counts", step=0) < 1000).item()


def test_a_result_of_the_package_is_kept_as_small_as_its_file_and_read_as_large() -> None:
    kept = SPIRAL.result
    assert kept.arrays["units"].values.dtype == torch.int8
    whole = read(SPIRAL.path, type(SPIRAL.default))
    assert whole.arrays["map"].values.dtype == torch.int64
    assert torch.equal(kept.arrays["map"].values.long(), whole.arrays["map"].values)
