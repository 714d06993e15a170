import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.paper import cut

VALUES = st.tuples(st.floats(10, 90), st.floats(10, 90))


@given(VALUES)
def test_an_axis_from_0_shows_the_ratio_of_the_numbers(values: tuple[float, float]) -> None:
    found = cut(torch.tensor(values), torch.zeros(1), 100.0)
    assert_close(found.ratio[0].item(), values[1] / values[0], rtol=1e-5, atol=0)
    assert found.exaggeration.item() == 1


@given(VALUES, st.floats(0, 9))
def test_the_exaggeration_is_the_ratio_of_the_two_relative_differences(
    values: tuple[float, float], start: float
) -> None:
    first, second = torch.tensor(values, dtype=torch.float64)
    found = cut(torch.stack([first, second]), torch.tensor([start], dtype=torch.float64), 100.0)
    drawn = (found.heights[0, 0] - found.heights[0, 1]) / found.heights[0, 0]
    assert_close(drawn, found.exaggeration[0] * (first - second) / first)


@pytest.mark.parametrize(
    ("values", "starts", "top", "message"),
    [
        ([1.0, 2.0, 3.0], [0.0], 9.0, r"^a comparison takes two values, received shape \(3,\)$"),
        ([1.0, 2.0], [0.0, 1.0], 9.0, r"on axes from 0 to 1 and up to 9; choose lower starts or"),
        ([1.0, 2.0], [0.0], 1.5, r"^values must lie above each start and not above the top, "),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    values: list[float], starts: list[float], top: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cut(torch.tensor(values), torch.tensor(starts), top)
