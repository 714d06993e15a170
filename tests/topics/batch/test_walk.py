import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, RMS, Norm, group_norm
from lnviz.topics.batch import NormalizationSteps, walk
from tests.drawing import drawn

NORMS = (BATCH, LAYER, group_norm(2), RMS)
each_norm = pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.key)


def steps(x: torch.Tensor, units: slice = slice(None), room: int = 16) -> NormalizationSteps:
    width = x.shape[1]
    units = slice(*units.indices(width))
    gain, bias = torch.linspace(0.5, 2, width), torch.linspace(-1, 1, width)
    return walk(NORMS, x, units, gain=gain, bias=bias, eps=1e-5, room=room)


@pytest.mark.slow
@settings(max_examples=30)
@given(n=st.integers(1, 6), d=st.sampled_from([2, 4, 6]), seed=st.integers(0, 99))
def test_each_batch_size_is_that_batch_normalized_alone(n: int, d: int, seed: int) -> None:
    x = drawn(n, d, seed=seed)
    found = steps(x)
    gain, bias = torch.linspace(0.5, 2, d), torch.linspace(-1, 1, d)
    for i, norm in enumerate(NORMS):
        own = bias if norm.center else None
        for size in range(1, n + 1):
            alone = norm.apply(x[:size], "ND", gain=gain, bias=own)
            inside = (i, size - 1, slice(size))
            assert_close(found.x_hat[inside], alone.x_hat, rtol=1e-4, atol=1e-4)
            assert_close(found.y[inside], alone.y, rtol=1e-4, atol=1e-4)
            assert torch.equal(found.groups[inside], norm.groups((size, d), "ND"))


@each_norm
def test_the_units_looked_at_have_the_steps_they_have_among_all(norm: Norm) -> None:
    x = drawn(4, 12)
    i = NORMS.index(norm)
    some, every = steps(x, slice(3, 8)), steps(x)
    for name in ("mean", "var", "x_hat", "y", "terms", "squares", "after_mean", "after_var"):
        part, whole = getattr(some, name)[i], getattr(every, name)[i]
        assert_close(part, whole[:, :, 3:8], equal_nan=True)


@each_norm
def test_the_terms_of_a_cell_are_the_numbers_of_its_group(norm: Norm) -> None:
    x = drawn(4, 6)
    i, found = NORMS.index(norm), steps(x)
    for size in range(1, 5):
        ids = norm.groups((size, 6), "ND")
        for case, unit in ((0, 0), (size - 1, 4)):
            group = x[:size][ids == ids[case, unit]]
            terms = found.terms[i, size - 1, case, unit]
            assert torch.equal(terms[: len(group)], group)
            assert terms[len(group) :].isnan().all()


@each_norm
def test_the_mean_of_the_squares_is_the_variance(norm: Norm) -> None:
    i, found = NORMS.index(norm), steps(drawn(4, 6))
    assert_close(found.squares[i].nanmean(-1), found.var[i], equal_nan=True)


def test_a_group_with_more_numbers_than_there_is_room_for_keeps_no_terms() -> None:
    found = steps(drawn(2, 6), room=4)
    kept = [not one.isnan().all() for one in found.terms]
    assert kept == [True, False, True, False]


@each_norm
def test_what_was_standardized_has_mean_0_and_variance_1_or_mean_square_1(norm: Norm) -> None:
    i, found = NORMS.index(norm), steps(10 * drawn(5, 6))
    at = (i, 4)
    assert_close(found.after_var[at], torch.ones(5, 6), rtol=1e-4, atol=1e-4)
    if norm.center:
        assert_close(found.after_mean[at], torch.zeros(5, 6), rtol=0, atol=1e-5)


def test_equal_numbers_are_flat_and_without_centering_zeros_alone_are() -> None:
    x = torch.tensor([[2.0, 2.0, 1.0, 3.0], [2.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    flat = steps(x).flat[:, 2]
    by_row = {norm.key: one for norm, one in zip(NORMS, flat.tolist(), strict=True)}
    assert by_row["batch"] == [[False] * 4] * 3
    assert by_row["layer"] == [[False] * 4, [True] * 4, [True] * 4]
    assert by_row["group"] == [[True, True, False, False], [True] * 4, [True] * 4]
    assert by_row["rms"] == [[False] * 4, [False] * 4, [True] * 4]


def test_numbers_whose_squares_vanish_are_not_flat() -> None:
    found = steps(1e-30 * drawn(3, 4))
    assert not found.var[1:, 2].any()
    assert not found.flat[1:, 2].any()


@pytest.mark.parametrize("outside", [1e30, float("inf"), float("nan")])
def test_no_case_outside_the_batch_has_a_say(outside: float) -> None:
    x = drawn(3, 4)
    changed = x.clone()
    changed[2] = outside
    for name in ("x_hat", "y", "terms", "after_var", "flat"):
        before, after = getattr(steps(x), name), getattr(steps(changed), name)
        assert_close(after[:, :2, :2], before[:, :2, :2], equal_nan=True)
