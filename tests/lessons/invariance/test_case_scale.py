from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.explorable import Slider
from lnviz.lessons.invariance.case_scale import UNSEEN
from tests.lessons.running import built, control

N, D, CASE = 4, 6, 1
REST = [0, 2, 3]


figure = partial(built, "invariance", "case-scale")


def slider(name: str) -> Slider:
    found: Slider = control(figure(), name)
    return found


def table(tensor: str, scale: int, epsilon: int) -> torch.Tensor:
    swept = figure().tensors[tensor]
    place = {"example scale": scale, "epsilon": epsilon}
    leading = tuple(place[name] for name in swept.dims if name != "cell")
    return swept.values[leading].reshape(N, D).cpu()


SCALES = st.integers(0, 200)
EPSILONS = st.integers(0, 111)
ONE = 100


@given(SCALES, EPSILONS)
def test_only_the_pointed_case_is_multiplied(scale: int, epsilon: int) -> None:
    x, start = table("x", scale, epsilon), table("x", ONE, epsilon)
    assert torch.equal(x[REST], start[REST])
    assert_close(x[CASE], slider("example scale").values[scale] * start[CASE])


@given(SCALES)
def test_without_epsilon_layernorms_row_stays_up_to_rounding(scale: int) -> None:
    layer, start = table("layer", scale, 0), table("layer", ONE, 0)
    assert_close(layer, start, rtol=1e-6, atol=1e-6)
    state = figure().start_state() | {"example scale": scale, "epsilon": 0}
    # In percent of the largest value.
    assert figure().lookup("layer change", state) < 1e-4


@given(SCALES.filter(lambda scale: abs(scale - ONE) > 10), EPSILONS)
def test_batchnorm_moves_the_rows_that_nobody_touched(scale: int, epsilon: int) -> None:
    moved = (table("batch", scale, epsilon) - table("batch", ONE, epsilon)).abs()
    assert (moved[REST].amax(1) > 0.01).all()


@given(SCALES, EPSILONS)
def test_a_small_row_changes_by_epsilon_alone(scale: int, epsilon: int) -> None:
    state = figure().start_state() | {"example scale": scale}
    assert figure().lookup("seen", state | {"epsilon": 0}).isnan()  # without an epsilon, none does
    there = state | {"epsilon": epsilon}
    change, seen, unseen = (figure().lookup(n, there) for n in ("layer change", "seen", "unseen"))
    assert bool(seen.isfinite()) == (scale != ONE and bool(change >= UNSEEN))
    assert bool(unseen.isfinite()) == (scale != ONE and bool(change < UNSEEN))
    small = figure().state_at(example_scale=0.01)
    assert 1 < figure().lookup("seen", small) < 10


def test_with_a_large_epsilon_a_small_case_fades() -> None:
    small = slider("example scale").index(0.01)
    epsilons = range(slider("epsilon").size)
    sizes = [table("layer", small, epsilon)[CASE].abs().max() for epsilon in epsilons]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 10


@given(SCALES, EPSILONS)
def test_the_changes_stated_are_those_of_the_grids(scale: int, epsilon: int) -> None:
    state = figure().start_state() | {"example scale": scale, "epsilon": epsilon}
    now, start = (table("layer", s, epsilon)[CASE] for s in (scale, ONE))
    percent = 100 * (now - start).abs().max() / start.abs().max()
    assert_close(figure().lookup("layer change", state).cpu(), percent, rtol=1e-3, atol=1e-4)
    now, start = (table("batch", s, epsilon)[REST] for s in (scale, ONE))
    moved = (now - start).abs().max()
    assert_close(figure().lookup("batch moved", state).cpu(), moved, rtol=1e-3, atol=1e-4)


def test_epsilon_goes_from_exactly_zero_past_pytorchs_default() -> None:
    epsilon = slider("epsilon")
    assert epsilon.values[0] == 0
    assert epsilon.start == torch.nn.LayerNorm(1).eps
    assert epsilon.values[-1] > epsilon.start


@pytest.mark.parametrize("scale", [0, ONE, 200])
def test_the_two_norms_never_agree(scale: int) -> None:
    epsilon = slider("epsilon").start_index
    difference = (table("layer", scale, epsilon) - table("batch", scale, epsilon)).abs()
    assert (difference.amax(1) > 0.05).all()
