"""The networks of the playground: each as by itself, from one start, on the same batches."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn
from torch.func import functional_call, vmap

from lnviz.results.arrays import ArrayDataset
from lnviz.seeding import isolated_rng
from lnviz.topics.playground.data import plane, points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import MOST_BATCH, PlaygroundSpecification
from lnviz.topics.playground.trained import (
    BRIGHT,
    FULL,
    NOTHING,
    OVERFLOWED,
    SIDE,
    learning,
    networks,
)
from lnviz.training import Runs, sample_batches

CPU = torch.device("cpu")
SMALL = PlaygroundSpecification(rates=(0.003, 0.03), places=(1, 3), seeds=(0, 5), frames=(0, 40))


@pytest.fixture(scope="module")
def kept() -> ArrayDataset:
    """What the small networks do, for all tests that only look."""
    return networks(SMALL, CPU)


@pytest.fixture(scope="module")
def learned() -> Runs:
    """The small networks at the end."""
    *_, (_, runs) = learning(SMALL, CPU)
    return runs


@pytest.fixture
def doubles() -> Iterator[None]:
    """Adam makes much of the last digits of a gradient near 0; here they are far away."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


class Added(nn.Sequential):
    """A residual block."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + super().forward(x)


class Alone(nn.Module):
    """One network, written with PyTorch's own layers."""

    def __init__(self, norm: str, layers: int, bias: bool, residual: bool) -> None:
        super().__init__()
        kinds = {
            "none": lambda: nn.Identity(),
            "batch": lambda: nn.BatchNorm1d(16),
            "layer": lambda: nn.LayerNorm(16),
            "rms": lambda: nn.RMSNorm(16, eps=1e-5),
        }
        has_bias = norm == "none" or (bias and norm != "batch")
        parts: list[nn.Module] = []
        if residual:
            parts.append(nn.Linear(2, 16, bias=False))
            parts += [Added(kinds[norm](), nn.Linear(16, 16), nn.ReLU()) for _ in range(layers)]
        else:
            for inputs in [2, *[16] * (layers - 1)]:
                parts += [nn.Linear(inputs, 16, bias=has_bias), kinds[norm](), nn.ReLU()]
        self.net = nn.Sequential(*parts, nn.Linear(16, 1))
        for linear in self.linears:
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)

    @property
    def linears(self) -> list[nn.Linear]:
        """The linear layers, from the input to the output."""
        return [part for part in self.modules() if isinstance(part, nn.Linear)]

    def begin(self, model: Networks, norm: str, place: int) -> None:
        """Take the weights with which the networks side by side start."""
        layers, at = self.linears, model.norms.index(norm)
        if model.residual:
            layers[0].weight.data = model.stem[at, place].detach().T.clone()
        for weight, linear in zip(model.weights, layers[model.residual : -1], strict=False):
            first = len(model.depths) - weight.shape[1]
            linear.weight.data = weight[at, place - first].detach().T.clone()
        layers[-1].weight.data = model.head[at, place].detach().T.clone()


@pytest.mark.slow
@pytest.mark.parametrize("axis", ["depth", "scale", "batch"])
@pytest.mark.parametrize(("bias", "residual"), [(True, False), (False, False), (True, True)])
def test_each_network_learns_as_pytorch_trains_it_alone(
    axis: str, bias: bool, residual: bool, doubles: None
) -> None:
    places = {"depth": (1, 3), "scale": (0.5, 2), "batch": (4, 8)}[axis]
    asked = replace(SMALL, axis=axis, bias=bias, residual=residual, places=places)
    build = partial(
        Networks, asked.norms, asked.depths, asked.scales, asked.batches, bias, residual
    )
    found = points(asked.data)
    x, targets = found.x.double(), found.classes.double()
    *_, (_, runs) = learning(asked, CPU)
    model = runs.model.eval()

    def said(parameters: Any, buffers: Any) -> Any:
        return functional_call(model, (parameters, buffers), (x,))[0]

    scores = vmap(said)(runs.parameters, runs.buffers)
    for norm, (place, rate, seed) in product(asked.norms, ((0, 0.03, 5), (1, 0.003, 0))):
        torch.manual_seed(seed)
        begun = build()
        alone = Alone(norm, asked.depths[place], bias, residual)
        alone.begin(begun, norm, place)
        adam = torch.optim.Adam(alone.parameters(), lr=rate)
        for draw in sample_batches((seed,), len(x), steps=40, batch_size=MOST_BATCH)[:, 0]:
            cases = draw[: asked.batches[place]]
            adam.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits
            loss(alone.net(x[cases])[:, 0], targets[cases]).backward()
            adam.step()
        run = [(r, s) for r in asked.rates for s in asked.seeds].index((rate, seed))
        ours = scores[run, asked.norms.index(norm), place]
        theirs = alone.eval().net(x)[:, 0]
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_networks_start_alike_whatever_their_norm_and_their_depth() -> None:
    _, runs = next(learning(SMALL, CPU))
    for name in ("weights.0", "weights.2", "head"):
        weights = runs.parameters[name]  # R,norms,A first
        assert torch.equal(weights, weights[:, :1, :1].expand_as(weights)), name


