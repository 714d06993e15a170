import re
from collections.abc import Callable
from functools import lru_cache

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.geometry.landscape import LOST, NORMS, Landscape, Mlp, Network, landscape

SMALL = Network(depth=2, width=8, batch=64)
EACH_NORM = pytest.mark.parametrize("norm", NORMS)


@lru_cache
def seen(centered: bool = False) -> Landscape:
    """The landscape as it comes, at every fourth of the steps."""
    return landscape(steps=range(0, 100, 20), network=Network(centered=centered))


def test_shapes_and_positions_are_those_asked_for() -> None:
    found = landscape(["layer", "none"], [0, 2, 5], [0.0, 0.5, 1.0, 2.0], SMALL)
    assert (found.norms, found.steps) == (("layer", "none"), (0, 2, 5))
    assert (found.lengths, found.rate) == ((0.0, 0.5, 1.0, 2.0), 0.1)
    assert found.loss.shape == found.change.shape == (2, 3, 4)
    assert found.gradient.shape == found.smoothness.shape == (2, 3)
    assert found.trained.shape == (2, 6)


@EACH_NORM
def test_the_curve_starts_at_the_loss_of_the_training(norm: str) -> None:
    found = landscape([norm], [0, 3, 4], [0.0, 1.0], SMALL)
    assert_close(found.loss[0, :, 0], found.trained[0, [0, 3, 4]])
    assert found.change[0, :, 0].max() < 1e-5
    assert found.change[0, :, 1].min() > 1e-3


@EACH_NORM
def test_at_length_one_the_curve_is_where_the_training_goes_next(norm: str) -> None:
    everything = Network(depth=2, width=8, batch=1797)
    found = landscape([norm], [0, 1, 2], [1.0], everything)
    assert_close(found.loss[0, :2, 0], found.trained[0, 1:], rtol=1e-4, atol=1e-5)


@EACH_NORM
def test_the_curve_leaves_its_start_down_the_gradient(norm: str) -> None:
    found = landscape([norm], [0], [0.0, 0.01], SMALL)
    slope = (found.loss[0, 0, 1] - found.loss[0, 0, 0]) / 0.01
    assert_close(slope, -0.1 * found.gradient[0, 0].square(), rtol=5e-2, atol=0.0)


@EACH_NORM
def test_lengths_do_not_see_each_other(norm: str) -> None:
    together = landscape([norm], [2], [0.0, 1.0, 3.0], SMALL)
    alone = landscape([norm], [2], [3.0], SMALL)
    assert_close(together.loss[..., 2:], alone.loss)
    assert_close(together.change[..., 2:], alone.change)


@EACH_NORM
def test_the_same_seed_gives_the_same_numbers(norm: str) -> None:
    first, again = (landscape([norm], [0, 4], [1.0], SMALL) for _ in range(2))
    assert torch.equal(first.loss, again.loss)
    assert torch.equal(first.change, again.change)
    other = landscape([norm], [0, 4], [1.0], Network(depth=2, width=8, batch=64, seed=1))
    assert not torch.allclose(other.loss, first.loss)


@pytest.mark.parametrize(
    ("norm", "formula"),
    [
        ("batch", lambda a, g, b: F.batch_norm(a, None, None, g, b, training=True)),
        ("layer", lambda a, g, b: F.layer_norm(a, a.shape[-1:], g, b)),
        ("none", lambda a, g, b: a + b),
    ],
)
def test_the_network_is_the_one_pytorch_would_compute(
    norm: str, formula: Callable[..., torch.Tensor]
) -> None:
    x = digit_images().images[:20]
    model = Mlp(SMALL, norm, 64)
    first, second, last = model.weights
    gains = model.gains or [None, None]
    h = torch.relu(formula(x @ first.T, gains[0], model.biases[0]))
    h = torch.relu(formula(h @ second.T, gains[1], model.biases[1]))
    assert_close(model(x), h @ last.T + model.biases[2])


