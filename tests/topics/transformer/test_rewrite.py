"""A Pre-LN network rewritten with RMSNorm says the same."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import RMS
from lnviz.topics.transformer import POST, PRE, Placement, Shape
from lnviz.topics.transformer.language import LanguageModel, prediction_loss
from lnviz.topics.transformer.rewrite import offset, with_rms, without_centering

SHAPE = Shape(16, layers=3, heads=2, inner=24, activation="gelu", causal=True)
CODES = torch.randint(7, (4, 10), generator=torch.Generator().manual_seed(0))


def with_gains_and_biases_of_their_own(seed: int, shape: Shape = SHAPE) -> LanguageModel:
    torch.manual_seed(seed)
    model = LanguageModel(7, 10, shape)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


@pytest.mark.slow
@given(seed=st.integers(0, 999), affine=st.booleans())
@settings(max_examples=10)
def test_scores_stay_the_same_without_centering(seed: int, affine: bool) -> None:
    shape = Shape(16, 3, 2, 24, activation="gelu", causal=True, affine=affine)
    model = with_gains_and_biases_of_their_own(seed, shape)
    rewritten = without_centering(model)
    assert rewritten.transformer.norm is RMS
    assert_close(rewritten(CODES).logits, model(CODES).logits, rtol=1e-5, atol=1e-5)


def test_the_residual_stream_of_the_rewritten_network_is_the_centered_one() -> None:
    model = with_gains_and_biases_of_their_own(0)
    steps = zip(
        model(CODES).transformer.blocks,
        without_centering(model)(CODES).transformer.blocks,
        strict=True,
    )
    for before, after in steps:
        centered = before.y - before.y.mean(-1, keepdim=True)
        assert_close(after.y, centered, rtol=1e-4, atol=1e-4)
        assert offset(before.y).max() > 0.1 > 1e-5 > offset(after.y).max()


def test_without_a_mean_in_the_stream_replacing_the_norms_is_enough() -> None:
    model = with_gains_and_biases_of_their_own(1)
    difference = (with_rms(model)(CODES).logits - model(CODES).logits).abs().max()
    assert difference > 0.1
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            writes = name.endswith(("sublayer.out.weight", "sublayer.second.weight"))
            if writes:
                parameter -= parameter.mean(0)
            elif name.startswith(("embedding", "places")) or name.endswith(
                ("sublayer.out.bias", "sublayer.second.bias")
            ):
                parameter -= parameter.mean(-1, keepdim=True)
    assert_close(with_rms(model)(CODES).logits, model(CODES).logits, rtol=1e-4, atol=1e-4)


def test_a_bias_that_is_not_moved_changes_the_scores() -> None:
    model = with_gains_and_biases_of_their_own(0)
    moved = without_centering(model)(CODES).logits
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("before.bias", "final_norm.bias")):
                parameter.zero_()
    left = without_centering(model)(CODES).logits
    assert (left - moved).abs().max() > 0.1


def test_a_read_out_that_shares_the_centered_embedding_changes_the_scores() -> None:
    model = with_gains_and_biases_of_their_own(0)
    with torch.no_grad():
        model.readout.weight.copy_(model.embedding.weight)
    rewritten = without_centering(model)
    assert_close(rewritten(CODES).logits, model(CODES).logits, rtol=1e-4, atol=1e-4)
    with torch.no_grad():
        rewritten.readout.weight.copy_(rewritten.embedding.weight)
    assert (rewritten(CODES).logits - model(CODES).logits).abs().max() > 0.1


def test_a_network_of_64_bits_is_rewritten_in_64_bits() -> None:
    model = with_gains_and_biases_of_their_own(2).double()
    difference = without_centering(model)(CODES).logits - model(CODES).logits
    assert difference.abs().max() < 1e-12


@pytest.mark.parametrize(
    ("placement", "shape", "message"),
    [
        (POST, SHAPE, r"got Post-LN with LayerNorm, bias=True, qk_norm=False\.$"),
        (PRE, Shape(8, 1, 1, 8, bias=False), r"got Pre-LN with LayerNorm, bias=False, "),
        (PRE, Shape(8, 1, 1, 8, qk_norm=True), r"bias=True, qk_norm=True\.$"),
    ],
)
def test_a_network_that_centers_otherwise_is_refused(
    placement: Placement, shape: Shape, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        without_centering(LanguageModel(7, 10, shape, placement))


def test_a_language_model_takes_no_passage_longer_than_it_knows_places() -> None:
    with pytest.raises(ValueError, match=r"^This model knows 10 places, got 11 characters\. "):
        LanguageModel(7, 10, SHAPE)(torch.zeros(11, dtype=torch.int64))


def test_the_loss_of_equal_scores_is_the_logarithm_of_the_characters() -> None:
    model = LanguageModel(7, 10, SHAPE)
    torch.nn.init.zeros_(model.readout.weight)
    torch.nn.init.zeros_(model.readout.bias)
    assert_close(prediction_loss(model(CODES), CODES), torch.tensor(7.0).log())
