"""Magnitudes and gradients over many steps."""

import importlib
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms import BATCH
from lnviz.topics.recurrence import Flow, UntrainedNetwork, flow
from lnviz.topics.recurrence.flow import draw

CPU = torch.device("cpu")
FACTORS = torch.tensor([0.5, 0.9, 1.0, 1.1, 1.5])
NORMS = ["none", "layer", "rms", "batch"]


PYTORCH: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda a: a,
    "layer": lambda a: F.layer_norm(a, a.shape[-1:]),
    "rms": lambda a: F.rms_norm(a, a.shape[-1:], eps=1e-5),
    "batch": lambda a: F.batch_norm(a, None, None, training=True),
}


def stepped(
    norm: str, network: UntrainedNetwork, weight: Tensor, added: Tensor, h: Tensor
) -> Tensor:
    """One step through PyTorch's norms."""
    kept, normed = h @ weight.T, PYTORCH[norm]
    return torch.tanh(normed(kept) + normed(added) if network.separate else normed(kept + added))


def unrolled(norm: str, factor: float, network: UntrainedNetwork) -> tuple[Tensor, list[Tensor]]:
    """The same, followed by autograd from the first step to the last."""
    drawn = draw(network, CPU)
    h = drawn.first.clone().requires_grad_()
    states = [h]
    for added in drawn.added:
        h = stepped(norm, network, factor * drawn.weight, added, h)
        states.append(h)
    return torch.stack(states), list(torch.autograd.grad((h * drawn.last).sum(), states))


def rms(x: Tensor) -> float:
    return x.square().mean().sqrt().item()


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("norm", NORMS)
def test_magnitudes_are_those_of_a_cell_that_autograd_follows(norm: str, separate: bool) -> None:
    network = UntrainedNetwork(size=6, steps=8, cases=3, inputs=0.5, separate=separate, seed=3)
    found = flow(norm, torch.tensor([0.7, 1.3]), network)
    for i, factor in enumerate((0.7, 1.3)):
        states, gradients = unrolled(norm, factor, network)
        assert_close(found.state[i], torch.tensor([rms(h) for h in states]), rtol=1e-4, atol=0)
        last = rms(gradients[-1])
        expected = torch.tensor([rms(g) / last for g in gradients])
        assert_close(found.gradient[i], expected, rtol=1e-3, atol=0)


@pytest.mark.parametrize("norm", NORMS)
def test_singular_values_are_those_of_the_derivative_of_one_step(norm: str) -> None:
    network = UntrainedNetwork(size=5, steps=4, cases=3, inputs=0.5)
    drawn, factor = draw(network, CPU), 1.2
    found = flow(norm, torch.tensor([factor]), network, at=(1, 4)).singular
    states, _ = unrolled(norm, factor, network)
    for row, t in enumerate((1, 4)):
        h = states[t - 1].detach()
        step = partial(stepped, norm, network, factor * drawn.weight, drawn.added[t - 1])
        jacobian = torch.autograd.functional.jacobian(step, h)
        own = jacobian[0, :, 0]
        assert_close(found[0, row], torch.linalg.svdvals(own), rtol=1e-3, atol=1e-5)


def test_singular_values_that_are_only_rounding_are_zero() -> None:
    # LayerNorm takes out the mean, and with it one direction.
    found = flow(
        "layer", FACTORS, UntrainedNetwork(size=6, steps=3, inputs=0.5), at=(1, 3)
    ).singular
    assert (found[..., -1] == 0).all()
    assert (found[..., :-2] > 0).all()


def test_without_norm_and_nonlinearity_state_and_gradient_go_as_powers_of_the_factor() -> None:
    network = UntrainedNetwork(size=8, steps=50, nonlinearity="identity")
    found = flow("none", torch.tensor([0.9, 1.0, 1.1]), network)
    powers = torch.tensor([0.9, 1.0, 1.1])[:, None] ** torch.arange(51)
    assert_close(found.state / found.state[1], powers, rtol=1e-3, atol=0)
    assert_close(found.gradient / found.gradient[1], powers.flip(1), rtol=1e-3, atol=0)


