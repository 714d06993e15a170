import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.placement.layers import EVEN
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.setups import SETUPS
from tests.lessons.running import printed

DEPTHS = PROFILES.result.specification.depths


def medians(setup: str, key: str, depth: int) -> Tensor:
    at = {"setup": setup, "placement": key, "depth": depth}
    return PROFILES.result.tensor("gradient", "layer", quartile=0.5, **at)[:depth]


@pytest.mark.parametrize("depth", [2, 12, 48])
def test_a_curve_goes_through_every_layer_and_ends_at_the_output(
    figure: Explorable, depth: int
) -> None:
    state = figure.state_at(depth=depth, networks="text")
    share, curve = (figure.lookup(name, state) for name in ("share", "keel curve"))
    assert_close(share[:depth], torch.arange(1, depth + 1) / depth, rtol=0, atol=1e-4)
    assert_close(curve[:depth], medians("text", "keel", depth).log10(), rtol=0, atol=1e-3)
    assert (share[depth:] == 1).all()
    assert (curve[depth:] == curve[depth - 1]).all()


def test_the_ends_that_are_said_are_those_of_the_layers(figure: Explorable) -> None:
    state = figure.state_at(placement="deepnorm", depth=8, networks="default")
    deepnorm, pre = (medians("default", key, 8) for key in ("deepnorm", "pre"))
    for name, expected in {
        "first": deepnorm[0],
        "last": deepnorm[-1],
        "pre first": pre[0],
        "times last": deepnorm[-1] / pre[-1],
    }.items():
        assert_close(figure.lookup(name, state), expected)


@pytest.mark.parametrize("setup", SETUPS)
def test_beside_pre_ln_the_gradient_of_post_ln_is_large_at_the_output(setup: str) -> None:
    for depth in DEPTHS:
        ratio = medians(setup, "post", depth) / medians(setup, "pre", depth)
        assert ratio[-1] > ratio[0]
        assert ratio.argmin() <= depth // 4
        assert medians(setup, "pre", depth)[-1] < medians(setup, "pre", depth)[0]


def test_alone_post_lns_gradient_goes_as_the_text_says() -> None:
    growth = {
        setup: torch.stack([medians(setup, "post", depth)[[0, -1]] for depth in DEPTHS])
        for setup in SETUPS
    }
    ratios = {setup: ends[:, 1] / ends[:, 0] for setup, ends in growth.items()}
    theory = ratios.pop("theory")
    half = len(DEPTHS) // 2
    assert theory[half + 1 :].mean() > theory[: half + 1].mean()
    assert theory[-1] == theory.max() > EVEN
    assert (theory < EVEN).any()
    assert all((ratio < EVEN).all() for ratio in ratios.values())


@pytest.mark.parametrize("setup", SETUPS)
def test_one_sentence_says_how_post_lns_gradient_goes(figure: Explorable, setup: str) -> None:
    for depth in DEPTHS:
        state = figure.state_at(placement="post", depth=depth, networks=setup)
        said = [figure.lookup(name, state).isfinite() for name in ("grown", "fallen", "even")]
        assert sum(map(bool, said)) == 1
        assert figure.lookup("outward", state).isfinite()


def test_a_gradient_that_falls_is_said_as_a_factor_below_1(figure: Explorable) -> None:
    state = figure.state_at(placement="post", depth=32, networks="default")
    first, last = medians("default", "post", 32)[[0, -1]]
    assert_close(figure.lookup("fallen", state), last / first)


def test_the_code_takes_the_gradients_of_every_layer(figure: Explorable) -> None:
    post, pre = printed(figure, figure.state_at(depth=4))
    assert len(post) == len(pre) == 4
    # One random network of another seed: near the medians, not at them.
    assert_close(pre, medians("default", "pre", 4), rtol=0.4, atol=0)
