"""Norms are known by what they do."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.detection import (
    IN_FLOAT32,
    IN_INPUT_DTYPE,
    NormSpec,
    _sample_slices,
    detect_norm,
    is_norm,
    may_be_norm,
)
from tests.diagnostics.models import WIDTH, OwnRMS

X = torch.randn(4, 7, WIDTH, generator=torch.Generator().manual_seed(0)) * 3 + 0.2
IMAGES = torch.randn(4, WIDTH, 5, 6, generator=torch.Generator().manual_seed(0)) * 2 + 1


class Offset(nn.Module):
    """RMSNorm as Gemma has it."""

    def __init__(self):
        super().__init__()
        self.weight, self.eps = nn.Parameter(0.3 * torch.randn(WIDTH)), 1e-6

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], eps=self.eps) * (1 + self.weight)


class Written(nn.Module):
    """LayerNorm with names and an epsilon of its own."""

    def __init__(self):
        super().__init__()
        self.g, self.b = nn.Parameter(torch.randn(WIDTH)), nn.Parameter(torch.randn(WIDTH))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.g, self.b, 1e-3)


class Length(nn.Module):
    """ScaleNorm. Source: Nguyen and Salazar 2019 (arXiv 1910.05895)."""

    def __init__(self):
        super().__init__()
        self.g = nn.Parameter(torch.tensor(11.0))

    def forward(self, x):
        return self.g * F.normalize(x, dim=-1)


class OfImages(nn.LayerNorm):
    """LayerNorm over channels, as ConvNeXt has it."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Everything(nn.Module):
    """LayerNorm over all axes but the first, without gain and bias."""

    def forward(self, x):
        return F.layer_norm(x, x.shape[1:], eps=1e-3)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH))

    def forward(self, x):
        return x * self.weight


class Squash(nn.Module):
    """DyT. Source: Zhu et al. 2025 (arXiv 2503.10622)."""

    def __init__(self):
        super().__init__()
        self.alpha, self.weight = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return self.weight * torch.tanh(self.alpha * x)


NORMS = [
    (OwnRMS(WIDTH), X, "rms", (-1,), 1e-6, "weight"),
    (Offset(), X, "rms", (-1,), 1e-6, "1 + weight"),
    (Written(), X, "layer", (-1,), 1e-3, "g"),
    (Length(), X, "rms", (-1,), 0.0, "g / √n"),
    (OfImages(WIDTH), IMAGES, "layer", (1,), 1e-5, "weight"),
    (Everything(), X, "layer", (-2, -1), 1e-3, "none"),
    (Everything(), IMAGES, "layer", (-3, -2, -1), 1e-3, "none"),
    (nn.LayerNorm(WIDTH), X, "layer", (-1,), 1e-5, "weight"),
    (nn.LayerNorm((7, WIDTH)), X, "layer", (-2, -1), 1e-5, "weight"),
    (nn.LayerNorm(WIDTH, elementwise_affine=False), X, "layer", (-1,), 1e-5, "none"),
    (nn.RMSNorm(WIDTH), X, "rms", (-1,), torch.finfo(torch.float32).eps, "weight"),
    (nn.GroupNorm(4, WIDTH), IMAGES, "group", (2, 3, 4), 1e-5, "weight"),
    (nn.InstanceNorm2d(WIDTH), IMAGES, "instance", (-2, -1), 1e-5, "none"),
    (nn.BatchNorm2d(WIDTH), IMAGES, "batch", (0, 2, 3), 1e-5, "weight"),
    (nn.SyncBatchNorm(WIDTH).eval(), IMAGES, "batch", (0, 2, 3), 1e-5, "weight"),
]


@pytest.mark.parametrize(("norm", "x", "kind", "over", "eps", "gain"), NORMS)
def test_a_norm_is_known_with_its_axes_its_epsilon_and_its_gain(norm, x, kind, over, eps, gain):
    facts = detect_norm(norm, x, norm(x))
    assert is_norm(norm) or may_be_norm(norm)
    assert (facts.kind, facts.over, facts.gain) == (kind, over, gain)
    assert facts.eps == pytest.approx(eps, rel=1e-3)


UNIT = F.rms_norm(X, (WIDTH,))


@pytest.mark.parametrize(
    ("module", "x"),
    [(Scale(), X), (Squash(), X), (nn.Tanh(), X), (nn.Identity(), X), (nn.Identity(), UNIT)],
)
def test_what_is_no_norm_is_not_taken_for_one(module, x):
    assert detect_norm(module, x, module(x)) is None


