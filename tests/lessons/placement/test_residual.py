import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.topics.transformer.setups import InitializationExperiment
from lnviz.topics.transformer.theory import sizes
from tests.lessons.running import built, printed


def test_the_first_layers_of_a_deep_network_are_a_network_of_their_own(figure: Explorable) -> None:
    experiment = InitializationExperiment(width=64, seeds=tuple(range(5)))
    for key, found in sizes(["post", "pre", "scaled", "olmo2"], 6, experiment).items():
        size = figure.lookup(f"{key} size", figure.state_at(layers=6))
        assert_close(size, found.stream[-1].mean(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("key", ["deepnorm", "keel"])
def test_a_norm_on_each_sum_gives_the_stream_one_size(key: str) -> None:
    found = sizes([key], 3, InitializationExperiment(width=16, seeds=(0, 1)))[key]
    assert_close(found.stream[1:], torch.ones(3, 2), rtol=0, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("width", ["64", "128"])
def test_pre_ln_lies_within_the_bounds_of_lemma_2(width: str) -> None:
    assert (
        built("placement", "residual", ("width", width)).tensors["inside"].values.isfinite().all()
    )


def test_how_much_is_left_of_a_mean_depends_on_how_alike_its_vectors_are() -> None:
    own, common = torch.randn(2, 16, 4096, generator=torch.Generator().manual_seed(0))
    for alike in (0.0, 0.5, 1.0):
        vectors = (1 - alike) ** 0.5 * own + alike**0.5 * common[:1]
        left = (vectors.mean(0).square().mean() / vectors.square().mean()).item()
        assert left == pytest.approx(alike + (1 - alike) / 16, abs=0.03)


def test_the_text_is_right_about_what_layers_add(figure: Explorable) -> None:
    values = {name: figure.tensors[name].values for name in figure.tensors}
    pre, scaled = values["pre size"], values["scaled size"]
    depths = torch.arange(2, 49)
    # A little faster than the number of layers, and about as the logarithm.
    assert pre[-1] / pre[10] > 48 / 12
    harmonic = (1 / torch.arange(1, 49)).cumsum(0)[depths - 1]
    line = torch.stack([harmonic, torch.ones_like(harmonic)], 1)  # layers,2
    fitted = torch.linalg.lstsq(line, scaled[:, None]).solution
    assert ((line @ fitted)[:, 0] - scaled).abs().max() < 0.05 * (scaled[-1] - scaled[0])
    assert 0.9 < fitted[0] < 1.2
    gained = (scaled - 1) / harmonic
    assert ((gained > 0.5) & (gained < 1.5)).all()
    attention = values["attention"]
    assert attention[-10:].mean() > 2 * attention[:3].mean()
    assert attention[-10:].mean().item() == pytest.approx(1, abs=0.15)
    assert values["feed_forward"].mean().item() == pytest.approx(0.5, abs=0.05)
    assert (values["scaled share"] < values["pre share"]).all()


@pytest.mark.slow
def test_the_code_follows_the_slider_and_the_width() -> None:
    narrow = built("placement", "residual", ("width", "32"))
    state = narrow.state_at(layers=3)
    assert "layers = 3\n" in narrow.code_at(state).replace("  # «layers»", "")
    assert "width = 32" in narrow.code_at(state)
    pre, scaled = printed(narrow, state)
    assert len(pre) == len(scaled) == 4
    assert_close(pre[:2], scaled[:2])  # the first layer's factor is 1
