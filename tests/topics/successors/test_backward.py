import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.topics.successors import VARIANTS, Backward, backward

ENDS = torch.tensor([-2.0, 0.0, 1.5])


def found(seed: int = 0, units: int = 9) -> Backward:
    x = torch.randn(units, generator=torch.Generator().manual_seed(seed + 100)).double()
    return backward(x, ENDS.double(), ENDS.double(), seed=seed)


def written_out(key: str, b: Backward) -> torch.Tensor:
    """What autograd should find, as Xu et al. derive it; epsilon as in the norm."""
    g = {"layer": b.gain, "ada": 1 - b.x_hat / 10}.get(key, 1.0) * b.arriving
    if key == "none":
        return g
    if VARIANTS[key].mean:
        g = g - g.mean(-1, keepdim=True)
    if VARIANTS[key].variance:
        g = g - b.x_hat * (b.x_hat * g).mean(-1, keepdim=True)
    return g / b.sigma


@settings(max_examples=15)
@given(seed=st.integers(0, 999), units=st.integers(3, 20))
def test_gradients_are_what_the_derivatives_written_out_give(seed: int, units: int) -> None:
    b = found(seed, units)
    for key in VARIANTS:
        assert_close(b.gradients[key], written_out(key, b), rtol=1e-6, atol=1e-8)


def test_layernorms_gradients_are_those_of_pytorch() -> None:
    b = found()
    for key, gain in (("simple", None), ("layer", b.gain)):
        x = b.x.expand(b.arriving.shape).clone().requires_grad_()
        (expected,) = torch.autograd.grad(F.layer_norm(x, (9,), gain), x, b.arriving)
        assert_close(b.gradients[key], expected)


def test_what_arrives_has_the_parts_that_were_asked_for() -> None:
    b = found()
    assert_close(b.arriving.mean(-1), ENDS.double()[:, None].expand(3, 3))
    parallel = (b.arriving * b.x_hat).mean(-1) / b.x_hat.square().mean()
    assert_close(parallel, ENDS.double().expand(3, 3))


@pytest.mark.parametrize(
    ("key", "keeps_mean", "keeps_parallel"),
    [
        ("none", True, True),
        ("both", True, True),
        ("mean", True, False),
        ("variance", False, True),
        ("simple", False, False),
        ("layer", False, False),
        ("ada", False, False),
    ],
)
def test_a_detached_statistic_leaves_its_part_in_the_gradient(
    key: str, keeps_mean: bool, keeps_parallel: bool
) -> None:
    b = found()
    assert bool((b.mean(key)[[0, 2]].abs() > 0.5).all()) == keeps_mean
    assert bool((b.parallel(key)[:, [0, 2]].abs() > 0.5).all()) == keeps_parallel
    if not keeps_mean:
        assert b.mean(key).abs().max() < 1e-9
    if not keeps_parallel:
        assert b.parallel(key).abs().max() < 1e-3


def test_detaching_changes_nothing_on_the_way_forward() -> None:
    b = found()
    outputs = [VARIANTS[key].forward(b.x, b.gain) for key in ("simple", "both", "mean", "variance")]
    for y in outputs[1:]:
        assert torch.equal(y, outputs[0])
    assert_close(outputs[0], F.layer_norm(b.x, (9,)))
