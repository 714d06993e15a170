from functools import cache

import pytest
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.rmsnorm.offset import UNITS
from tests.lessons.running import built


@cache
def figure(seed: str = "0") -> Explorable:
    return built("rmsnorm", "offset", ("weights", seed))


def row(seed: str = "0") -> Tensor:
    return figure(seed).lookup("x", figure(seed).state_at(offset=0))


@pytest.mark.parametrize("seed", ["0", "1", "9999"])
def test_layernorm_takes_every_offset_out_and_rmsnorm_none(seed: str) -> None:
    layer = figure(seed).tensors["layer"].values
    assert_close(layer, layer[:1, :1].expand_as(layer), atol=1e-4, rtol=0)
    means = figure(seed).tensors["rms mean"].values[:, 0]
    assert (means.diff() > 0).all()


def test_both_are_what_pytorch_computes() -> None:
    state = figure().state_at(offset=1.0)
    x = row() + 1
    assert_close(figure().lookup("layer", state), F.layer_norm(x, (UNITS,)))
    assert_close(figure().lookup("rms", state), F.rms_norm(x, (UNITS,), eps=1e-5))


def test_where_the_row_has_mean_0_the_two_norms_do_the_same() -> None:
    assert not figure().tensors["difference"].values[:, 1].isfinite().any()
    assert_close(figure().tensors["layer"].values[:, 1], figure().tensors["rms"].values[:, 1])


def test_the_differences_are_smallest_where_the_rows_mean_is_0() -> None:
    difference = figure().tensors["difference"].values[:, 0].nan_to_num(0)
    mean = figure().tensors["mean"].values[:, 0].abs()
    assert difference.argmin() == mean.argmin()
