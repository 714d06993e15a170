import re

import pytest
import torch
from torch import Tensor

from lnviz.data.examples import Examples, digit_images, digits, worked_example

PRESETS = [worked_example(), *(digits(seed=seed) for seed in (0, 1, 2, 3, 42, 9_999))]
PRESETS += [digits(examples=2, features=2), digits(examples=40, features=30)]
names = [f"{preset.name}-{index}" for index, preset in enumerate(PRESETS)]


def standardized(x: Tensor, dim: int) -> Tensor:
    var, mean = torch.var_mean(x, dim=dim, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(var + 1e-5)


def smallest_gap_of_statistics(x: Tensor) -> float:
    """How near a row comes to a column in (mean, standard deviation)."""
    row = torch.stack((x.mean(1), x.std(1, correction=0)), dim=-1)
    column = torch.stack((x.mean(0), x.std(0, correction=0)), dim=-1)
    return float(torch.cdist(row, column).min())


def average_disagreement(x: Tensor) -> float:
    """The mean distance between what BatchNorm and LayerNorm make of a cell."""
    return float((standardized(x, 0) - standardized(x, 1)).abs().mean())


@pytest.mark.parametrize("preset", PRESETS, ids=names)
def test_every_row_and_column_has_its_own_label(preset: Examples) -> None:
    n, d = preset.values.shape
    assert len(set(preset.example_labels)) == len(preset.example_labels) == n
    assert len(set(preset.feature_labels)) == len(preset.feature_labels) == d


@pytest.mark.parametrize("preset", PRESETS, ids=names)
def test_values_are_finite_float32(preset: Examples) -> None:
    assert preset.values.dtype == torch.float32
    assert preset.values.isfinite().all()


@pytest.mark.parametrize("preset", PRESETS, ids=names)
def test_batch_norm_and_layer_norm_disagree_on_every_preset(preset: Examples) -> None:
    assert average_disagreement(preset.values) > 0.2
    assert smallest_gap_of_statistics(preset.values) > 1e-3


def test_the_disagreement_test_catches_a_grid_where_both_norms_agree() -> None:
    agreeing = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert average_disagreement(agreeing) == 0
    assert smallest_gap_of_statistics(agreeing) == 0


def test_worked_example_has_its_printed_corners_and_labels() -> None:
    example = worked_example()
    assert example.values.shape == (4, 6)
    torch.testing.assert_close(example.values[[0, 3], [0, 5]], torch.tensor([0.1, -0.7]))
    torch.testing.assert_close(example.values.sum(), torch.tensor(12.3))
    assert example.example_labels == ("example 1", "example 2", "example 3", "example 4")
    assert example.feature_labels == ("1", "2", "3", "4", "5", "6")


def test_default_digits_are_sixteen_cases_that_show_every_digit() -> None:
    preset = digits()
    assert preset.values.shape == (16, 12)
    assert preset.example_labels[:10] == tuple(f"digit {n}" for n in range(10))
    assert preset.example_labels[10:] == tuple(f"digit {n} (2)" for n in range(6))


def test_digits_are_readable_and_their_units_differ_in_mean_and_scale() -> None:
    for seed in range(20):
        values = digits(seed=seed).values
        assert values.abs().max() < 6
        assert 0.7 < values.std() < 2
        std, mean = torch.std_mean(values, dim=0, correction=0)
        assert mean.max() - mean.min() > 1
        assert std.max() > 1.3 * std.min()


def test_the_same_seed_gives_the_same_digits_and_another_seed_others() -> None:
    assert torch.equal(digits(seed=5).values, digits(seed=5).values)
    assert not torch.equal(digits(seed=5).values, digits(seed=6).values)


def test_more_cases_keep_the_ones_there_were() -> None:
    torch.testing.assert_close(digits(examples=30).values[:16], digits().values, rtol=0, atol=0)


def test_digits_do_not_touch_the_global_random_state() -> None:
    before = torch.get_rng_state()
    digits(seed=77)
    assert torch.equal(torch.get_rng_state(), before)


def test_digits_are_sums_of_pixels_and_weights_without_rounding_error() -> None:
    values = digits(seed=1, examples=100, features=20).values.double() * 4096
    assert torch.equal(values, values.round())


def test_notes_state_the_sizes_and_the_seed() -> None:
    assert worked_example().note == "A small table: 4 examples, 6 features, to one decimal."
    assert digits(seed=8, examples=5, features=7).note == (
        "Pre-activations of 7 units for 5 handwritten digits of 8 x 8 pixels (scikit-learn's "
        "load_digits), through random weights drawn with seed 8."
    )


@pytest.mark.parametrize(
    ("name", "value", "low", "high"),
    [
        ("seed", -1, 0, 9_999),
        ("seed", 10_000, 0, 9_999),
        ("seed", True, 0, 9_999),
        ("examples", 1, 2, 1_797),
        ("examples", 1_798, 2, 1_797),
        ("features", 1, 2, 1_024),
        ("features", 1_025, 2, 1_024),
    ],
)
def test_an_argument_out_of_range_is_named_with_its_range(
    name: str, value: int, low: int, high: int
) -> None:
    message = f"{name} must be a whole number from {low} to {high}, but got {value!r}."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        digits(**{name: value})


def test_the_ends_of_each_range_are_allowed() -> None:
    assert digits(seed=9_999, examples=2, features=2).values.shape == (2, 2)
    assert digits(seed=0, examples=1_797, features=1_024).values.shape == (1_797, 1_024)


def test_the_digits_come_with_their_images_and_the_worked_example_has_none() -> None:
    shown = digits(examples=12).images
    assert shown is not None
    assert torch.equal(shown.flatten(1), digit_images().images[:12])
    assert worked_example().images is None


def test_the_digits_are_those_that_scikit_learn_reads() -> None:
    from tests.data.make_files import digits as read  # takes a second

    theirs, ours = read(), digit_images()
    assert torch.equal(ours.images, torch.from_numpy(theirs["images"]).float() / 16)
    assert torch.equal(ours.targets, torch.from_numpy(theirs["targets"]).long())
