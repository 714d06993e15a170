"""Norms over images, beside PyTorch's modules."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from lnviz.topics.images import KINDS, Sharing, group_sharing
from tests.drawing import drawn

sizes = st.integers(1, 4)
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def channels_last(x: Tensor) -> Tensor:
    y: Tensor = nn.LayerNorm(x.shape[1])(x.movedim(1, -1)).movedim(-1, 1)
    return y


@given(n=sizes, c=sizes, h=st.integers(2, 4), w=sizes)
@settings(max_examples=25)
def test_each_norm_is_pytorchs_module(n: int, c: int, h: int, w: int) -> None:
    x = drawn(n, c, h, w) + 0.5
    modules = {
        "batch": nn.BatchNorm2d(c),
        "layer": nn.LayerNorm((c, h, w)),
        "place": channels_last,
        "instance": nn.InstanceNorm2d(c),
        "none": nn.Identity(),
    }
    for key, module in modules.items():
        assert_close(KINDS[key].standardized(x).x_hat, module(x), rtol=1e-4, atol=1e-4)


@given(groups=st.integers(1, 4), each=st.integers(1, 3), n=sizes)
@settings(max_examples=25)
def test_group_sharing_is_pytorchs_at_every_number_of_groups(
    groups: int, each: int, n: int
) -> None:
    x = drawn(n, groups * each, 2, 3) + 0.5
    expected = nn.GroupNorm(groups, groups * each)(x)
    assert_close(group_sharing(groups).standardized(x).x_hat, expected, rtol=1e-4, atol=1e-4)


def test_one_group_is_layer_norm_and_a_group_a_channel_is_instance_norm() -> None:
    shape = (3, 6, 2, 2)
    for groups, same in ((1, "layer"), (6, "instance")):
        assert torch.equal(group_sharing(groups).groups(shape), KINDS[same].groups(shape))


def test_instance_norm_shares_what_batch_norm_and_layer_norm_have_in_common() -> None:
    ids = {key: KINDS[key].groups((3, 4, 2, 2)).flatten() for key in ("batch", "layer", "instance")}
    together = {key: each[:, None] == each for key, each in ids.items()}
    assert torch.equal(together["instance"], together["batch"] & together["layer"])


@each_kind
def test_cells_of_one_group_have_one_mean_and_one_variance(kind: Sharing) -> None:
    x = drawn(3, 4, 2, 3) + 0.5
    if kind.norm.shared_axes:
        found, ids = kind.standardized(x), kind.groups(x.shape)
        for values in (found.mean, found.var):
            wide = values.expand_as(x)
            for group in ids.unique().tolist():
                assert len(wide[ids == group].unique()) == 1
    else:
        assert torch.equal(kind.standardized(x).x_hat, x)


@each_kind
def test_leading_dimensions_are_swept(kind: Sharing) -> None:
    x = drawn(5, 3, 4, 2, 2) + 0.5
    swept = kind.standardized(x).x_hat
    alone = torch.stack([kind.standardized(one).x_hat for one in x])
    assert_close(swept, alone)


@each_kind
def test_an_image_of_one_pixel_and_one_channel_has_no_spread_and_gives_0(kind: Sharing) -> None:
    x = drawn(1, 1, 1, 1) + 0.5
    found = kind.standardized(x, eps=0.0)
    assert torch.equal(found.x_hat, x if kind.key == "none" else torch.zeros_like(x))
    assert bool(found.constant.any()) == (kind.key != "none")


def test_groups_that_do_not_divide_the_channels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"got 6 features for 4 groups. Use 1, 2, 3, 6 groups.$"):
        group_sharing(4).groups((1, 6, 2, 2))
