import pytest
import torch

from lnviz.pretrained import PACKAGES, load
from lnviz.pretrained.lens import logit_lens, residual_streams
from lnviz.pretrained.massive_activations import ablate_component
from lnviz.pretrained.model import location as place_of
from lnviz.pretrained.sample_texts import SENTENCES
from lnviz.pretrained.swaps import (
    EpsilonPerCopy,
    SwapPerCopy,
    average_gain,
    fit_tanh,
    freeze_sigma,
    toggle_centering,
)

pytestmark = pytest.mark.slow  # the models are large
KEYS = tuple(PACKAGES)


@pytest.fixture(scope="module")
def read():
    found = {}
    for key in KEYS:
        model = load(key)
        ids = model.ids(SENTENCES[0])
        found[key] = (model, ids, model.run(ids))
    return found


def own(name, norm, x):
    return norm(x)


@pytest.mark.parametrize("key", KEYS)
def test_a_norm_in_its_own_place_changes_nothing(read, key):
    model, ids, _ = read[key]
    torch.testing.assert_close(model.loss(ids, own), model.loss(ids))


@pytest.mark.parametrize("key", KEYS)
def test_replacing_norms_leaves_the_model_as_it_was(read, key):
    model, ids, trace = read[key]
    before = model.loss(ids)
    model.loss(ids, average_gain)
    model.losses_by_location(ids, lambda name, norm, x: 0 * x, 1)
    model.loss(ids, edit=lambda layer, x: 0 * x)
    assert torch.equal(model.loss(ids), before)
    again = model.run(ids)
    assert all(torch.equal(again.norms[name].y, trace.norms[name].y) for name in trace.norms)


@pytest.mark.parametrize("key", KEYS)
def test_replacing_in_every_place_side_by_side_is_replacing_in_each(read, key):
    model, ids, _ = read[key]
    found = model.losses_by_location(ids, SwapPerCopy((toggle_centering, average_gain)), 2)
    assert found.shape == (len(model.locations), 2)
    for number in (0, 1, len(model.locations) - 1):

        def only(name, norm, x, place=model.locations[number]):
            return average_gain(name, norm, x) if place_of(name) == place else norm(x)

        torch.testing.assert_close(found[number, 1], model.loss(ids, only), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("key", KEYS)
def test_several_versions_side_by_side_are_each_by_itself(read, key):
    model, ids, trace = read[key]
    swaps = (toggle_centering, average_gain, fit_tanh(trace, model.norms))
    alone = torch.stack([model.loss(ids, swap) for swap in swaps])
    torch.testing.assert_close(
        model.loss(ids, SwapPerCopy(swaps), copies=len(swaps)), alone, rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize("key", KEYS)
def test_the_epsilon_that_a_norm_has_changes_nothing(read, key):
    model, ids, _ = read[key]
    eps = torch.tensor([model.transformer.shape.eps])
    torch.testing.assert_close(
        model.loss(ids, EpsilonPerCopy(eps), copies=1)[0], model.loss(ids), rtol=1e-4, atol=1e-6
    )


def test_without_its_centering_layernorm_is_rmsnorm(read):
    norm, x = read["minilm"][0].norms["embedding"], torch.randn(3, 384)
    expected = torch.nn.functional.rms_norm(x, (384,), norm.weight, norm.eps) + norm.bias
    torch.testing.assert_close(toggle_centering("", norm, x), expected)


@pytest.mark.parametrize("key", KEYS)
def test_frozen_norms_divide_by_the_average_over_the_text(read, key):
    model, _, trace = read[key]
    name = "layers.2.attention"
    record, norm = trace.norms[name], model.norms[name]
    out = freeze_sigma(trace)(name, norm, record.x)
    off = 0 if norm.bias is None else norm.bias
    torch.testing.assert_close(
        (out - off) * record.sigma.mean(),
        (record.y - off) * record.sigma[:, None],
        rtol=1e-3,
        atol=1e-3,
    )


@pytest.mark.parametrize("key", KEYS)
def test_no_other_factor_fits_tanh_better_nearby(read, key):
    model, _, trace = read[key]
    fits = fit_tanh(trace, model.norms).fits
    for name in list(fits)[::7]:
        record, norm = trace.norms[name], model.norms[name]
        mean = record.mean[:, None] if norm.norm.center else 0
        x_hat = (record.x - mean) / record.sigma[:, None]
        alpha, scale = fits[name]

        def off(alpha, scale, x=record.x, x_hat=x_hat):
            return float((scale * torch.tanh(alpha * x) - x_hat).square().mean())

        # At the ends of the range tanh is a line or a step, and alpha stops mattering.
        nearby = [off(alpha * a, scale * s) for a in (0.8, 1.25) for s in (0.9, 1, 1.1)]
        assert off(alpha, scale) <= 1.01 * min(nearby)


def test_the_lens_behind_the_last_layer_is_what_the_model_says(read):
    model, _, trace = read["smollm2"]
    found = logit_lens(model, trace, 5, normed=True)
    assert len(residual_streams(trace)) == len(model.transformer.blocks) + 1
    assert torch.equal(found.ids[-1], trace.logits.topk(5).indices)
    torch.testing.assert_close(
        found.probabilities[-1], trace.logits.softmax(-1).topk(5).values, rtol=1e-4, atol=1e-6
    )


def test_without_its_massive_component_the_language_model_reads_worse(read):
    model, ids, trace = read["smollm2"]
    found = ablate_component(model, ids, trace)
    assert found.token == 0
    assert found.at_token > found.loss + 1
    assert max(found.other) < found.at_token
