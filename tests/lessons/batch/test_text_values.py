"""What the lesson's text says besides its figures."""

import torch
from torch import nn
from torch.testing import assert_close

from lnviz.topics.batch.padding import text


def test_how_long_the_longest_sequence_is_changes_no_phrase() -> None:
    assert text(10).phrases == text(64).phrases


def test_frozen_batchnorm_is_a_factor_and_a_shift_that_no_batch_moves() -> None:
    x = torch.randn(32, 3, 4, 4, generator=torch.Generator().manual_seed(0)) * 2 + 1
    norm = nn.BatchNorm2d(3)
    norm(x)  # the earlier training
    norm.train().eval().requires_grad_(requires_grad=False)
    y, shift = norm(x), norm(torch.zeros(1, 3, 4, 4))
    assert_close(norm(x[:2]), y[:2])
    assert_close(norm(2 * x) - shift, 2 * (y - shift))
    assert not any(parameter.requires_grad for parameter in norm.parameters())