@pytest.mark.slow
def test_what_a_network_learns_does_not_depend_on_which_norms_are_beside_it(learned: Runs) -> None:
    *_, (_, alone) = learning(replace(SMALL, norms=("layer",)), CPU)
    at = SMALL.norms.index("layer")
    for name, value in alone.parameters.items():
        norms = value.shape.index(1, 1)  # the dimension that has one norm here
        assert torch.equal(value, learned.parameters[name].narrow(norms, at, 1)), name


@pytest.mark.slow
def test_the_same_seeds_give_the_same_numbers(kept: ArrayDataset) -> None:
    second = networks(SMALL, CPU)
    for name, array in kept.arrays.items():
        assert torch.equal(array.values.nan_to_num(-1), second.arrays[name].values.nan_to_num(-1))
    other = networks(replace(SMALL, seeds=(1, 2), frames=(0, 1)), CPU)
    at_first = {"norm": "layer", "rate": 0.03, "place": 3, "step": 0}
    maps = [found.tensor("map", "row", "column", **at_first) for found in (kept, other)]
    assert not torch.equal(*maps)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    x=arrays(np.float64, (5, 2), elements=st.floats(-2.4, 2.4)).filter(
        lambda x: bool((np.abs(x).max(1) > 0.3).all())
    ),
    factor=st.floats(0.5, 1000),
    norm=st.sampled_from(["layer", "rms"]),
    seed=st.integers(0, 1000),
)
def test_without_a_bias_before_it_layernorm_sees_only_the_direction_of_a_point(
    x: np.ndarray, factor: float, norm: str, seed: int
) -> None:
    points = torch.from_numpy(x)

    def apart(bias: bool) -> float:
        with isolated_rng():
            torch.manual_seed(seed)
            model = Networks((norm,), (3,), (1.0,), (32,), bias, False).double().eval()
            for value in model.parameters():
                value.data += 0.3 * torch.randn_like(value)  # as if it had learned
        near, far = (model(at)[0] for at in (points, factor * points))
        return float((near - far).abs().max().detach())

    # What is left is epsilon, beside the variance of a few units.
    assert apart(bias=False) < 0.02
    if not 0.8 < factor < 1.25:
        assert apart(bias=True) > apart(bias=False)


def test_a_networks_picture_is_what_it_says_of_the_middles_of_the_pixels(
    kept: ArrayDataset, learned: Runs
) -> None:
    model = learned.model.eval()
    x = plane(SIDE)
    assert x[0].tolist() == pytest.approx([-2.3, 2.3])  # the left end of the upper row
    parameters = {name: value[2] for name, value in learned.parameters.items()}  # rate 0.03, seed 0
    buffers = {name: value[2] for name, value in learned.buffers.items()}
    said = functional_call(model, (parameters, buffers), (x,))[0][2, 1]
    picture = kept.tensor("map", "row", "column", norm="layer", rate=0.03, place=3, step=40)
    assert (picture - FULL * (said / 2).tanh().view(SIDE, SIDE)).abs().max() <= 0.5


def test_numbers_that_have_overflowed_are_said_to_be_none() -> None:
    wild = replace(SMALL, axis="scale", places=(1e9,), norms=("none",), rates=(1.0,), frames=(0, 1))
    found = networks(wild, CPU)
    assert found.tensor("accuracy", norm="none", rate=1.0, place=1e9, seed=0, step=0).isnan()
    assert (
        found.tensor("map", "row", norm="none", rate=1.0, place=1e9, step=0, column=0) == OVERFLOWED
    ).all()


def test_a_layer_that_a_network_lacks_has_no_units(kept: ArrayDataset) -> None:
    lacking = kept.tensor("dead", "norm", "rate", "step", place=1, layer=2)
    assert lacking.isnan().all()
    shown = kept.arrays["units"]
    assert shown.values.max() == BRIGHT
    layers = shown.values.movedim(shown.dims.index("place"), 0)[0].movedim(3, 0)
    assert (layers[1:] == NOTHING).all()
    assert (layers[0] >= 0).all()


@pytest.mark.slow
def test_a_coarse_part_says_what_the_whole_says() -> None:
    whole = replace(SMALL, rates=(0.001, 0.003, 0.01), places=(1, 2, 3), frames=(0, 5, 15))
    coarse, all_of_it = networks(whole.coarse, CPU), networks(whole, CPU)
    assert coarse.axes["place"] == (2, 3)
    for step in coarse.axes["step"]:
        at = {"rate": 0.003, "place": 2, "step": step}
        ours, theirs = (
            each.tensor("map", "norm", "row", "column", **at) for each in (coarse, all_of_it)
        )
        assert (ours - theirs).abs().max() <= 1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"axis": "width"}, "An axis is one of depth, scale, batch"),
        ({"norms": ("none", "group")}, "A norm is one of none, batch, layer, rms"),
        ({"rates": (0.1, 0.01)}, "There must be rates, ascending"),
        ({"frames": (5, 10)}, "Frames begin at 0"),
        ({"axis": "batch", "places": (1, 4)}, "one case has no variance"),
        ({"axis": "batch", "places": (3, 8)}, "The largest batch is a multiple of all others"),
        ({"seeds": tuple(range(9))}, "Up to 1024 networks train together, got 1728"),
        ({"data": "square"}, "A figure is one of moons"),
    ],
)
def test_what_cannot_be_trained_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        PlaygroundSpecification(**wrong)
