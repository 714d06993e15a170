import re
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import BATCH, INSTANCE, LAYER, RMS, WEIGHT, Norm, Normalized, group_norm
from tests.drawing import drawn
from tests.norms.drawing import SEEDS, SIZES, named

LAYOUTS = [
    (norm, layout)
    for norm in (BATCH, LAYER, INSTANCE, group_norm(1), group_norm(2), group_norm(4), RMS)
    for layout in ("ND", "DN", "NTD", "NCHW", "NHWC", "NCL")
    if norm is not INSTANCE or layout not in ("ND", "DN")
]


@pytest.mark.parametrize(
    ("norm", "layout", "over"),
    [
        (BATCH, "ND", (-2,)),
        (BATCH, "NTD", (-3, -2)),
        (BATCH, "NCHW", (-4, -2, -1)),
        (LAYER, "ND", (-1,)),
        (LAYER, "NTD", (-1,)),
        (LAYER, "NCHW", (-3, -2, -1)),
        (INSTANCE, "NCHW", (-2, -1)),
        (INSTANCE, "NTD", (-2,)),
        (group_norm(2), "NCHW", (-3, -2, -1)),
        (RMS, "NTD", (-1,)),
        (WEIGHT, "ND", (-2,)),
    ],
    ids=named,
)
def test_axes_that_share_statistics(norm: Norm, layout: str, over: tuple[int, ...]) -> None:
    assert norm.over(layout) == over


@pytest.mark.parametrize(("norm", "layout"), LAYOUTS, ids=named)
def test_a_group_is_exactly_the_cells_that_share_mean_and_variance(norm: Norm, layout: str) -> None:
    sizes = {"N": 2, "T": 3, "C": 4, "D": 4, "L": 3, "H": 2, "W": 3}
    shape = (2, *(sizes[axis] for axis in layout))
    groups = norm.groups(shape, layout)
    assert groups.shape == shape
    assert groups.unique().tolist() == list(range(int(groups.max()) + 1))
    x = drawn(*shape, dtype=torch.float64)
    cells = x.numel()
    moved = x + torch.eye(cells).view(cells, *shape)  # one cell moved in each copy
    before, after = norm.apply(x, layout), norm.apply(moved, layout)
    mean_moved, var_moved, x_hat_moved = (
        ~torch.isclose(new, old).expand_as(moved).reshape(cells, cells)
        for new, old in zip(fields(after)[:3], fields(before)[:3], strict=True)
    )
    assert torch.equal(mean_moved | var_moved, sharing(groups))
    assert not x_hat_moved[~sharing(groups)].any()


def fields(result: Normalized) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return result.mean, result.var, result.x_hat, result.y


def sharing(groups: Tensor) -> Tensor:
    """Which cells share a group with which: the same for every numbering of the groups."""
    return groups.flatten()[:, None] == groups.flatten()


def test_weightnorm_shares_a_sigma_among_the_cells_of_a_unit() -> None:
    groups = WEIGHT.groups((2, 3), "ND")
    assert groups.tolist() == [[0, 1, 2], [0, 1, 2]]
    sigmas = WEIGHT.apply(drawn(2, 3), "ND", weight=drawn(3, 4, seed=1)).var.expand(2, 3)
    assert all(sigmas[groups == unit].unique().numel() == 1 for unit in range(3))


def test_an_axis_of_size_zero_has_no_groups() -> None:
    assert BATCH.groups((4, 0), "ND").shape == (4, 0)


@pytest.mark.parametrize(("norm", "layout"), LAYOUTS, ids=named)
def test_a_sweep_holds_what_its_positions_hold_alone(norm: Norm, layout: str) -> None:
    shape = tuple(4 if axis in "CD" else 3 for axis in layout)
    x = drawn(5, 2, *shape, dtype=torch.float64)
    swept = norm.apply(x, layout)
    for i in range(5):
        for j in range(2):
            alone = norm.apply(x[i, j], layout)
            assert_close(swept.mean[i, j], alone.mean)
            assert_close(swept.var[i, j], alone.var)
            assert_close(swept.x_hat[i, j], alone.x_hat)


