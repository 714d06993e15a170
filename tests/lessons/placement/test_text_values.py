"""What the lesson's text says besides its figures."""

import itertools

import pytest
import torch

from lnviz.lessons.placement.block_diagrams import STEPS
from lnviz.lessons.placement.blocks import LAYERS as LAYERS_DRAWN
from lnviz.lessons.placement.blocks import SHOWN
from lnviz.lessons.placement.depth import LAYERS
from lnviz.norms import LAYER
from lnviz.topics.transformer.block import Attention, NormLayer, Shape, Transformer
from lnviz.topics.transformer.flow import language_model
from lnviz.topics.transformer.initialization import initialize, sublayers
from lnviz.topics.transformer.placements import PRE
from lnviz.topics.transformer.setups import SETUPS
from lnviz.topics.transformer.warmup import WARMUP
from tests.lessons.running import built


def lengths(placement: str, step: str, *query: tuple[str, str]) -> list[float]:
    """How long what goes along an arrow is, block by block."""
    figure = built("placement", "blocks", *query)
    states = (figure.state_at(block=block) | {"step": STEPS.index(step)} for block in range(1, 13))
    return [10 ** float(figure.lookup(f"{placement} length", state)) for state in states]


@pytest.mark.slow
@pytest.mark.parametrize("query", [(), (("kind", "rms"),)], ids=["layer", "rms"])
def test_in_four_of_the_placements_that_are_drawn_the_stream_grows(
    query: tuple[tuple[str, str], ...],
) -> None:
    assert STEPS[-2] == "out of the block"
    out = {placement.key: lengths(placement.key, STEPS[-2], *query) for placement in SHOWN}
    growing = {
        key for key, each in out.items() if all(b > 1.01 * a for a, b in itertools.pairwise(each))
    }
    assert growing == {"pre", "sandwich", "peri", "olmo2"}
    for key in out.keys() - growing:
        assert out[key] == pytest.approx([8.0] * LAYERS_DRAWN, rel=1e-3)


def test_after_a_norm_all_additions_are_equally_long_and_deepnorms_are_small() -> None:
    for step in ("attention adds", "feed-forward adds"):
        for placement in ("sandwich", "peri", "olmo2"):
            assert lengths(placement, step) == pytest.approx([8.0] * 12, rel=1e-3)
        assert max(lengths("deepnorm", step)) < 0.1 * min(lengths("deepnorm", "into the block"))


@pytest.mark.slow
def test_the_gains_of_the_model_that_is_drawn_are_1() -> None:
    norms = [m for m in language_model(PRE)[0].modules() if isinstance(m, NormLayer)]
    assert norms
    assert all((norm.weight == 1).all() for norm in norms)


def test_with_larger_matrices_what_attention_puts_out_is_longer() -> None:
    attention = Attention(Shape(8, layers=1, heads=2, inner=8), LAYER)
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    before = attention(x).y
    with torch.no_grad():
        for parameter in (attention.value, attention.out):
            parameter.weight *= 2
            parameter.bias *= 2
    assert attention(x).y.norm() > before.norm()


def test_pytorch_starts_feed_forward_layers_with_smaller_weights_than_the_theory() -> None:
    spread = {}
    for kind in ("theory", "default"):
        model = Transformer(Shape(64, layers=1, heads=4, inner=SETUPS[kind].inner * 64), PRE)
        initialize(model, SETUPS[kind].initialization)
        ((_, feed_forward),) = sublayers(model)
        spread[kind] = [m.weight.std().item() for m in (feed_forward.first, feed_forward.second)]
    for ours, xavier in zip(spread["default"], spread["theory"], strict=True):
        assert ours < 0.8 * xavier


@pytest.mark.parametrize("setup", SETUPS)
def test_at_the_end_pre_lns_gradient_falls_a_little_faster_than_the_root(setup: str) -> None:
    query = () if setup == "theory" else (("setup", setup),)
    means = built("placement", "depth", *query).tensors["pre mean"].values
    half = LAYERS.index(LAYERS.values[-1] / 2)
    power = float((means[-1] / means[half]).log2())
    assert -0.75 < power < -0.5


def test_a_sum_of_reciprocals_grows_by_less_each_time_and_passes_every_half() -> None:
    totals = list(itertools.accumulate(1 / n for n in range(1, 2**12 + 1)))
    steps = [b - a for a, b in itertools.pairwise(totals)]
    assert steps == sorted(steps, reverse=True)
    assert all(totals[2**k - 1] >= 1 + k / 2 for k in range(13))


def test_a_third_of_the_batches_warms_up() -> None:
    s = WARMUP.result.specification
    assert s.steps == 3 * s.warm_up


def test_a_common_factor_of_all_gradients_hardly_changes_adams_step() -> None:
    steps = []
    for factor in (1.0, 1000.0):
        weight = torch.zeros(8, requires_grad=True)
        optimizer = torch.optim.Adam([weight], 0.01)
        for seed in range(5):
            noise = torch.randn(8, generator=torch.Generator().manual_seed(seed))
            weight.grad = factor * noise
            optimizer.step()
        steps.append(weight.detach())
    torch.testing.assert_close(steps[0], steps[1], rtol=1e-4, atol=1e-6)
