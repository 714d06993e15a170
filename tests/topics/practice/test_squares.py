"""Squares in small formats, and what a norm makes of them there."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from lnviz.norms import RMS
from lnviz.topics.practice.squares import FORMATS, squares

ROW = torch.tensor([0.04, 1.0, -0.22, 0.26, 0.11, -0.11])
HALF, NARROW, WIDE = range(len(FORMATS))


def test_squares_of_16_bits_overflow_and_formats_have_their_binary_digits() -> None:
    found = squares(ROW, torch.tensor([255.0, 256.0]), [1e-5])
    assert torch.finfo(torch.float16).max == 65_504
    assert found.square[HALF].isinf().tolist() == [False, True]
    assert bool(found.square[[NARROW, WIDE]].isfinite().all())
    assert torch.finfo(torch.bfloat16).eps == 2 ** (1 - 8)
    assert torch.finfo(torch.float16).eps == 2 ** (1 - 11)
    ranges = [torch.finfo(kind) for kind in (torch.bfloat16, torch.float32)]
    assert ranges[0].tiny == ranges[1].tiny
    assert 0.99 < ranges[0].max / ranges[1].max < 1
    assert ranges[0].eps > ranges[1].eps


def test_a_norm_that_squares_in_float16_gives_0_infinity_or_no_number() -> None:
    found = squares(ROW, 2.0 ** torch.tensor([-30.0, -14.0, 8.0, 16.0]), [1e-5, 1e-12])
    common, tiny = found.norm[HALF]
    assert found.square[HALF, :2].tolist() == [0, 0]
    assert found.number[HALF, 0] == 0
    assert common[0] == 0
    assert 0 < common[1] < 0.1
    assert tiny[1].isinf()
    assert common[2] == tiny[2] == 0
    assert common[3].isnan()
    assert torch.tensor(1e-12).half() == 0
    torch.testing.assert_close(found.norm[WIDE, 0, 2:], torch.ones(2).double())


@given(st.integers(-20, 20), st.sampled_from([1e-5, 1e-12]))
def test_with_statistics_in_float32_it_is_the_norm(power: int, eps: float) -> None:
    found = squares(ROW, torch.tensor([2.0**power]), [eps])
    right = RMS.apply(2.0**power * ROW.double(), "D", eps=eps).y.square().mean().sqrt()
    torch.testing.assert_close(found.norm[WIDE, 0, 0], right, rtol=1e-5, atol=1e-9)