@pytest.mark.parametrize(("norm", "layout"), LAYOUTS, ids=named)
def test_epsilon_can_be_swept(norm: Norm, layout: str) -> None:
    x = drawn(*(4 if axis in "CD" else 3 for axis in layout))
    sweep = torch.logspace(-8, 2, 5)
    swept = norm.apply(x, layout, eps=sweep.view(-1, *[1] * len(layout)))
    assert swept.y.shape == (5, *x.shape)
    for i, eps in enumerate(sweep.tolist()):
        assert_close(swept.y[i], norm.apply(x, layout, eps=eps).y)


@pytest.mark.slow
@given(n=SIZES, d=SIZES, seed=SEEDS)
def test_the_layout_can_be_transposed(n: int, d: int, seed: int) -> None:
    x = drawn(n, d, seed=seed, dtype=torch.float64)
    for norm in (BATCH, LAYER, RMS, group_norm(d)):
        assert_close(norm.apply(x.T, "DN").y, norm.apply(x, "ND").y.T)
        assert torch.equal(sharing(norm.groups((d, n), "DN").T), sharing(norm.groups((n, d), "ND")))
    assert_close(BATCH.apply(x, "ND").y, LAYER.apply(x.T, "ND").y.T)


@given(sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), seed=SEEDS)
def test_groupnorm_lies_between_layernorm_and_instancenorm(
    sizes: tuple[int, ...], seed: int
) -> None:
    x = drawn(*sizes, seed=seed, dtype=torch.float64)
    assert_close(group_norm(1).apply(x, "NCHW").y, LAYER.apply(x, "NCHW").y)
    assert_close(group_norm(sizes[1]).apply(x, "NCHW").y, INSTANCE.apply(x, "NCHW").y)


def test_weightnorm_finds_the_units_in_any_layout_and_sweep() -> None:
    a, w = drawn(6, 4, 3), drawn(6, 3, 5, seed=1)
    lengths = w.norm(dim=-1)
    assert_close(WEIGHT.apply(a, "ND", weight=w, eps=0.0).y, a / lengths[:, None])
    images = drawn(2, 3, 5, 5, seed=2)
    swept = WEIGHT.apply(images, "NCHW", weight=w, eps=0.0).y
    assert_close(swept, images / lengths[:, None, :, None, None])


def test_weights_are_read_by_weightnorm_alone() -> None:
    a = drawn(4, 3)
    assert torch.equal(LAYER.apply(a, "ND", weight=drawn(3, 5, seed=1)).y, LAYER.apply(a, "ND").y)


SCALES = st.floats(0.01, 100)
SHIFTS = st.floats(-100, 100)


@given(scale=SCALES, shift=SHIFTS, seed=SEEDS)
def test_layernorm_ignores_scale_and_shift_of_a_case(scale: float, shift: float, seed: int) -> None:
    x = drawn(3, 5, seed=seed, dtype=torch.float64)
    changed = x.clone()
    changed[1] = scale * x[1] + shift
    assert_close(LAYER.apply(changed, "ND", eps=0.0).y, LAYER.apply(x, "ND", eps=0.0).y)
    flipped = LAYER.apply(-scale * x, "ND", eps=0.0).y
    assert_close(flipped, -LAYER.apply(x, "ND", eps=0.0).y)


@given(scale=SCALES, shift=SHIFTS, seed=SEEDS)
def test_batchnorm_ignores_scale_and_shift_of_a_unit(scale: float, shift: float, seed: int) -> None:
    x = drawn(5, 3, seed=seed, dtype=torch.float64)
    changed = x.clone()
    changed[:, 1] = scale * x[:, 1] + shift
    assert_close(BATCH.apply(changed, "ND", eps=0.0).y, BATCH.apply(x, "ND", eps=0.0).y)


