import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, RMS, Norm
from lnviz.topics.invariance import largest_change, rescale_case
from tests.drawing import drawn

SEEDS = st.integers(0, 2**31 - 1)
SCALES = st.lists(st.floats(2**-6, 100, width=32), min_size=1, max_size=5)


@given(st.integers(1, 5), st.integers(1, 5), SCALES, SEEDS, st.data())
@settings(max_examples=30)
def test_one_case_is_multiplied_and_the_others_stay(
    n: int, d: int, scales: list[float], seed: int, data: st.DataObject
) -> None:
    x, case = drawn(n, d, seed=seed), data.draw(st.integers(0, n - 1))
    scaled = rescale_case(x, case, torch.tensor(scales))
    assert scaled.shape == (len(scales), n, d)
    for batch, scale in zip(scaled, scales, strict=True):
        assert torch.equal(batch[case], scale * x[case])
        others = [other for other in range(n) if other != case]
        assert torch.equal(batch[others], x[others])


def test_double_precision_is_kept() -> None:
    x, scales = drawn(3, 4, dtype=torch.float64), torch.tensor([0.1, 1 / 3], dtype=torch.float64)
    scaled = rescale_case(x, 1, scales)
    assert torch.equal(scaled[:, 1], scales[:, None] * x[1])


@given(SCALES, SEEDS)
@settings(max_examples=30)
@pytest.mark.parametrize("norm", [LAYER, RMS], ids=lambda norm: norm.label)
def test_without_epsilon_a_norm_over_the_row_changes_by_rounding_alone(
    norm: Norm, scales: list[float], seed: int
) -> None:
    x = drawn(4, 6, seed=seed)
    before = norm.apply(x, "ND", eps=0.0).y
    after = norm.apply(rescale_case(x, 1, torch.tensor(scales)), "ND", eps=0.0).y
    assert largest_change(before, after).max() < 1e-5


@given(SEEDS)
@settings(max_examples=30)
def test_batchnorm_changes_for_every_case(seed: int) -> None:
    x = drawn(4, 6, seed=seed)
    before = BATCH.apply(x, "ND").y
    after = BATCH.apply(rescale_case(x, 1, torch.tensor([0.1, 10.0])), "ND").y
    for case in range(len(x)):
        assert (largest_change(before[[case]], after[:, [case]]) > 1e-3).all()


@given(SEEDS, st.floats(0.01, 100))
@settings(max_examples=30)
def test_the_largest_change_does_not_depend_on_the_unit(seed: int, unit: float) -> None:
    before, after = (
        drawn(3, 4, seed=seed, dtype=torch.float64),
        drawn(3, 4, seed=seed + 1, dtype=torch.float64),
    )
    assert_close(largest_change(unit * before, unit * after), largest_change(before, after))


def test_nothing_changed_is_a_change_of_zero() -> None:
    x = drawn(3, 4)
    assert largest_change(x, x.expand(5, 2, 3, 4)).tolist() == [[0.0, 0.0]] * 5


def test_the_change_is_relative_to_the_largest_value_before() -> None:
    before, after = torch.tensor([[2.0, -4.0], [1.0, 0.0]]), torch.tensor([[2.5, -5.0], [1.0, 3.0]])
    assert largest_change(before, after).item() == 0.75