def test_an_input_of_size_1_does_not_tell():
    assert detect_norm(OwnRMS(WIDTH), UNIT, OwnRMS(WIDTH)(UNIT)) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_precision_of_the_statistics_is_told(dtype, narrow):
    norm, x = OwnRMS(WIDTH, narrow).to(dtype), X.to(dtype)
    assert detect_norm(norm, x, norm(x)).precision == (IN_INPUT_DTYPE if narrow else IN_FLOAT32)


def test_a_norm_whose_squares_are_beyond_its_format_is_known_by_what_is_gone():
    norm, x = OwnRMS(WIDTH, narrow=True).half(), 1000 * X.half()
    assert not norm(x).any()
    facts = detect_norm(norm, x, norm(x))
    assert (facts.kind, facts.precision) == ("rms", IN_INPUT_DTYPE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_rmsnorm_without_an_epsilon_has_that_of_float32_for_16_bits(dtype):
    norm, x = nn.RMSNorm(WIDTH, dtype=dtype), (1e-2 * torch.randn(32, WIDTH)).to(dtype)
    with torch.no_grad():
        facts = detect_norm(norm, x, norm(x))
        right = F.rms_norm(x.double(), (WIDTH,), eps=facts.eps)
        torch.testing.assert_close(norm(x).double(), right, rtol=2e-2, atol=2e-2)
    assert facts.eps == torch.finfo(torch.float32).eps


def test_values_without_groups_are_taken_as_they_are():
    assert NormSpec("layer", (-1,)).split_groups(X) is X
    assert NormSpec("group", (2, 3, 4), groups=4).split_groups(IMAGES).shape == (4, 4, 16, 5, 6)


@pytest.mark.parametrize("shape", [(64, 64, 64), (1000, 10, 64), (3, 1000, 64), (2, 3, 5)])
@pytest.mark.parametrize("over", [(-1,), (1,), (-2, -1)])
def test_a_sample_is_of_whole_groups_and_bounded(shape, over):
    sample = torch.empty(shape, device="meta")[_sample_slices(3, shape, over)]
    assert all(sample.shape[axis] == shape[axis] for axis in over)
    group = math.prod(shape[axis] for axis in over)
    most = max(2**15, group)
    assert group <= sample.numel() <= most
    assert sample.numel() == math.prod(shape) or sample.numel() > most // 4


def test_a_module_has_eight_calls_to_show_that_it_is_a_norm():
    norm = OwnRMS(WIDTH)
    unit = F.rms_norm(X, (WIDTH,))
    for silent, seen in ((7, 1), (8, 0)):
        with NormWatcher(nn.Sequential(norm)) as watched:
            for _ in range(silent):
                norm(unit)
            norm(X)
            norm(X)
        assert len(watched.to_frame()) == 2 * seen


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_precision_is_told_where_epsilon_outweighs_the_input(dtype, narrow):
    norm = OwnRMS(WIDTH, narrow).to(dtype)
    norm.variance_epsilon = 1.0
    x = (X / 6).to(dtype)
    assert detect_norm(norm, x, norm(x)).precision == (IN_INPUT_DTYPE if narrow else IN_FLOAT32)


def test_an_overflow_is_known_beside_a_group_of_zeros():
    norm, x = OwnRMS(WIDTH, narrow=True).half(), X[0].half()
    x[0], x[1] = 0.0, 1000 * x[1]
    assert detect_norm(norm, x, norm(x)).precision == IN_INPUT_DTYPE


@pytest.mark.parametrize(("norm", "kind"), [(OwnRMS(WIDTH), "rms"), (Written(), "layer")])
def test_of_an_input_without_a_mean_its_parameters_tell_what_a_norm_is(norm, kind):
    x = X - X.mean(-1, keepdim=True)
    assert detect_norm(norm, x, norm(x)).kind == kind


@pytest.mark.parametrize(
    ("shape", "may_be"),
    [((), True), ((4,), True), ((1, 4, 1, 1), True), ((2, 4), False), ((2, 1, 4), False)],
)
def test_the_parameters_of_a_norm_are_vectors_whatever_axes_they_are_given(shape, may_be):
    class Own(nn.Module):
        """A module of nobody's."""

    module = Own()
    assert may_be_norm(module)
    module.register_parameter("gain", nn.Parameter(torch.ones(shape)))
    assert may_be_norm(module) == may_be
    module.add_module("inner", Own())
    assert not may_be_norm(module)
