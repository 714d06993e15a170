from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lnviz.data.examples import worked_example
from lnviz.norms import CATALOGUE
from lnviz.topics import invariance
from lnviz.topics.invariance import TRANSFORMATIONS, Demonstration, largest_change
from tests.topics.invariance.extreme import SPREADLESS

SHOWN = [norm for norm in CATALOGUE if norm != "instance"]
EPSILONS = [0.0, 1e-8, 1e-5, 1e-3, 1e-1]
BAD = SPREADLESS | {
    "tiny": torch.full((2, 2), 1e-200, dtype=torch.float64),
    "large": torch.tensor([[1e30, -2e30], [3e30, 1e30]]),
}


def demonstrate(norm: str, transformation: str, **given: Any) -> Demonstration:
    given = {"strengths": [1.0], "eps": EPSILONS} | given
    return invariance.demonstrate(norm, transformation, **given)


def told(shown: Demonstration, strength: float) -> list[tuple[str, str, bool]]:
    """The kinds of the notes at a strength, of whom they are, and whether of before alone."""
    here = (note for note in shown.notes if strength in note.strengths)
    return [(note.kind, note.groups, note.is_before) for note in here]


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_at_the_neutral_strength_nothing_has_changed(transformation: str) -> None:
    neutral = TRANSFORMATIONS[transformation].neutral
    for norm in SHOWN:
        shown = demonstrate(norm, transformation, strengths=[neutral])
        both = zip(vars(shown.before).values(), vars(shown.after).values(), strict=True)
        assert all(torch.equal(after[0], before) for before, after in both), norm
        assert not shown.change.any(), norm
        assert not shown.mean_moved.any(), norm
        assert not shown.var_moved.any(), norm


def test_strengths_lead_and_epsilons_follow_where_they_play_a_part() -> None:
    strengths = [-1.0, 0.0, 2.0]
    shown = demonstrate("layer", "case_rescale", strengths=strengths, eps=[0.0, 0.1], units=6)
    assert shown.strengths == tuple(strengths)
    assert shown.after.data.shape == (3, 4, 6)
    assert shown.after.weight.shape == (3, 6, 6)
    assert shown.after.mean.shape == shown.after.summed.shape == (3, 4, 6)
    assert shown.after.outputs.shape == (3, 2, 4, 6)
    assert shown.before.outputs.shape == (2, 4, 6)
    assert shown.change.shape == (3, 2)


@pytest.mark.parametrize(
    ("norm", "dim", "center"), [("layer", -1, True), ("batch", -2, True), ("rms", -1, False)]
)
def test_every_cell_finds_the_statistics_of_its_group(norm: str, dim: int, center: bool) -> None:
    shown = demonstrate(norm, "weight_vector_rescale", strengths=[0.5, 2.0]).after
    a = shown.summed
    mean = a.mean(dim, keepdim=True) if center else torch.zeros_like(a)
    var = (a - mean).square().mean(dim, keepdim=True)
    torch.testing.assert_close(shown.mean, mean.expand_as(a))
    torch.testing.assert_close(shown.var, var.expand_as(a))


def test_summed_inputs_are_the_data_times_the_weights() -> None:
    shown = demonstrate("none", "dataset_recenter", strengths=[1.0])
    torch.testing.assert_close(shown.before.data, worked_example().values.double())
    after = shown.after
    torch.testing.assert_close(after.summed, after.data @ after.weight.mT)
    shift = after.data[0] - shown.before.data
    torch.testing.assert_close(shift, shift[:1].expand_as(shift))
    assert shift.any()


def test_an_activation_follows_the_norm() -> None:
    shown = demonstrate("layer", "case_rescale", activation="relu", strengths=[2.0])
    a = shown.after.summed.unsqueeze(1)  # S,1,N,H
    normed = torch.cat([F.layer_norm(a, (6,), eps=eps) for eps in EPSILONS], 1)
    torch.testing.assert_close(shown.after.outputs, normed.clamp(min=0))


def test_the_change_is_that_between_the_outputs_shown() -> None:
    for norm in SHOWN:
        shown = demonstrate(norm, "case_rescale", strengths=[-1.0, 3.0])
        change = largest_change(shown.before.outputs, shown.after.outputs)
        torch.testing.assert_close(shown.change, change)