def test_every_norm_starts_from_the_same_weights() -> None:
    first, *others = (Mlp(SMALL, norm, 64) for norm in NORMS)
    for other in others:
        for a, b in zip(first.weights, other.weights, strict=True):
            assert torch.equal(a, b)


def test_ranges_and_smoothness_are_read_off_the_curves() -> None:
    found = Landscape(
        norms=("none",),
        steps=(0,),
        lengths=(0.0, 1.0, 2.0),
        rate=0.5,
        loss=torch.tensor([[[3.0, 1.0, 2.0]]]),
        change=torch.tensor([[[0.0, 6.0, 8.0]]]),
        gradient=torch.tensor([[4.0]]),
        trained=torch.tensor([[3.0]]),
    )
    assert (found.variation.lowest.item(), found.variation.highest.item()) == (1.0, 3.0)
    assert found.variation.width.item() == 2.0
    assert found.predictiveness.lowest.item() == 6.0
    assert found.predictiveness.highest.item() == 8.0
    assert found.smoothness.item() == 6.0 / (0.5 * 4.0)


def test_without_a_gradient_there_is_no_roughness() -> None:
    none = torch.zeros(1, 1)
    still = Landscape(("none",), (0,), (1.0,), 0.1, none[None], none[None], none, none)
    assert still.smoothness.item() == 0.0


def test_a_training_that_diverges_stays_finite() -> None:
    found = landscape(["none"], [0, 5, 20], [0.0, 1e12], Network(depth=3, width=8, rate=1e4))
    for values in (found.loss, found.change, found.gradient, found.smoothness, found.trained):
        assert bool(values.isfinite().all())
    assert found.loss.max() == LOST


def test_batchnorm_narrows_the_range_of_the_loss_and_layernorm_hardly() -> None:
    none, batch, layer = seen().variation.width.median(-1).values.tolist()
    assert batch < none / 8
    assert layer > none / 4


def test_batchnorm_makes_gradients_predictive_and_layernorm_hardly() -> None:
    none, batch, layer = seen().predictiveness.highest.median(-1).values.tolist()
    assert batch < none / 8
    assert layer > none / 4


def test_on_centered_pixels_little_is_left_for_batchnorm_to_narrow() -> None:
    none, batch, layer = seen(centered=True).variation.width.median(-1).values.tolist()
    assert none / 3 < batch < 3 * none
    assert none / 3 < layer < 3 * none


def test_batchnorm_does_not_see_whether_pixels_are_centered() -> None:
    at = {"norms": ["batch"], "steps": [0, 1], "lengths": [0.0, 2.0]}
    raw = landscape(**at, network=Network(batch=256))
    centered = landscape(**at, network=Network(batch=256, centered=True))
    assert_close(raw.loss, centered.loss, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("norm", NORMS)
def test_every_network_learns(norm: str) -> None:
    trained = seen().trained[list(NORMS).index(norm)]
    assert trained[-20:].mean() < trained[0] / 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: landscape(["rms"]),
            "norms must be out of none, batch, layer, at least one; got ['rms'].",
        ),
        (lambda: landscape([]), "at least one; got []."),
        (
            lambda: landscape(steps=[3, 3]),
            "steps must rise from 0 or more, at least one; got (3, 3). "
            "For example range(0, 100, 10).",
        ),
        (lambda: landscape(steps=[]), "at least one; got ()."),
        (lambda: landscape(steps=[-1]), "got (-1,)."),
        (
            lambda: landscape(lengths=[0.0]),
            "lengths must be finite, 0 or more, and one above 0; got (0.0,).",
        ),
        (lambda: landscape(lengths=[-1.0, 1.0]), "got (-1.0, 1.0)."),
        (
            lambda: landscape(network=Network(batch=1798)),
            "A mini-batch holds no more than the 1797 cases there are, got batch=1798.",
        ),
        (lambda: Network(depth=0), "depth must be 1 or more, got 0."),
        (lambda: Network(rate=0.0), "rate must be a finite number above 0, got 0.0."),
    ],
)
def test_a_landscape_says_what_it_cannot_do(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
