from torch.testing import assert_close

from lnviz.lessons.words import scale


def test_a_factor_cancels() -> None:
    after = scale.build().tensors["after"].values
    # Epsilon is part of a small variance.
    assert_close(after, after[-1:].expand_as(after), atol=1e-3, rtol=0)


def test_before_the_norm_the_spread_is_the_factors() -> None:
    before = scale.build().tensors["before"].values
    scales = before.new_tensor(scale.SCALE.values)
    assert_close(before / before[0], scales / scales[0])