def test_one_case_scaled_moves_only_its_own_statistics_under_layernorm() -> None:
    shown = demonstrate("layer", "case_rescale", strengths=[2.0], eps=[0.0])
    only = torch.tensor([True, False, False, False]).unsqueeze(-1).expand(4, 6)
    assert torch.equal(shown.mean_moved[0], only)
    assert torch.equal(shown.var_moved[0], only)
    assert shown.change.max() < 1e-12


def test_one_case_scaled_moves_all_statistics_under_batchnorm() -> None:
    shown = demonstrate("batch", "case_rescale", strengths=[2.0], eps=[0.0])
    assert shown.var_moved.all()
    assert shown.change.min() > 0.01


def test_a_re_centered_data_set_moves_batchnorms_means_and_no_variance() -> None:
    shown = demonstrate("batch", "dataset_recenter", strengths=[3.0], eps=[0.0, 1e-5])
    assert shown.mean_moved.any()
    assert not shown.var_moved.any()
    assert shown.change.max() < 1e-12


def test_one_weight_vector_scaled_moves_the_statistics_that_the_whole_layer_shares() -> None:
    shown = demonstrate("layer", "weight_vector_rescale", strengths=[2.0], eps=[0.0])
    assert shown.var_moved.all()
    moved = (shown.after.outputs[0] - shown.before.outputs)[..., 1:]
    assert moved.abs().amax() > 0.01


@pytest.mark.parametrize("norm", ["dyt", "none"])
def test_without_statistics_no_cell_shares_and_nothing_is_to_be_said(norm: str) -> None:
    shown = demonstrate(norm, "dataset_rescale", strengths=[0.1], eps=[0.1])
    assert len(shown.groups.unique()) == shown.groups.numel()
    assert shown.notes == ()


def test_groups_are_those_of_the_norm() -> None:
    rows = demonstrate("layer", "case_rescale", strengths=[1.0]).groups
    columns = demonstrate("weight", "case_rescale", strengths=[1.0]).groups
    assert torch.equal(rows, torch.arange(4)[:, None].expand(4, 6))
    assert torch.equal(columns, torch.arange(6).expand(4, 6))


def test_weights_have_one_decimal_and_are_none_of_them_zero() -> None:
    weight = demonstrate("none", "case_rescale", units=40, strengths=[1.0]).before.weight
    torch.testing.assert_close((10 * weight).round() / 10, weight)
    assert weight.all()


def test_data_is_moved_by_a_vector_of_its_own_size() -> None:
    small, large = (
        demonstrate("none", "dataset_recenter", data=data, strengths=[1.0])
        for data in (worked_example().values, 1000 * worked_example().values)
    )
    shift = small.after.data - small.before.data
    torch.testing.assert_close(large.after.data - large.before.data, 1000 * shift)


