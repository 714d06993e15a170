from functools import partial

from torch.testing import assert_close

from lnviz.lessons.rmsnorm.partial import BEYOND
from tests.lessons.running import built

figure = partial(built, "rmsnorm", "partial")


def test_with_all_numbers_prmsnorm_is_rmsnorm() -> None:
    found = figure().tensors
    assert found["factor"].values[-1] == 1
    assert_close(found["partial"].values[-1], found["rms"].values, atol=1e-2, rtol=0)


def test_prmsnorms_row_is_rmsnorms_times_the_factor() -> None:
    found = figure().tensors
    rms, factor = found["rms"].values, found["factor"].values[:, None]
    expected = (rms * factor).clamp(-BEYOND, BEYOND)
    assert_close(found["partial"].values, expected, atol=1e-4, rtol=1e-4)