@given(scale=SCALES, seed=SEEDS)
def test_rmsnorm_ignores_the_scale_of_a_case_but_sees_its_shift(scale: float, seed: int) -> None:
    x = drawn(3, 5, seed=seed, dtype=torch.float64)
    before = RMS.apply(x, "ND", eps=0.0).y
    assert_close(RMS.apply(scale * x, "ND", eps=0.0).y, before)
    assert not torch.allclose(RMS.apply(x + 1, "ND", eps=0.0).y, before)


@given(seed=SEEDS)
def test_the_mean_square_is_the_variance_plus_the_square_of_the_mean(seed: int) -> None:
    x = 3 + drawn(4, 6, seed=seed, dtype=torch.float64)
    layer, rms = (norm.apply(x, "ND") for norm in (LAYER, RMS))
    assert_close(rms.var, layer.var + layer.mean.square())


@given(seed=SEEDS)
def test_rmsnorm_is_layernorm_where_the_mean_is_zero(seed: int) -> None:
    x = drawn(4, 6, seed=seed, dtype=torch.float64)
    x -= x.mean(-1, keepdim=True)
    assert_close(RMS.apply(x, "ND").y, LAYER.apply(x, "ND").y)


def test_keys_and_labels_tell_the_norms_apart() -> None:
    norms = (BATCH, LAYER, INSTANCE, group_norm(2), RMS, WEIGHT)
    assert [n.key for n in norms] == ["batch", "layer", "instance", "group", "rms", "weight"]
    assert len({n.label for n in norms}) == len(norms)
    assert group_norm(2) == group_norm(2) != group_norm(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: INSTANCE.over("ND"),
            "InstanceNorm shares statistics along T (time-steps), L (places), H (rows), W "
            "(columns), but layout 'ND' has none of these axes. Use a layout such as 'NCHW', or "
            "another norm.",
        ),
        (
            lambda: group_norm(4).apply(torch.ones(2, 6), "ND"),
            "GroupNorm needs groups of equal size, but got 6 features for 4 groups. Use 1, 2, 3, "
            "6 groups.",
        ),
        (lambda: group_norm(4).groups((2, 6), "ND"), "Use 1, 2, 3, 6 groups."),
        (lambda: group_norm(0), "GroupNorm needs at least 1 group, but got 0."),
        (
            lambda: LAYER.apply(torch.ones(2, 6), "NTD"),
            "Layout 'NTD' names 3 dimensions, but the shape is (2, 6). Name exactly the "
            "dimensions of the shape.",
        ),
        (
            lambda: BATCH.groups((6,), "ND"),
            "Layout 'ND' names 2 dimensions, but the shape is (6,).",
        ),
        (
            lambda: group_norm(2).apply(torch.ones(2, 6), "ND", mean=0.0, var=1.0),
            "GroupNorm always takes its statistics from x, even at inference, but got mean= or "
            "var=. Leave them out.",
        ),
        (
            lambda: WEIGHT.apply(torch.ones(2, 6), "ND", var=1.0),
            "WeightNorm always takes its statistics from weight, even at inference, but got mean= "
            "or var=. Leave them out.",
        ),
        (
            lambda: WEIGHT.apply(torch.ones(2, 6), "ND"),
            "WeightNorm computes sigma from the weights, but got none. Pass weight=, with one row "
            "per unit: (units, inputs).",
        ),
        (
            lambda: WEIGHT.apply(torch.ones(2, 6), "ND", weight=torch.ones(4, 6)),
            "weight must have one row per unit, (units, inputs) with 6 units, but got shape (4, "
            "6). Transpose a matrix; flatten a kernel with weight.flatten(1).",
        ),
    ],
)
def test_a_norm_says_what_it_cannot_do_and_what_to_do(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
