"""Epsilon, and where it ends what holds without it."""

import pytest

from lnviz.topics.invariance import (
    SCALES,
    TRANSFORMATIONS,
    VISIBLE,
    InvarianceTable,
    Limits,
    measure,
)
from tests.topics.invariance.stated import EXACT, MARGIN, YES, at


@pytest.fixture(scope="module")
def with_epsilon() -> InvarianceTable:
    return measure(strengths=SCALES, eps=1e-5, layers=16)


@pytest.mark.parametrize(
    ("norm", "transformation"), [(n, t) for n, t in YES if TRANSFORMATIONS[t].kind != "recenter"]
)
def test_with_an_epsilon_of_1e_5_scaling_by_a_thousandth_changes_the_output_visibly(
    with_epsilon: InvarianceTable, norm: str, transformation: str
) -> None:
    entry = with_epsilon.entry(norm, transformation)
    assert at(with_epsilon, norm, transformation, SCALES[60]) > 0.3  # a thousandth
    assert not entry.agrees
    assert entry.limits.below is not None
    assert 0.001 < entry.limits.below < 0.2
    assert entry.limits.above is None
    assert at(with_epsilon, norm, transformation, 10.0) < VISIBLE


@pytest.mark.parametrize(
    ("norm", "transformation"), [(n, t) for n, t in YES if t.endswith("_recenter")]
)
def test_an_epsilon_does_not_break_re_centering(norm: str, transformation: str) -> None:
    assert measure([norm], [transformation], eps=1e-5).change(norm, transformation) < EXACT


def test_limits_are_the_nearest_strengths_on_either_side_that_change_the_output() -> None:
    measured = measure(["none"], ["case_rescale"], strengths=[-2.0, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0])
    assert measured.limits("none", "case_rescale") == Limits(below=0.5, above=2.0)
    assert measured.limits("none", "case_rescale", tolerance=1e6) == Limits(None, None)


def test_limits_leave_out_the_change_of_sign_at_negative_factors() -> None:
    measured = measure(["layer"], ["case_rescale"], strengths=[-1.0, 0.5, 2.0])
    assert at(measured, "layer", "case_rescale", -1.0) > MARGIN
    assert measured.limits("layer", "case_rescale") == Limits(None, None)


def test_limits_of_re_centering_lie_around_zero() -> None:
    measured = measure(["none"], ["dataset_recenter"], strengths=[-2.0, -1.0, 0.0, 1.0, 2.0])
    assert measured.limits("none", "dataset_recenter") == Limits(below=-1.0, above=1.0)
