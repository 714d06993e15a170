"""Statistics of a call are those of their definitions, for every kind of norm."""

import inspect
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lnviz
from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.hooks import MAX_INPUT_BYTES
from lnviz.diagnostics.norm_spec import NormSpec, spec_from_type
from lnviz.diagnostics.statistics import (
    CALL_STATISTICS,
    CONSTANT_TOLERANCE,
    GAIN_STATISTICS,
    call_statistics,
    gain_statistics,
    group_details,
)

IMAGES = torch.randn(3, 8, 5, 4, generator=torch.Generator().manual_seed(0)) + 0.5
NORMS = {
    "layer": (nn.LayerNorm(4), (3,)),
    "group": (nn.GroupNorm(2, 8), None),
    "instance": (nn.InstanceNorm2d(8), (2, 3)),
    "batch": (nn.BatchNorm2d(8), (0, 2, 3)),
}


def statistics(norm, x, y=None, previous=None):
    spec = spec_from_type(norm, x)
    values = call_statistics(spec, norm, x, norm(x) if y is None else y, previous)
    return dict(zip(CALL_STATISTICS, values.tolist(), strict=True))


@pytest.mark.parametrize("kind", NORMS)
def test_groups_are_those_that_share_statistics(kind):
    norm, axes = NORMS[kind]
    x = IMAGES.clone()
    cut, axes = (x.unflatten(1, (2, 4)), (2, 3, 4)) if kind == "group" else (x, axes)
    mean, var = cut.mean(axes), cut.var(axes, correction=0)
    found = statistics(norm, x)
    assert found["x_mean"] == pytest.approx(float(x.mean()), rel=1e-4)
    assert found["x_rms"] == pytest.approx(float(x.square().mean().sqrt()), rel=1e-4)
    assert found["x_median"] == pytest.approx(
        float(cut.square().mean(axes).sqrt().median()), rel=1e-4
    )
    assert found["mean_share"] == pytest.approx(
        float(mean.square().mean() / x.square().mean()), rel=1e-4
    )
    assert found["epsilon"] == pytest.approx(float((1e-5 / (var + 1e-5)).median()), rel=1e-3)
    assert found["epsilon_most"] == pytest.approx(float((1e-5 / (var + 1e-5)).max()), rel=1e-3)


