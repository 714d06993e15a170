"""Gradients and sizes before training, beside one network at a time and beside the paper."""

import re
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms import LAYER
from lnviz.topics.transformer import PLACEMENTS, Transformer
from lnviz.topics.transformer.initialization import initialize, sublayers
from lnviz.topics.transformer.setups import SETUPS, InitializationExperiment, Inputs, inputs
from lnviz.topics.transformer.theory import (
    PLACES,
    Gradients,
    by_layer,
    last_layer,
    pre_ln_bounds,
    roads,
    sizes,
)

PAPER = InitializationExperiment(width=64)
SMALL = InitializationExperiment(width=16, cases=4, classes=7, seeds=(3, 5))


def drawn(key: str, layers: int, experiment: InitializationExperiment, at: int) -> Transformer:
    """A network by itself; its weights are drawn for it alone."""
    torch.manual_seed(experiment.seeds[at])
    model = Transformer(experiment.shape(layers), PLACEMENTS[key], LAYER)
    torch.manual_seed(experiment.seeds[at])
    initialize(model, SETUPS[experiment.setup].initialization)
    return model


def cross_entropy(y: Tensor, given: Inputs, at: int) -> Tensor:
    """The loss of one network."""
    scores = y @ given.readout[at].T
    return F.cross_entropy(scores.flatten(0, 1), given.targets[at].flatten())


def one_network(
    key: str, layers: int, experiment: InitializationExperiment, at: int
) -> Transformer:
    """A network by itself, its loss's gradients taken."""
    model, given = drawn(key, layers, experiment, at), inputs(experiment)
    cross_entropy(model(given.x[at]).y, given, at).backward()
    return model


@pytest.mark.parametrize("key", PLACEMENTS)
def test_every_seed_and_depth_goes_as_a_network_by_itself(key: str) -> None:
    depths = (1, 3)
    found = last_layer([key], depths, SMALL)[key]
    for row, depth in enumerate(depths):
        for at in range(2):
            *_, (_, last) = sublayers(one_network(key, depth, SMALL, at))
            gradient = last.second.weight.grad
            assert gradient is not None
            assert found.values[row, at].item() == pytest.approx(gradient.norm().item(), rel=1e-4)


@pytest.mark.parametrize("setup", ["default", "text"])
def test_gradients_by_layer_are_those_of_a_network_by_itself(setup: str) -> None:
    experiment = InitializationExperiment(setup=setup, width=16, cases=4, seeds=(3, 5), sequences=3)
    found = by_layer(["deepnorm"], 3, experiment, matrix="value")["deepnorm"]
    model = one_network("deepnorm", 3, experiment, 1)
    norms = [attention.value.weight.grad for attention, _ in sublayers(model)]
    assert_close(found.values[:, 1], torch.stack([g.norm() for g in norms if g is not None]))


@pytest.mark.parametrize(("key", "setup"), [("post", "theory"), ("pre", "text"), ("keel", "text")])
def test_what_goes_along_a_road_is_what_a_network_by_itself_has_there(key: str, setup: str) -> None:
    experiment = InitializationExperiment(setup=setup, width=16, cases=4, seeds=(3, 5))
    found = roads([key], 3, experiment)[key]
    given = inputs(experiment)
    model = drawn(key, 3, experiment, 1)
    steps = model(given.x[1].clone().requires_grad_())
    loss = cross_entropy(steps.y, given, 1)
    for layer, block in enumerate(steps.blocks):
        way = [block.attention.x]
        for part in (block.attention, block.feed_forward):
            way += [part.x, part.normed, part.branch, part.total, part.y]
        sizes_here = [each.square().mean().sqrt() for each in way]
        assert_close(found.size[layer, :, 1], torch.stack(sizes_here))
        back = list(torch.autograd.grad(loss, way, retain_graph=True))
        for at, part in ((1, block.attention), (6, block.feed_forward)):
            # What comes back from the side alone, without what comes back along the stream.
            back[at] = back[at] - torch.autograd.grad(loss, part.total, retain_graph=True)[0] * (
                PLACEMENTS[key].alpha(3)
            )
        gradients = torch.stack([each.norm() for each in back])
        assert_close(found.gradient[layer, :, 1], gradients, rtol=1e-3, atol=1e-6)
    assert len(way) == len(PLACES)


@pytest.mark.slow
def test_the_last_gradient_is_flat_in_post_ln_and_falls_with_the_root_in_pre_ln() -> None:
    found = last_layer(["post", "pre"], [4, 8, 16, 32], PAPER)
    assert found["post"].slope == pytest.approx(0.0, abs=0.1)
    assert found["pre"].slope == pytest.approx(-0.5, abs=0.1)


@pytest.mark.slow
def test_the_residual_stream_grows_as_lemma_2_says() -> None:
    layers = 24
    found = sizes(["post", "pre"], layers, PAPER)
    low, high = pre_ln_bounds(layers)
    mean = found["pre"].stream.mean(-1)
    assert (mean > low - 0.05).all()
    assert (mean < high + 0.05).all()
    assert found["post"].total.mean().item() == pytest.approx(1.5, rel=0.05)


def test_layer_norm_scaling_keeps_the_residual_stream_smaller() -> None:
    found = sizes(["pre", "scaled"], 12, SMALL)
    assert (found["scaled"].stream[2:] < found["pre"].stream[2:]).all()


def test_a_line_through_logarithms_has_the_power_as_its_slope() -> None:
    depths = (2, 5, 11)
    values = 3 * torch.tensor(depths)[:, None] ** torch.tensor([-0.5, -0.5])
    assert Gradients(depths, values).slope == pytest.approx(-0.5)
    with pytest.raises(ValueError, match=r"^A line needs 2 depths or more, got \(2,\)\.$"):
        Gradients((2,), values[:1]).slope  # noqa: B018


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"heads": 3, "width": 128},
            "share the width evenly, got 3 heads for width 128. Use 1, 2, 4, 8, 16",
        ),
        ({"setup": "practice"}, "A setup is one of theory, default, text; got 'practice'."),
        ({"classes": 1}, "classes must be 2 or more, got 1."),
        ({"seeds": ()}, "seeds must be 1 or more, got none."),
        ({"width": 65536}, "would need 55,323 GiB of memory; up to 4 are allowed. Ask for f"),
    ],
)
def test_an_experiment_that_cannot_be_measured_is_refused(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        last_layer(["post", "pre"], [6, 12, 24], InitializationExperiment(**given))


@pytest.mark.parametrize(
    ("placement", "layers", "message"),
    [
        ("pre", [0, 6], "A Transformer needs 1 layer or more, got [0, 6]."),
        ("middle", [6], "A placement is one of post, pre, "),
    ],
)
def test_what_is_no_depth_or_placement_is_refused(
    placement: str, layers: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        last_layer([placement], layers, SMALL)


def test_a_matrix_that_a_block_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"is one of query, key, .* got 'third'\.$"):
        by_layer(["pre"], 2, SMALL, matrix="third")
    with pytest.raises(ValueError, match=r"^A norm is one of none, batch, .*; got 'middle'\.$"):
        InitializationExperiment(norm="middle")