def test_the_seed_draws_the_weights() -> None:
    one, same, other = (
        demonstrate("none", "case_rescale", strengths=[1.0], seed=seed).before.weight
        for seed in (1, 1, 2)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


# Nothing undefined is ever shown, and a sentence says what is seen.


@pytest.mark.slow
@pytest.mark.parametrize("data", BAD)
def test_every_number_is_finite_whatever_the_data(data: str) -> None:
    for norm, transformation, units in product(SHOWN, TRANSFORMATIONS, (2, 6)):
        shown = demonstrate(
            norm,
            transformation,
            data=BAD[data],
            units=units,
            strengths=[-3.0, -1.0, 0.0, 1e-3, 1.0, 3.0],
        )
        tensors = [*vars(shown.before).values(), *vars(shown.after).values()]
        finite = all(tensor.isfinite().all() for tensor in [*tensors, shown.change])
        assert finite, (norm, transformation, units)


@pytest.mark.parametrize(
    ("norm", "transformation", "why", "who"),
    [
        ("layer", "weight_matrix_rescale", "equal", "every example"),
        ("layer", "case_rescale", "equal", "example 1"),
        ("rms", "dataset_rescale", "summed", "every example"),
        ("batch", "weight_vector_rescale", "equal", "unit 1"),
        ("weight", "weight_vector_rescale", "weights", "unit 1"),
        ("weight", "weight_matrix_rescale", "weights", "every unit"),
        ("group", "case_rescale", "equal", "example 1"),
    ],
)
def test_at_strength_zero_a_note_says_which_sigma_is_zero(
    norm: str, transformation: str, why: str, who: str
) -> None:
    shown = demonstrate(norm, transformation, strengths=[0.0, 1.0])
    assert told(shown, 0.0) == [(why, who, False)]
    assert told(shown, 1.0) == []
    assert shown.after.flat[0].any()
    assert not shown.after.outputs[0][shown.after.flat[0].expand_as(shown.after.outputs[0])].any()


def test_a_row_of_zeros_has_a_note_at_every_strength() -> None:
    shown = demonstrate("layer", "dataset_rescale", data=BAD["a zero row"], strengths=[0.5, 2.0])
    assert told(shown, 0.5) == told(shown, 2.0) == [("equal", "example 1", False)]


def test_what_was_without_spread_before_is_said_where_it_no_longer_is() -> None:
    data = BAD["a zero row"]
    shown = demonstrate("layer", "dataset_recenter", data=data, strengths=[0.0, 2.0])
    assert told(shown, 2.0) == [("equal", "example 1", True)]
    assert told(shown, 0.0) == [("equal", "example 1", False)]


@pytest.mark.parametrize(
    ("norm", "units", "data"),
    [("batch", 6, BAD["one case"]), ("layer", 1, None), ("group", 2, None)],
)
def test_a_group_of_one_value_is_called_so(norm: str, units: int, data: Tensor | None) -> None:
    shown = demonstrate(norm, "dataset_rescale", units=units, data=data, strengths=[2.0])
    assert [kind for kind, _, _ in told(shown, 2.0)] == ["zero outputs", "alone"]
    assert not shown.before.outputs.any()
    assert not shown.after.outputs.any()


@pytest.mark.parametrize(
    ("norm", "transformation"),
    [("layer", "case_rescale"), ("batch", "weight_vector_rescale"), ("rms", "dataset_rescale")],
)
def test_a_change_of_sign_is_said_at_negative_strengths(norm: str, transformation: str) -> None:
    shown = demonstrate(norm, transformation, strengths=[-2.0, -0.5, 0.5])
    assert told(shown, -2.0) == told(shown, -0.5) == [("turned", "", False)]
    assert told(shown, 0.5) == []


@pytest.mark.parametrize(
    ("norm", "transformation"),
    [("layer", "weight_vector_rescale"), ("batch", "case_rescale"), ("layer", "dataset_recenter")],
)
def test_no_change_of_sign_is_said_where_more_than_the_sign_changes(
    norm: str, transformation: str
) -> None:
    assert told(demonstrate(norm, transformation, strengths=[-2.0, -1.0]), -2.0) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norm": "instance"}, "InstanceNorm averages over an example’s positions"),
        ({"norm": "l2"}, "norm must be one of .*; got 'l2'"),
        ({"transformation": "twist"}, "transformation must be one of .*; got 'twist'"),
        ({"activation": "gelu"}, "activation must be one of .*; got 'gelu'"),
        ({"units": 0}, "units must be 1 or more, got 0"),
        ({"eps": []}, "eps must hold at least one epsilon, got none"),
        ({"eps": [0.0, -1.0]}, "eps must be 0 or greater, but got -1.0"),
        ({"strengths": [float("inf")]}, "strengths must be finite numbers"),
        ({"data": torch.ones(2, 3, 4)}, r"takes cases x inputs, got shape \(2, 3, 4\)"),
        ({"data": torch.ones(0, 3)}, r"at least one of each; got shape \(0, 3\)"),
        ({"data": torch.tensor([[torch.inf]])}, "Data must be finite"),
        ({"norm": "group", "units": 5}, "groups of equal size, but got 5 features for 2 groups"),
        (
            {"data": torch.tensor([[1e200, 1.0]], dtype=torch.float64)},
            "squares of the pre-activations must fit into float64",
        ),
    ],
)
def test_what_cannot_be_shown_is_said(arguments: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"norm": "layer", "transformation": "case_rescale"} | arguments
    with pytest.raises(ValueError, match=message):
        demonstrate(**given)  # type: ignore[arg-type]


def test_whole_numbers_are_no_data() -> None:
    with pytest.raises(TypeError, match="Data must be floating point"):
        demonstrate("layer", "case_rescale", data=torch.ones(2, 2, dtype=torch.int64))
