import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lnviz.invariance import TRANSFORMATIONS
from lnviz.invariance.layer import standardize, summed_inputs
from lnviz.invariance.layers import RandomData, draw_layers

ROWS = torch.tensor([[1.0, 2.0], [3.0, -4.0]])
SHIFT = torch.tensor([0.5, -1.0])


def test_the_six_of_the_paper_are_there_in_its_order() -> None:
    assert list(TRANSFORMATIONS) == [
        "weight_matrix_rescale",
        "weight_matrix_recenter",
        "weight_vector_rescale",
        "dataset_rescale",
        "dataset_recenter",
        "case_rescale",
    ]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("rescale", [[2.0, 4.0], [6.0, -8.0]]),
        ("recenter", [[2.0, 0.0], [4.0, -6.0]]),
        ("rescale one", [[1.0, 2.0], [6.0, -8.0]]),
    ],
)
def test_a_kind_does_the_same_to_weights_and_to_data(
    kind: str, expected: list[list[float]]
) -> None:
    for change in TRANSFORMATIONS.values():
        if change.kind == kind:
            moved = change.apply(ROWS, torch.tensor([2.0]), SHIFT, which=1)
            torch.testing.assert_close(moved, torch.tensor([expected]))


@pytest.mark.parametrize("key", TRANSFORMATIONS)
def test_the_neutral_strength_changes_nothing(key: str) -> None:
    change = TRANSFORMATIONS[key]
    moved = change.apply(ROWS, torch.tensor([change.neutral]), SHIFT)
    assert torch.equal(moved[0], ROWS)


@pytest.mark.parametrize("key", TRANSFORMATIONS)
def test_all_layers_and_strengths_at_once_are_each_of_them_alone(key: str) -> None:
    layers = draw_layers(3, 4, RandomData(cases=5, inputs=2, places=2), seed=0)
    strengths = torch.tensor([-1.0, 0.0, 2.5], dtype=torch.float64)
    moved = layers.transformed(key, strengths)
    together = summed_inputs(moved.data, moved.weight)
    for s in range(3):
        alone = layers.transformed(key, strengths[s : s + 1])
        torch.testing.assert_close(together[s], summed_inputs(alone.data, alone.weight)[0])


def test_a_case_is_re_scaled_at_all_its_places() -> None:
    layers = draw_layers(1, 2, RandomData(cases=3, inputs=2, places=4), seed=0)
    moved = layers.transformed("case_rescale", torch.tensor([3.0], dtype=torch.float64), which=2)
    factors = (moved.data / layers.data).squeeze()
    torch.testing.assert_close(factors[2], torch.full_like(factors[2], 3.0))
    torch.testing.assert_close(factors[:2], torch.ones_like(factors[:2]))


def test_given_data_is_moved_by_a_vector_of_its_own_size() -> None:
    small, large = (draw_layers(1, 2, scale * ROWS, seed=0).data_shift for scale in (1.0, 1000.0))
    torch.testing.assert_close(large, 1000 * small)


@pytest.mark.parametrize("norm", ["batch", "layer", "group"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@settings(max_examples=20)
@given(value=st.floats(-1e3, 1e3), count=st.integers(2, 40))
@example(value=4.9625659, count=25)
@example(value=1 / 3, count=11)
def test_equal_values_have_no_spread_though_their_mean_is_off_by_rounding(
    norm: str, dtype: torch.dtype, value: float, count: int
) -> None:
    equal = torch.full((count, 1, count), value, dtype=dtype)
    result = standardize(norm, equal, torch.ones(count, 1, dtype=dtype), 0.0)
    assert result.flat.all()
    assert not result.x_hat.any()


def test_equal_values_have_a_size_for_rmsnorm() -> None:
    equal = torch.full((7, 1, 6), 0.1)
    result = standardize("rms", equal, torch.ones(6, 1), 0.0)
    torch.testing.assert_close(result.x_hat, torch.ones_like(equal))
    assert not result.flat.any()


def test_a_spread_that_is_small_beside_the_mean_is_kept() -> None:
    values = torch.tensor([[[1.0, 1.0 + 1e-10]]], dtype=torch.float64)
    result = standardize("layer", values, torch.ones(2, 1, dtype=torch.float64), 0.0)
    torch.testing.assert_close(result.x_hat, torch.tensor([[[-1.0, 1.0]]], dtype=torch.float64))
