from functools import cache

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.batch.running import BATCH_SEEN, EPS, MOMENTUM, _seen, build
from tests.lessons.running import not_finite, printed


@cache
def figure(change: str = "shift", cases: int = 16) -> Explorable:
    return build(change, cases)


@pytest.mark.parametrize(("change", "cases"), [("shift", 16), ("shift", 2), ("scale", 2)])
def test_everything_is_defined_with_the_smallest_batch_too(change: str, cases: int) -> None:
    assert not_finite(figure(change, cases)) == {"left"}


def test_what_is_left_of_the_start_is_a_power_of_what_stays() -> None:
    state = figure().state_at(momentum=0.1, batch=40)
    assert_close(10 ** figure().lookup("left", state), torch.tensor(0.9**40))
    assert figure().tensors["left"].values[:-1].isfinite().all()


def test_the_arithmetic_below_the_chart_comes_out() -> None:
    of = figure().tensors
    for name in ("mean", "var"):
        old, new, kept = (of[f"{name} {what}"].values for what in ("old", "new", "kept"))
        momentum = torch.tensor(MOMENTUM.values)[:, None, None]
        assert_close((1 - momentum) * old + momentum * new, kept)


def test_at_momentum_0_inference_leaves_the_case_as_it_is() -> None:
    at = figure().tensors["at inference"].values[0]  # T,S,U
    assert_close(at, figure().tensors["input"].values.expand_as(at), rtol=1e-4, atol=1e-4)


def test_what_inference_is_off_by_is_a_distance_from_the_statistics_of_all() -> None:
    shown = figure()
    for momentum, batch in ((0.1, 40), (1.0, 3)):
        state = shown.state_at(momentum=momentum, batch=batch)
        seen = _seen(16)
        mean, var = (
            kept[MOMENTUM.index(momentum), batch - 1] for kept in (seen.kept.mean, seen.kept.var)
        )
        used = (seen.case - mean) / (var + EPS).sqrt()
        exact = (seen.case - seen.whole.mean) / (seen.whole.var + EPS).sqrt()
        distance = (used - exact).square().mean().sqrt()
        assert_close(shown.lookup("off", state), distance, rtol=1e-4, atol=1e-4)
        assert shown.lookup("layer off", state) == 0


def test_training_ends_near_the_truth_and_a_shift_leads_away() -> None:
    state = figure().state_at(momentum=0.1, batch=40)
    near = figure().lookup("off", state)
    far = figure().lookup(
        "off", state | figure().state_at(shift=2) | {"batch": BATCH_SEEN.size - 1}
    )
    assert near < 0.2 < far


@pytest.mark.parametrize("change", ["shift", "scale"])
def test_layernorm_does_not_notice(change: str) -> None:
    assert figure(change).tensors["layer off"].values.max() < 0.001


def test_what_inference_puts_out_is_what_batchnorm1d_does() -> None:
    state = figure().state_at(momentum=0.3, batch=7, shift=-1)
    norm = nn.BatchNorm1d(6).eval()
    assert norm.running_mean is not None
    assert norm.running_var is not None
    for unit in range(6):
        at = state | {"unit": unit}
        norm.running_mean[unit] = figure().lookup("mean kept", at)
        norm.running_var[unit] = figure().lookup("var kept", at)
    y = norm(figure().tensors["input"].values[state["shift"]][None])[0]
    shown = (
        figure().tensors["at inference"].values[state["momentum"], state["batch"], state["shift"]]
    )
    assert_close(y.detach(), shown, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("change", ["shift", "scale"])
def test_the_code_runs_the_layer_on_the_changed_case(change: str) -> None:
    values = {"shift": 1.0} if change == "shift" else {"test_scale": 2.0}
    batch, layer = printed(
        figure(change), figure(change).state_at(momentum=0.2, batch=30, **values)
    )
    assert batch.shape == layer.shape == (6,)
    assert bool(batch.isfinite().all())
