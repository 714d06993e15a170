import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from lnviz.data.examples import digit_images
from lnviz.topics.invariance import Confidence, confidence, digits_classifier

SCALES = torch.logspace(-2, 2, 9, dtype=torch.float64)


@pytest.fixture(scope="module")
def digits() -> Confidence:
    return confidence(digits_classifier().logits, SCALES)


def test_softmax_and_layernorm_are_pytorchs() -> None:
    logits = torch.randn(5, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    shown = confidence(logits, torch.tensor([3.0], dtype=torch.float64), eps=1e-3)
    plain = torch.distributions.Categorical(logits=3 * logits)
    normed = torch.distributions.Categorical(logits=F.layer_norm(3 * logits, (4,), eps=1e-3))
    torch.testing.assert_close(shown.plain.entropy[0], plain.entropy())
    torch.testing.assert_close(shown.normed.entropy[0], normed.entropy())
    torch.testing.assert_close(shown.plain.top[0], plain.probs.amax(-1))
    torch.testing.assert_close(shown.normed.top[0], normed.probs.amax(-1))


def test_behind_layernorm_the_scale_of_the_logits_says_nothing(digits: Confidence) -> None:
    for values in (digits.normed.entropy, digits.normed.top):
        torch.testing.assert_close(values, values[:1].expand_as(values), rtol=1e-9, atol=1e-9)


def test_without_it_the_scale_is_the_confidence(digits: Confidence) -> None:
    assert (digits.plain.entropy.diff(dim=0) < 0).all()
    assert digits.plain.entropy[0].mean() > 0.99 * math.log(10)
    assert digits.plain.entropy[-1].mean() < 0.01


def test_layernorm_takes_from_the_sure_cases_what_set_them_apart(digits: Confidence) -> None:
    one = int((SCALES == 1).nonzero())
    right = digits_classifier().right
    sure = digits.plain.top[one] > 0.95
    assert sure.sum() > 100
    assert digits.normed.top[one][sure].max() < digits.most < 0.76

    def ratio(entropy: Tensor) -> float:
        return float(entropy[one][~right].mean() / entropy[one][right].mean())

    assert ratio(digits.plain.entropy) > 2
    assert ratio(digits.normed.entropy) < 1.25


def test_behind_layernorm_the_confidence_still_tells_right_answers_from_wrong_ones(
    digits: Confidence,
) -> None:
    from sklearn.metrics import roc_auc_score  # takes a second

    one, right = int((SCALES == 1).nonzero()), digits_classifier().right
    for predicted in (digits.plain, digits.normed):
        found = predicted.separation(right)
        area = roc_auc_score(right.numpy(), predicted.top[one].numpy())
        assert float(found[one]) == pytest.approx(area)
        assert 0.85 < area < 0.95


def test_with_an_epsilon_small_logits_are_unsure_behind_layernorm_too() -> None:
    logits = digits_classifier().logits
    shown = confidence(logits, SCALES, eps=1e-3)
    assert (shown.normed.entropy[0] > shown.normed.entropy[-1]).all()


# Of 32 bits, so that float64 holds their squares to the last digit.
@given(st.lists(st.floats(-100, 100, width=32), min_size=2, max_size=12), st.floats(1e-3, 1e3))
def test_no_logits_pass_the_bound(logits: list[float], scale: float) -> None:
    row = torch.tensor([logits], dtype=torch.float64)
    shown = confidence(row, torch.tensor([scale], dtype=torch.float64))
    assert shown.normed.top.isfinite().all()
    assert float(shown.normed.top) <= shown.most + 1e-12


@pytest.mark.parametrize("classes", [2, 3, 10, 1000])
def test_one_logit_above_equal_others_reaches_the_bound(classes: int) -> None:
    row = F.one_hot(torch.tensor([0]), classes).double()
    shown = confidence(row, torch.tensor([1.0], dtype=torch.float64))
    assert float(shown.normed.top) == pytest.approx(shown.most, rel=1e-12)


def test_equal_logits_are_as_unsure_as_can_be() -> None:
    shown = confidence(torch.full((1, 3), 0.1), torch.tensor([0.0, 1.0]))
    torch.testing.assert_close(shown.normed.entropy, torch.full((2, 1), math.log(3)))


def test_the_classifier_is_at_the_minimum_of_what_it_minimizes() -> None:
    digits, classifier = digit_images(), digits_classifier()
    seen = F.pad(digits.images[:-500].double(), (0, 1), value=1.0)
    weight = classifier.weight.clone().requires_grad_()
    misfit = F.cross_entropy(seen @ weight.T, digits.targets[:-500], reduction="sum")
    (misfit + weight.square().sum() / 2).backward()
    assert weight.grad is not None
    assert weight.grad.abs().max() < 1e-8
    unseen = F.pad(digits.images[-500:].double(), (0, 1), value=1.0)
    torch.testing.assert_close(classifier.logits, unseen @ classifier.weight.T)


def test_the_classifier_reads_most_digits_it_has_not_seen() -> None:
    classifier = digits_classifier()
    assert classifier.logits.shape == (500, 10)
    assert torch.equal(classifier.targets, digit_images().targets[-500:])
    assert classifier.right.double().mean() > 0.9


def test_training_that_does_not_converge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lnviz.topics.invariance.classifier.STEPS", 1)
    with pytest.raises(RuntimeError, match=r"slope under 1e-09, got .* after 1 steps"):
        digits_classifier.__wrapped__()


def test_the_first_ten_images_are_the_ten_digits() -> None:
    digits = digit_images()
    assert digits.targets[:10].tolist() == list(range(10))
    assert digits.images.min() == 0
    assert digits.images.max() == 1


def test_one_class_is_no_choice() -> None:
    with pytest.raises(ValueError, match="two classes or more, got 1"):
        confidence(torch.ones(2, 1), torch.tensor([1.0]))


def test_a_negative_epsilon_is_refused() -> None:
    with pytest.raises(ValueError, match=r"eps must be 0 or greater, but got -0\.1"):
        confidence(torch.ones(2, 3), torch.tensor([1.0]), eps=-0.1)
