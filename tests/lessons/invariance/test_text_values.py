"""What the lesson's text says besides its figures."""

import pytest
import torch

from lnviz.norms import LAYER
from lnviz.topics.invariance.classifier import digits_classifier
from tests.lessons.running import built


def test_rounding_in_float32_is_about_one_part_in_ten_million() -> None:
    assert 0.5e-7 < torch.finfo(torch.float32).eps < 2e-7
    shown = built("invariance", "case-scale")
    parts = shown.tensors["layer change"].values[..., 0] / 100  # without epsilon, of the largest
    assert parts.max() < 5e-7


@pytest.mark.parametrize("scale", [10.0, 100.0])
def test_a_case_times_a_hundred_comes_out_nearly_the_same(scale: float) -> None:
    shown = built("invariance", "case-scale")
    percent = shown.lookup("layer change", shown.state_at(example_scale=scale))
    assert 0 < percent < 0.1


@pytest.mark.slow
def test_behind_layernorm_the_order_of_the_logits_is_what_it_was() -> None:
    logits = digits_classifier().logits
    assert torch.equal(LAYER.apply(logits, "ND").y.argsort(-1), logits.argsort(-1))
