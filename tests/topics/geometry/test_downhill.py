import re
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.norms import BATCH, LAYER, NONE, Norm
from lnviz.topics.geometry.downhill import Mlp, Recipe, downhill

NORMS = (NONE, BATCH, LAYER)
SMALL = Recipe(depth=2, width=8, batch=64, steps=5)
EACH_NORM = pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.key)


def test_shapes_and_positions_are_those_asked_for() -> None:
    found = downhill(LAYER, SMALL, [0.0, 0.5, 1.0, 2.0])
    assert found.lengths == (0.0, 0.5, 1.0, 2.0)
    assert found.loss.shape == (5, 4)
    assert found.roughness.shape == (5,)


@EACH_NORM
def test_it_is_what_a_plain_loop_sees(norm: Norm) -> None:
    lengths = [0.0, 0.5, 3.0]
    found = downhill(norm, SMALL, lengths)
    images, labels = digit_images().images, digit_images().targets
    torch.manual_seed(SMALL.seed)
    model = Mlp(SMALL, norm, 64).double()
    parameters = list(model.parameters())
    generator = torch.Generator().manual_seed(SMALL.seed)
    batches = torch.randint(len(images), (SMALL.steps, SMALL.batch), generator=generator)
    for step, rows in enumerate(batches):

        def slopes(rows: torch.Tensor = rows) -> tuple[float, list[torch.Tensor]]:
            model.zero_grad()
            loss = F.cross_entropy(model(images[rows].double()), labels[rows])
            loss.backward()
            return loss.item(), [p.grad.clone() for p in parameters]

        start = [p.detach().clone() for p in parameters]
        _, here = slopes()
        rough = [0.0]
        for at, length in enumerate(lengths):
            with torch.no_grad():
                for p, s, g in zip(parameters, start, here, strict=True):
                    p.copy_(s - length * SMALL.rate * g)
            loss, there = slopes()
            assert found.loss[step, at].item() == pytest.approx(loss, rel=1e-4)
            change = torch.cat([(a - b).flatten() for a, b in zip(there, here, strict=True)])
            walked = length * SMALL.rate * torch.cat([g.flatten() for g in here]).norm()
            if length:
                rough.append(float(change.norm() / walked))
        assert found.roughness[step].item() == pytest.approx(max(rough), rel=1e-3)
        with torch.no_grad():
            for p, s, g in zip(parameters, start, here, strict=True):
                p.copy_(s - SMALL.rate * g)


@EACH_NORM
def test_lengths_do_not_see_each_other(norm: Norm) -> None:
    together, alone = downhill(norm, SMALL, [0.0, 1.0, 3.0]), downhill(norm, SMALL, [3.0])
    assert_close(together.loss[:, 2:], alone.loss)


def test_the_seed_decides_what_is_drawn() -> None:
    first, again, other = (
        downhill(LAYER, Recipe(depth=2, width=8, batch=64, steps=2, seed=seed))
        for seed in (0, 0, 1)
    )
    assert torch.equal(first.loss, again.loss)
    assert not torch.allclose(other.loss, first.loss)


@pytest.mark.parametrize(
    ("norm", "formula"),
    [
        (BATCH, lambda a, g, b: F.batch_norm(a, None, None, g, b, training=True)),
        (LAYER, lambda a, g, b: F.layer_norm(a, a.shape[-1:], g, b)),
        (NONE, lambda a, g, b: a + b),
    ],
    ids=["batch", "layer", "none"],
)
def test_the_network_is_the_one_pytorch_would_compute(
    norm: Norm, formula: Callable[..., torch.Tensor]
) -> None:
    x = digit_images().images[:20]
    model = Mlp(SMALL, norm, 64)
    first, second, last = model.weights
    gains = model.gains or [None, None]
    h = torch.relu(formula(x @ first.T, gains[0], model.biases[0]))
    h = torch.relu(formula(h @ second.T, gains[1], model.biases[1]))
    assert_close(model(x), h @ last.T + model.biases[2])


def test_every_norm_starts_from_the_same_weights() -> None:
    drawn = []
    for norm in NORMS:
        torch.manual_seed(0)
        drawn.append(Mlp(SMALL, norm, 64).weights)
    for other in drawn[1:]:
        for a, b in zip(drawn[0], other, strict=True):
            assert torch.equal(a, b)


def test_batchnorm_does_not_see_whether_pixels_are_centered() -> None:
    raw, centered = (
        downhill(BATCH, Recipe(centered=centered, batch=256, steps=2), [0.0, 2.0])
        for centered in (False, True)
    )
    assert_close(raw.loss, centered.loss, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: downhill(LAYER, SMALL, [0.0]),
            "lengths must be finite, 0 or more, and one above 0; got (0.0,).",
        ),
        (lambda: downhill(LAYER, SMALL, [-1.0, 1.0]), "got (-1.0, 1.0)."),
        (lambda: Recipe(depth=0), "depth must be 1 or more, got 0."),
        (lambda: Recipe(rate=0.0), "rate must be a finite number above 0, got 0.0."),
    ],
)
def test_a_training_says_what_it_cannot_do(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