@pytest.mark.parametrize("at", [(0, 0, 0, 0), (1, 2, 3, 1), (2, 7, 4, 3)])
@pytest.mark.parametrize("kind", NORMS)
def test_the_largest_component_is_named_with_its_group_and_its_part_of_it(kind, at):
    norm, _ = NORMS[kind]
    x = IMAGES.clone()
    x[at] = -50.0
    ids = {
        "layer": (at[3], (at[0] * 8 + at[1]) * 5 + at[2]),
        "group": (at[1], at[0] * 2 + at[1] // 4),
        "instance": (at[1], at[0] * 8 + at[1]),
        "batch": (at[1], at[1]),
    }
    found = statistics(norm, x)
    assert (found["x_largest"], (found["component"], found["group"])) == (50, ids[kind])
    group = {
        "layer": x[at[0], at[1], at[2]],
        "group": x[at[0], 4 * (at[1] // 4) : 4 * (at[1] // 4) + 4],
        "instance": x[at[0], at[1]],
        "batch": x[:, at[1]],
    }[kind]
    assert found["share"] == pytest.approx(2500 / float(group.square().sum()), rel=1e-4)


def test_constant_and_infinite_groups_are_counted():
    x = torch.randn(8, 16)
    x[:2] = 3.0
    assert statistics(nn.LayerNorm(16), x)["constant"] == 0.25
    x[7, 3] = torch.inf
    found = statistics(nn.LayerNorm(16), x)
    assert (found["constant"], found["infinite"]) == (0.25, 0.125)
    assert found["infinite"] == 1 / 8


@pytest.mark.parametrize(("spread", "constant"), [(0.9, 1.0), (1.1, 0.0)])
def test_a_group_is_constant_up_to_its_tolerance(spread, constant):
    signs = torch.tensor([1.0, -1.0]).double().repeat(1, 8)
    x = 1 + spread * CONSTANT_TOLERANCE * signs
    assert statistics(nn.LayerNorm(16).double(), x)["constant"] == constant


def test_an_epsilon_of_0_has_no_part_in_what_is_divided_by():
    assert statistics(nn.LayerNorm(16, eps=0.0), torch.randn(4, 16))["epsilon"] == 0


def test_the_update_is_beside_the_input_and_the_output_has_its_size():
    x, previous = torch.randn(2, 5, 16), torch.randn(2, 5, 16)
    found = statistics(nn.LayerNorm(16), x, 3 * torch.ones(2, 5, 16), previous)
    expected = ((x - previous).norm(dim=-1) / x.norm(dim=-1)).median()
    assert found["update"] == pytest.approx(float(expected), rel=1e-5)
    assert found["y_rms"] == pytest.approx(3, rel=1e-5)


def test_batches_are_as_far_as_they_are_from_running_statistics():
    norm, x = nn.BatchNorm2d(8, eps=0.1).eval(), IMAGES
    norm.running_mean.copy_(torch.linspace(-1, 1, 8))
    norm.running_var.copy_(torch.linspace(0.2, 3, 8))
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
    found = statistics(norm, x)
    apart = (mean - norm.running_mean).square() / (norm.running_var + 0.1)
    octaves = ((var + 0.1) / (norm.running_var + 0.1)).log2().abs()
    assert found["batch_mean"] == pytest.approx(float(apart.mean().sqrt()), rel=1e-4)
    assert found["batch_variance"] == pytest.approx(float(octaves.median()), rel=1e-4)
    assert math.isnan(statistics(nn.InstanceNorm2d(8), x)["batch_mean"])
    assert math.isnan(statistics(nn.BatchNorm2d(8, track_running_stats=False), x)["batch_mean"])


def test_padding_is_what_repeats_at_the_ends_of_examples():
    x = torch.randn(4, 3, 10)
    x[0, :, 6:] = x[0, :, -1:]
    x[1, :, 9:] = 0.0
    found = statistics(nn.BatchNorm1d(3), x)
    assert found["padding"] == pytest.approx(4 / 40)
    assert math.isnan(statistics(nn.LayerNorm(10), x)["padding"])
    assert math.isnan(statistics(nn.BatchNorm1d(3), x[..., :1])["padding"])
    assert statistics(nn.BatchNorm1d(3), x[..., -2:])["padding"] == pytest.approx(2 / 8)


def test_a_model_of_float64_is_watched():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8)).double()
    with NormWatcher(model) as watched:
        y = model(torch.randn(16, 4).double())
        (y**3).sum().backward()
    y = y.detach()
    (norm,) = watched.norms.values()
    assert norm.dtype == "float64"
    assert float(norm.calls["y_rms"]) == pytest.approx(float(y.square().mean().sqrt()))
    assert float(norm.calls["gradient_out"]) == pytest.approx(
        float((3 * y**2).square().mean().sqrt())
    )


def test_gains_are_counted_by_their_sizes():
    gain = torch.tensor([-4.0, 0.05, 1.0, 2.0, 3.0])
    found = dict(zip(GAIN_STATISTICS, gain_statistics(gain).tolist(), strict=True))
    assert found == pytest.approx(
        {"gain_median": 2, "gain_largest": 4, "gain_spread": 1, "gain_off": 0.2}
    )


def test_details_are_those_of_the_first_groups():
    norm, x = nn.LayerNorm(16), torch.randn(100, 16) * torch.linspace(1, 9, 100)[:, None]
    with torch.no_grad():
        norm.weight.copy_(torch.linspace(0.5, 2, 16))
        y = norm(x)
        details = group_details(spec_from_type(norm, x), x, y)
        swapped = norm.weight * F.rms_norm(x[:64], (16,), eps=1e-5) - y[:64]
    torch.testing.assert_close(details.x_rms, x[:64].square().mean(-1).sqrt())
    torch.testing.assert_close(details.x_mean, x[:64].mean(-1))
    torch.testing.assert_close(details.y_rms, y[:64].square().mean(-1).sqrt())
    torch.testing.assert_close(details.which, x[:64].abs().topk(3).indices)
    torch.testing.assert_close(details.x_largest, x[:64].gather(1, details.which))
    torch.testing.assert_close(details.y_largest, y[:64].gather(1, details.which))
    expected = swapped.norm() / y[:64].norm()
    torch.testing.assert_close(details.swapped, expected, rtol=1e-3, atol=1e-4)


def test_details_are_none_over_other_axes_and_nan_where_nothing_is_swapped():
    x = IMAGES[0, 0]
    assert group_details(spec_from_type(nn.BatchNorm1d(4), x), x, x) is None
    details = group_details(spec_from_type(nn.RMSNorm(4), x), x, x)
    assert details.swapped.isnan()


def test_the_default_limit_of_inputs_is_said_once():
    default = inspect.signature(lnviz.watch).parameters["most"].default
    assert default == MAX_INPUT_BYTES
    assert inspect.signature(NormWatcher.__init__).parameters["most"].default == MAX_INPUT_BYTES


def test_groups_over_channels_are_those_of_each_position():
    x = IMAGES.clone()
    x[1, 6, 3, 2] = 50.0
    found = call_statistics(NormSpec("layer", (1,), eps=1e-5), nn.Identity(), x, x, None)
    found = dict(zip(CALL_STATISTICS, found.tolist(), strict=True))
    assert (found["component"], found["group"]) == (6, 1 * 20 + 3 * 4 + 2)
    group = x[1, :, 3, 2].square().sum()
    assert found["share"] == pytest.approx(2500 / float(group), rel=1e-5)


def test_figures_are_drawn_by_who_has_the_code_for_them():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8))
    with NormWatcher(model) as plain, lnviz.watch(model) as watched:
        model(torch.randn(3, 4))
    with pytest.raises(ValueError, match=r"This run cannot draw figures"):
        plain.figure("gains")
    assert watched.figure("gains").title == watched.run.figures["gains"].title


def test_headroom_is_in_doublings_before_the_format_ends():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8)).half()
    with torch.no_grad(), NormWatcher(model) as watched:
        model(torch.randn(16, 4).half())
    (row,) = watched.to_frame().to_dict("records")
    largest = watched.norms["1"].maximum("x_largest")
    end = math.log2(torch.finfo(torch.float16).max)
    assert row["format"] == "float16"
    assert row["headroom"] == pytest.approx(end - math.log2(largest), abs=1e-6)
    assert row["headroom_of_squares"] == pytest.approx(end - 2 * math.log2(largest), abs=1e-6)


def test_a_group_of_zeros_is_constant():
    assert statistics(nn.LayerNorm(16), torch.zeros(4, 16))["constant"] == 1


def test_a_single_group_has_its_size():
    with NormWatcher(nn.LayerNorm(16)) as watched:
        watched.model(torch.randn(1, 16))
    assert watched.norms[""].group_size == 16


def test_a_single_group_tells_no_gain_and_so_no_difference_from_rmsnorm():
    x = torch.randn(1, 16) + 3
    assert group_details(spec_from_type(nn.LayerNorm(16), x), x, nn.LayerNorm(16)(x)).swapped == 0
