import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.placement.first_steps import STEPS, gradients, last_over_first
from lnviz.lessons.placement.warmup import RATE
from lnviz.topics.transformer.first_steps import DEEP, FIRST, FIRST_STEPS, TABLE
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.setups import InitializationExperiment
from lnviz.topics.transformer.theory import PLACES, roads
from lnviz.topics.transformer.warmup import WARMUP, find_failed
from tests.lessons.running import printed

SPEC = FIRST_STEPS.result.specification


def test_post_ln_loses_the_first_layers_gradient_in_the_first_steps_and_pre_ln_keeps_it() -> None:
    assert (SPEC.rate, SPEC.layers) == (RATE, 12)
    post, pre = (last_over_first(key) for key in ("post", "pre"))
    for ratio in (post, pre):
        assert ((ratio[:, 0] > 1 / 2) & (ratio[:, 0] < 2)).all()
    without, warmed = post
    assert (without[FIRST] > 100).all()
    assert (without[FIRST] > 10 * warmed[FIRST]).all()
    # The first layer loses its gradient; the last layer's is not larger than before.
    for network in (DEEP, TABLE):
        layers = gradients("post", network=network)[0]
        first, last = layers[:, 0], layers[:, -1]
        assert (first[FIRST] < first[0] / 30).all()
        assert (last[FIRST] < last[0]).all()
        assert (last[FIRST] > last[0] / 10).all()
    assert ((pre[0, FIRST] > 2 / 3) & (pre[0, FIRST] < 3 / 2)).all()
    layers = gradients("pre")[:, : STEPS.size]
    assert (layers.amax(2) / layers.amin(2) < 3).all()
    # On the way, one layer after another: there is a step with a factor of ten.
    assert (without[: FIRST + 1].quantile(0.5, dim=-1) > 10).any()


def test_after_twenty_steps_the_warm_up_has_reached_a_tenth_of_its_rate() -> None:
    assert STEPS.values[-1] / SPEC.warm_up == 0.1


def test_with_warm_up_the_factor_stays_small_and_ends_near_one() -> None:
    assert SPEC.recorded[-1] == SPEC.warm_up
    without, warmed = last_over_first("post")
    assert warmed.max() < 15
    assert (warmed[-1] < 2).all()
    assert without[-1].min() > warmed.max()


def test_all_networks_of_the_table_lose_the_gradient_at_the_rate_at_which_they_fail() -> None:
    seeds = WARMUP.result.specification.seeds
    ratio = last_over_first("post", network=TABLE)[0, FIRST, : len(seeds)]
    assert SPEC.seeds[: len(seeds)] == seeds
    assert (ratio > 10).all()
    at = (WARMUP.result.index("placement", "post"), 0, WARMUP.result.index("rate", RATE))
    assert find_failed(WARMUP.result)[at].all()


@pytest.mark.slow
def test_in_the_proofs_networks_the_stream_loses_more_gradient_than_the_weights() -> None:
    experiment = InitializationExperiment(width=64, seeds=tuple(range(16)))
    stream = roads(("post",), 48, experiment)["post"].gradient[:, PLACES.index("out")]
    ratio = (stream[-1] / stream[0]).quantile(0.5)
    assert float(ratio) == pytest.approx(4.9, abs=0.05)
    at = {"setup": "theory", "placement": "post", "depth": 48, "quartile": 0.5}
    weights = PROFILES.result.tensor("gradient", "layer", **at)
    assert 1 < weights[47] / weights[0] < ratio


@pytest.mark.parametrize("warm_up", ["without", "with"])
@pytest.mark.parametrize("step", [0, 7, FIRST])
def test_the_figure_shows_the_stored_gradients_and_their_factors(
    figure: Explorable, warm_up: str, step: int
) -> None:
    state = figure.state_at(**{"warm-up": warm_up, "training steps": step})
    for key in ("post", "pre"):
        at = {"network": "deep", "placement": key, "warm_up": warm_up, "step": step}
        values = FIRST_STEPS.result.tensor("weights", "layer", "seed", **at)
        median = figure.lookup(f"{key} layers", state)
        assert_close(median, values.quantile(0.5, dim=-1).log10(), rtol=0, atol=0.01)
        ratio = values[-1] / values[0]
        assert_close(figure.lookup(f"{key} times", state), ratio.quantile(0.5))
        assert_close(figure.lookup(f"{key} times high", state), ratio.max())
        along = figure.lookup(f"{key} ratio", state | {"training steps": slice(None)})
        assert_close(along[step], ratio.quantile(0.5).log10(), rtol=0, atol=1e-3)


@pytest.mark.slow
def test_the_program_gives_the_factors_that_are_said_of_its_seeds(figure: Explorable) -> None:
    state = figure.state_at()
    post, pre = printed(figure, state)
    assert float(post[-1] / post[0]) == pytest.approx(13, rel=0.1)
    assert pre.max() / pre.min() < 3
    other = figure.code_at(state).replace("manual_seed(0)", "manual_seed(1)")
    results: list[torch.Tensor] = []
    exec(other, {"print": lambda *values: results.extend(values)})
    assert float(results[0][-1] / results[0][0]) == pytest.approx(370, rel=0.1)
