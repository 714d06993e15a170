import pytest
import torch

from lnviz.topics.invariance import TRANSFORMATIONS
from lnviz.topics.invariance.layers import RandomData, draw_layers, preactivations

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
        ("rescale one", [[2.0, 4.0], [3.0, -4.0]]),
    ],
)
def test_a_kind_does_the_same_to_weights_and_to_data(
    kind: str, expected: list[list[float]]
) -> None:
    for change in TRANSFORMATIONS.values():
        if change.kind == kind:
            moved = change.apply(ROWS, torch.tensor([2.0]), SHIFT)
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
    together = preactivations(moved.data, moved.weight)
    for s in range(3):
        alone = layers.transformed(key, strengths[s : s + 1])
        torch.testing.assert_close(together[s], preactivations(alone.data, alone.weight)[0])


def test_a_case_is_re_scaled_at_all_its_places() -> None:
    layers = draw_layers(1, 2, RandomData(cases=3, inputs=2, places=4), seed=0)
    moved = layers.transformed("case_rescale", torch.tensor([3.0], dtype=torch.float64))
    factors = (moved.data / layers.data).squeeze()
    torch.testing.assert_close(factors[0], torch.full_like(factors[0], 3.0))
    torch.testing.assert_close(factors[1:], torch.ones_like(factors[1:]))


def test_given_data_is_moved_by_a_vector_of_its_own_size() -> None:
    small, large = (draw_layers(1, 2, scale * ROWS, seed=0).data_shift for scale in (1.0, 1000.0))
    torch.testing.assert_close(large, 1000 * small)
