"""The deep networks trained on digits."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.results.arrays import ArrayDataset
from lnviz.topics.depth import learning
from lnviz.topics.depth.learning import DepthSpecification
from lnviz.training import sample_batches

SMALL = DepthSpecification(
    layers=3, scales=(0.5, 2.0), rates=(0.001, 0.01), seeds=(1, 4), batch=8, steps=6, every=2
)


@pytest.fixture(scope="module")
def found() -> ArrayDataset:
    return learning.compare(SMALL, torch.device("cpu"), lambda label, step: None)


@pytest.mark.parametrize(("norm", "at"), [("none", 1), ("layer", 0)])
def test_a_run_among_many_goes_as_a_plain_loop_takes_it_alone(
    found: ArrayDataset, norm: str, at: int
) -> None:
    run = {"scale": SMALL.scales[at], "rate": SMALL.rates[at], "seed": SMALL.seeds[1]}
    torch.manual_seed(SMALL.seeds[1])
    model = learning.network(norm, SMALL.layers, SMALL.scales[at])
    optimizer = torch.optim.Adam(model.parameters(), lr=SMALL.rates[at])
    images, targets = digit_images().images, digit_images().targets
    kept = torch.arange(len(images)) % 5 == 0
    losses = []
    for (draw,) in sample_batches(
        SMALL.seeds[1:], int((~kept).sum()), steps=SMALL.steps, batch_size=SMALL.batch
    ):
        loss = torch.nn.functional.cross_entropy(model(images[~kept][draw]), targets[~kept][draw])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    means = torch.stack(losses).unflatten(0, (-1, SMALL.every)).mean(-1)
    assert_close(found.tensor("loss", "step", norm=norm, **run), means, rtol=2e-3, atol=1e-4)
    right = (model(images[kept]).argmax(-1) == targets[kept]).float().mean()
    assert_close(found.tensor("accuracy", norm=norm, **run), right, rtol=0, atol=0.01)


def test_networks_with_and_without_the_norm_begin_with_the_same_weights() -> None:
    weights = []
    for norm, scale in (("none", 1.0), ("layer", 2.0)):
        torch.manual_seed(0)
        weights.append(list(learning.network(norm, 3, scale).parameters()))
    for one, other in zip(weights[0][:3], weights[1][:3], strict=True):
        assert_close(2 * one, other)
    assert_close(weights[0][3:], weights[1][3:])


def test_under_layer_norm_a_factor_of_weights_and_rate_leaves_the_training_as_it_is() -> None:
    images, targets = digit_images().images[:64].double(), digit_images().targets[:64]
    losses = {}
    for factor in (1.0, 4.0):
        torch.manual_seed(0)
        model = learning.network("layer", 3, 1.0).double()
        hidden, named = [], []
        for part in model:
            if isinstance(part, torch.nn.LayerNorm):
                part.eps = 0.0  # it counts beside small weights
            elif isinstance(part, torch.nn.Linear) and part.bias is None:
                hidden.append(part.weight)
            else:
                named += part.parameters()
        with torch.no_grad():
            for weight in hidden:
                weight *= factor
        rates = [{"params": hidden, "lr": 0.01 * factor}, {"params": named, "lr": 0.01}]
        optimizer = torch.optim.Adam(rates, eps=1e-30)  # a gradient of 0 moves nothing
        losses[factor] = []
        for _ in range(20):
            loss = torch.nn.functional.cross_entropy(model(images), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[factor].append(loss.item())
    assert losses[4.0] == pytest.approx(losses[1.0], rel=1e-6)
    assert losses[1.0][-1] < losses[1.0][0] / 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_training_moves_digits_apart_that_layer_norm_had_nearly_merged(seed: int) -> None:
    digits, s = digit_images(), DepthSpecification()
    test, images, targets = digits.test_mask, digits.images, digits.targets
    torch.manual_seed(seed)
    model = learning.network("layer", s.layers, 1.0)

    def cosines() -> tuple[Tensor, Tensor]:
        """The mean cosine of images of different digits, and of the same one."""
        names = targets[test]
        unit = F.normalize(model[:-1](images[test]).detach(), dim=-1)
        same = (names[:, None] == names) & ~torch.eye(len(names), dtype=torch.bool)
        return (unit @ unit.T)[names[:, None] != names].mean(), (unit @ unit.T)[same].mean()

    before = cosines()[0]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for draw in sample_batches((seed,), int((~test).sum()), steps=s.steps, batch_size=s.batch):
        loss = F.cross_entropy(model(images[~test][draw[0]]), targets[~test][draw[0]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    different, same = cosines()
    assert before > 0.9
    assert float(different) == pytest.approx(0.2, abs=0.06)
    assert same > 0.8


def test_a_comparison_needs_batches_that_its_losses_divide() -> None:
    with pytest.raises(ValueError, match=r"over every 7 batches, to the end; got 6 steps\. Use a"):
        replace(SMALL, every=7)
    with pytest.raises(ValueError, match=r"^layers must be 1 or more, got 0\.$"):
        replace(SMALL, layers=0)
