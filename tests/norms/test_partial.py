"""pRMSNorm against PyTorch's RMSNorm and against its formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms.partial import partial_rms_norm
from tests.drawing import drawn


@given(rows=st.integers(1, 5), width=st.integers(1, 9))
def test_all_of_the_components_make_rmsnorm(rows: int, width: int) -> None:
    x = drawn(rows, width)
    assert_close(partial_rms_norm(x).y[..., -1, :], F.rms_norm(x, (width,), eps=1e-5))


@given(width=st.integers(1, 9), data=st.data())
def test_a_part_of_them_gives_its_own_root_mean_square_to_all(
    width: int, data: st.DataObject
) -> None:
    x = drawn(3, width)
    count = data.draw(st.integers(1, width))
    expected = x / (x[:, :count].square().mean(-1, keepdim=True) + 1e-5).sqrt()
    assert_close(partial_rms_norm(x).y[:, count - 1], expected)


def test_a_factor_cancels_at_every_share() -> None:
    x = drawn(1, 8)
    assert_close(partial_rms_norm(7 * x, eps=0.0).y, partial_rms_norm(x, eps=0.0).y)


def test_an_epsilon_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="eps"):
        partial_rms_norm(drawn(1, 3), eps=-1.0)