def test_the_factor_is_the_spectral_radius() -> None:
    network = UntrainedNetwork(size=8, steps=1, nonlinearity="identity")
    drawn = draw(network, CPU)
    factors = torch.tensor([0.5, 2.0])
    found = flow("none", factors, network, at=(1,)).singular[:, 0]
    weights = factors[:, None, None] * drawn.weight
    assert_close(torch.linalg.eigvals(weights).abs().amax(-1), factors)
    assert_close(found, torch.linalg.svdvals(weights))


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_under_a_norm_and_without_input_the_factor_leaves_no_trace(norm: str) -> None:
    found = flow(norm, FACTORS, UntrainedNetwork(size=16, steps=100))
    for track in (found.state, found.gradient):
        assert_close(track, track[:1].expand_as(track), rtol=1e-2, atol=0)


@pytest.fixture(scope="module")
def long() -> Callable[[str], Flow]:
    network = UntrainedNetwork(size=32, steps=500, nonlinearity="identity")
    tracks = {norm: flow(norm, torch.tensor([0.7, 1.3]), network) for norm in ("none", "layer")}
    return tracks.__getitem__


@pytest.mark.slow
def test_500_steps_without_a_norm_underflow_or_overflow(long: Callable[[str], Flow]) -> None:
    below, above = long("none").gradient
    assert below[0] == 0
    assert not above[0].isfinite()
    below, above = long("none").state
    assert below[-1] == 0
    assert not above[-1].isfinite()


@pytest.mark.slow
def test_500_steps_with_layernorm_keep_a_finite_gradient(long: Callable[[str], Flow]) -> None:
    found = long("layer")
    assert found.gradient.isfinite().all()
    assert (found.gradient > 0).all()
    assert_close(found.state, torch.ones_like(found.state), rtol=1e-3, atol=0)


def test_a_gain_for_each_factor_sweeps_it() -> None:
    network = UntrainedNetwork(size=8, steps=10)
    gains = torch.tensor([0.1, 1.0])
    swept = flow("batch", torch.ones(2), network, gain=gains)
    for i, gain in enumerate(gains.tolist()):
        alone = flow("batch", torch.ones(1), network, gain=gain)
        assert_close(swept.state[i], alone.state[0])
        assert_close(swept.gradient[i], alone.gradient[0], rtol=1e-3, atol=0)


@pytest.mark.parametrize("norm", NORMS)
def test_factors_taken_in_parts_give_what_they_give_at_once(
    norm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = UntrainedNetwork(size=4, steps=5, cases=3, inputs=0.5)
    whole = flow(norm, FACTORS, network, at=(1, 5))
    module = importlib.import_module("lnviz.topics.recurrence.flow")
    monkeypatch.setattr(module, "KEPT", 2 * 4 * 5 * 3)  # two factors at a time
    parts = flow(norm, FACTORS, network, at=(1, 5))
    assert_close(parts.state, whole.state)
    assert_close(parts.gradient, whole.gradient, rtol=1e-4, atol=0)
    assert_close(parts.singular, whole.singular, rtol=1e-4, atol=1e-6)


def test_batchnorm_takes_its_statistics_over_the_cases_of_a_step() -> None:
    network = UntrainedNetwork(size=4, steps=1, cases=5, nonlinearity="identity", inputs=1.0)
    drawn = draw(network, CPU)
    summed = drawn.first @ drawn.weight.T + drawn.added[0]
    expected = BATCH.apply(summed, "ND").y
    assert_close(flow("batch", torch.ones(1), network).state[0, 1].item(), rms(expected))


def test_a_seed_draws_the_same_again_and_another_one_something_else() -> None:
    first, again, other = (
        flow("none", FACTORS, UntrainedNetwork(size=8, steps=5, seed=seed)).state
        for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 1}, "size must be 2 or more, got 1"),
        ({"steps": 0}, "steps must be 1 or more, got 0"),
        ({"cases": 1}, "cases must be 2 or more, got 1"),
        ({"inputs": -1.0}, r"inputs must be 0 or more, got -1\.0"),
        ({"nonlinearity": "sin"}, "one of identity, tanh, relu; got 'sin'"),
    ],
)
def test_networks_that_make_no_sense_are_refused(
    arguments: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        UntrainedNetwork(**arguments)


def test_unknown_norms_and_steps_are_refused() -> None:
    network = UntrainedNetwork(size=4, steps=5)
    with pytest.raises(ValueError, match="one of none, layer, rms, batch; got 'group'"):
        flow("group", FACTORS, network)
    with pytest.raises(ValueError, match="takes steps 1 to 5, got step 6"):
        flow("layer", FACTORS, network, at=(1, 6))
