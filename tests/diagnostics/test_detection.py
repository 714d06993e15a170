"""Norms are known by what they do."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.detection import detect_norm
from lnviz.diagnostics.fitting import sample_slices
from lnviz.diagnostics.norm_spec import (
    ADDED,
    GATED_INPUT,
    GATED_OUTPUT,
    IN_FLOAT32,
    IN_INPUT_DTYPE,
    NormSpec,
    is_norm,
    may_be_norm,
)
from lnviz.diagnostics.probe import Call, Probe
from tests.diagnostics.models import WIDTH, OwnRMS

X = torch.randn(4, 7, WIDTH, generator=torch.Generator().manual_seed(0)) * 3 + 0.2
IMAGES = torch.randn(4, WIDTH, 5, 6, generator=torch.Generator().manual_seed(0)) * 2 + 1


def spec_of(module, *inputs):
    """What a module is found to be, by one call."""
    return detect_norm(module, Call(inputs, {}, module(*inputs))).spec


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
    facts = spec_of(norm, x)
    assert is_norm(norm) or may_be_norm(norm)
    assert (facts.kind, facts.over, facts.gain) == (kind, over, gain)
    assert facts.eps == pytest.approx(eps, rel=1e-3)


UNIT = F.rms_norm(X, (WIDTH,))


@pytest.mark.parametrize(
    ("module", "x"),
    [(Scale(), X), (Squash(), X), (nn.Tanh(), X), (nn.Identity(), X), (nn.Identity(), UNIT)],
)
def test_what_is_no_norm_is_not_taken_for_one(module, x):
    assert spec_of(module, x) is None


def test_an_input_of_size_1_needs_another_to_tell():
    assert spec_of(OwnRMS(WIDTH), UNIT).eps == 1e-6


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_precision_of_the_statistics_is_told(dtype, narrow):
    norm, x = OwnRMS(WIDTH, narrow).to(dtype), X.to(dtype)
    assert spec_of(norm, x).precision == (IN_INPUT_DTYPE if narrow else IN_FLOAT32)


def test_a_norm_whose_squares_are_beyond_its_format_is_known_by_what_is_gone():
    norm, x = OwnRMS(WIDTH, narrow=True).half(), 1000 * X.half()
    assert not norm(x).any()
    facts = spec_of(norm, x)
    assert (facts.kind, facts.precision) == ("rms", IN_INPUT_DTYPE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_rmsnorm_without_an_epsilon_has_that_of_float32_for_16_bits(dtype):
    norm, x = nn.RMSNorm(WIDTH, dtype=dtype), (1e-2 * torch.randn(32, WIDTH)).to(dtype)
    with torch.no_grad():
        facts = spec_of(norm, x)
        right = F.rms_norm(x.double(), (WIDTH,), eps=facts.eps)
        torch.testing.assert_close(norm(x).double(), right, rtol=2e-2, atol=2e-2)
    assert facts.eps == torch.finfo(torch.float32).eps


def test_values_without_groups_are_taken_as_they_are():
    assert NormSpec("layer", (-1,)).split_groups(X) is X
    assert NormSpec("group", (2, 3, 4), groups=4).split_groups(IMAGES).shape == (4, 4, 16, 5, 6)


@pytest.mark.parametrize("shape", [(64, 64, 64), (1000, 10, 64), (3, 1000, 64), (2, 3, 5)])
@pytest.mark.parametrize("over", [(-1,), (1,), (-2, -1)])
def test_a_sample_is_of_whole_groups_and_bounded(shape, over):
    sample = torch.empty(shape, device="meta")[sample_slices(shape, over)]
    assert all(sample.shape[axis] == shape[axis] for axis in over)
    group = math.prod(shape[axis] for axis in over)
    most = max(2**15, group)
    assert group <= sample.numel() <= most
    assert sample.numel() == math.prod(shape) or sample.numel() > most // 4


@pytest.mark.slow
def test_a_module_that_takes_no_other_input_has_eight_calls_to_show_that_it_is_a_norm():
    class Own(OwnRMS):
        def forward(self, x):
            if not (torch.equal(x, UNIT) or torch.equal(x, X)):
                raise ValueError("another input")
            return super().forward(x)

    for silent, found in ((7, 1), (8, 0)):
        norm = Own(WIDTH)
        with NormWatcher(nn.Sequential(norm)) as watched:
            for _ in range(silent):
                norm(UNIT)
            norm(X)
            norm(X)
        assert len(watched.to_frame()) == 2 * found


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_precision_is_told_where_epsilon_outweighs_the_input(dtype, narrow):
    norm = OwnRMS(WIDTH, narrow).to(dtype)
    norm.variance_epsilon = 1.0
    x = (X / 6).to(dtype)
    assert spec_of(norm, x).precision == (IN_INPUT_DTYPE if narrow else IN_FLOAT32)


def test_an_overflow_is_known_beside_a_group_of_zeros():
    norm, x = OwnRMS(WIDTH, narrow=True).half(), X[0].half()
    x[0], x[1] = 0.0, 1000 * x[1]
    assert spec_of(norm, x).precision == IN_INPUT_DTYPE


@pytest.mark.parametrize(("norm", "kind"), [(OwnRMS(WIDTH), "rms"), (Written(), "layer")])
def test_of_an_input_without_a_mean_its_parameters_tell_what_a_norm_is(norm, kind):
    x = X - X.mean(-1, keepdim=True)
    assert spec_of(norm, x).kind == kind


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


class Own(nn.Module):
    """A norm of one line, with gains and biases of these shapes."""

    def __init__(self, line, gain=(WIDTH,), bias=(WIDTH,), start=1.0):
        super().__init__()
        self.line, self.a = line, nn.Parameter(torch.full(gain, start))
        self.b = nn.Parameter(torch.zeros(bias))

    def forward(self, *inputs):
        return self.line(self.a, self.b, *inputs)


class OwnNorm(Own):
    """Like `Own`, and called a norm."""


def rms(x, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


def standard(x, eps=1e-6, correction=0):
    variance = x.var(-1, keepdim=True, correction=correction)
    return (x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt()


def annotated(a, b, x):
    """LayerNorm as in the Annotated Transformer."""
    return a * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + b


def in_groups(a, b, x):
    return a * rms(x.unflatten(-1, (4, -1))).flatten(-2)


def own_rms(a, b, x):
    return a * rms(x)


OWN_RMS = NormSpec("rms", (-1,), 0, 1e-6, "a")
OTHERS = {
    "Annotated Transformer": (
        Own(annotated), [X], NormSpec("layer", (-1,), 0, 1e-6, "a", correction=1, eps_outside=True)
    ),
    "with one number": (
        Own(annotated, (), ()), [X],
        NormSpec("layer", (-1,), 0, 1e-6, "a", correction=1, eps_outside=True),
    ),
    "n - 1": (
        Own(lambda a, b, x: a * standard(x, 1e-5, 1) + b), [X],
        NormSpec("layer", (-1,), 0, 1e-5, "a", correction=1),
    ),
    "epsilon outside": (
        Own(lambda a, b, x: a * x / (x.square().mean(-1, keepdim=True).sqrt() + 1e-3)), [X],
        NormSpec("rms", (-1,), 0, 1e-3, "a", eps_outside=True),
    ),
    "hard-coded epsilon": (
        Own(lambda a, b, x: a * standard(x, 1e-5) + b), [UNIT],
        NormSpec("layer", (-1,), 0, 1e-5, "a"),
    ),
    "heads": (
        OwnNorm(lambda a, b, x: a * standard(x), (4, 16), (1,)), [X.unflatten(-1, (4, 16))],
        NormSpec("layer", (-1,), 0, 1e-6, "a"),
    ),
    "gate before": (
        Own(lambda a, b, x, gate: a * rms(x * F.silu(gate))), [X, X.flip(0)],
        NormSpec("rms", (-1,), 0, 1e-6, "a", extra=GATED_INPUT),
    ),
    "gate after": (
        Own(lambda a, b, x, gate: a * rms(x) * F.silu(gate)), [X, X.flip(0)],
        NormSpec("rms", (-1,), 0, 1e-6, "a", extra=GATED_OUTPUT),
    ),
    "add and norm": (
        Own(lambda a, b, x, y: a * standard(x + y) + b), [X, X.flip(0)],
        NormSpec("layer", (-1,), 0, 1e-6, "a", extra=ADDED),
    ),
    "add and norm, both returned": (
        Own(lambda a, b, x, y: (a * rms(x + y), x + y)), [X, X.flip(0)],
        NormSpec("rms", (-1,), 0, 1e-6, "a", extra=ADDED),
    ),
    "activation": (
        OwnNorm(lambda a, b, x: F.gelu(a * standard(x) + b)), [X],
        NormSpec("layer", (-1,), 0, 0.0, "a", extra="gelu"),
    ),
    "groups": (OwnNorm(in_groups), [X], NormSpec("rms", (-1,), 4, 1e-6, "a")),
    "gains of 0": (Own(own_rms, start=0.0), [X], OWN_RMS),
    "1 + gains of 0": (
        Own(lambda a, b, x: (1 + a) * rms(x), start=0.0), [UNIT], replace(OWN_RMS, gain="1 + a")
    ),
    "infinite input": (Own(own_rms), [X / 0.0], OWN_RMS),
    "gain of NaN": (Own(own_rms, start=torch.nan), [X], OWN_RMS),
    "tiny input": (Own(own_rms), [1e-5 * X], OWN_RMS),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_conventions_are_told(name):
    norm, inputs, expected = OTHERS[name]
    assert may_be_norm(norm)
    found = spec_of(norm, *inputs)
    assert found.eps == pytest.approx(expected.eps, rel=1e-2)
    same = {"eps": found.eps, "precision": found.precision, "detected_by": "doing"}
    assert found == replace(expected, **same)


def test_the_report_says_which_convention_a_norm_has():
    with NormWatcher(nn.Sequential(Own(annotated))) as watched:
        watched.model(X)
    assert "gain a, divides by n − 1, ε outside the root" in watched.report()


def test_statistics_are_those_of_what_is_normalized():
    norm = Own(lambda a, b, x, gate: a * rms(x * F.silu(gate)))
    with NormWatcher(norm) as watched:
        norm(X, X.flip(0))
    (found,) = watched.norms.values()
    expected = (X * F.silu(X.flip(0))).square().mean().sqrt()
    assert float(found.calls["x_rms"]) == pytest.approx(float(expected), rel=1e-5)


class Response(nn.Module):
    """GRN. Source: Woo et al. 2023 (arXiv 2301.00808)."""

    def __init__(self, start):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((1, 1, WIDTH), start))
        self.beta = nn.Parameter(torch.zeros(1, 1, WIDTH))

    def forward(self, x):
        size = x.norm(dim=1, keepdim=True)
        return self.gamma * (x * size / (size.mean(-1, keepdim=True) + 1e-6)) + self.beta + x


NO_NORMS = {
    "LayerScale": Own(lambda a, b, x: a * x, start=1e-5),
    "LayerScale of 1": Own(lambda a, b, x: a * x),
    "DropPath": Own(lambda a, b, x: x),
    "stochastic depth": Own(lambda a, b, x: x * (torch.rand(len(x), 1, 1) > 0.5) / 0.5),
    "GRN": Response(0.0),
    "trained GRN": Response(0.3),
    "affine": Own(lambda a, b, x: a * x + b),
    "scalar affine": Own(lambda a, b, x: a * x + b, (), ()),
    "DyT": Own(lambda a, b, x: a * (0.5 * x).tanh() + b),
    "temperature": Own(lambda a, b, x: x / 0.07),
    "scale": Own(lambda a, b, x: x * WIDTH**0.5),
    "fixed standardization": Own(lambda a, b, x: (x - 0.45) / 0.22),
    "positions": Own(lambda a, b, x: x + torch.linspace(0, 1, WIDTH)),
    "softmax": Own(lambda a, b, x: x.softmax(-1)),
}


@pytest.mark.parametrize("size", [1e-3, 0.03, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("name", NO_NORMS)
def test_a_layer_of_a_constant_factor_is_no_norm_at_any_size(name, size):
    for x in (size * X, size * UNIT, size * X[:1, :1]):
        assert spec_of(NO_NORMS[name], x) is None
        with NormWatcher(nn.Sequential(NO_NORMS[name])) as watched:
            watched.model(x)
        assert not watched.norms
        assert "not followed" not in watched.report()


def test_a_layer_of_a_constant_factor_is_no_norm_where_only_its_own_input_can_be_used(monkeypatch):
    monkeypatch.setattr(Probe, "is_possible", False)
    for size in (1e-3, 0.03, 0.3, 1.0, 10.0):
        for module in (NO_NORMS["LayerScale"], NO_NORMS["DropPath"], NO_NORMS["GRN"]):
            assert spec_of(module, size * X) is None
    assert spec_of(Own(lambda a, b, x: a * rms(x)), X).kind == "rms"


def test_norms_in_groups_are_followed_one_after_the_other():
    model = nn.Sequential(OwnNorm(in_groups), nn.Linear(WIDTH, WIDTH), OwnNorm(in_groups))
    with NormWatcher(model) as watched:
        model(X)
    assert [norm.group_size for norm in watched.norms.values()] == [16, 16]
    assert "not followed" not in watched.report()


def test_a_module_that_is_tried_keeps_its_state_its_hooks_and_the_random_numbers():
    class Counted(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.calls = nn.Parameter(torch.ones(WIDTH)), 0
            self.register_buffer("seen", torch.zeros(1))

        def forward(self, x):
            self.calls += 1
            self.seen += 1
            return F.dropout(self.weight * rms(x), 0.0, training=True)

    norm, hooked = Counted(), []
    weight = norm.weight
    norm.register_forward_hook(lambda *_: hooked.append(1))
    torch.manual_seed(0)
    norm(X)
    expected = torch.rand(3)
    torch.manual_seed(0)
    with NormWatcher(nn.Sequential(norm)) as watched:
        norm(X)
    assert torch.equal(torch.rand(3), expected)
    assert list(watched.norms) == ["0"]
    assert (norm.calls, float(norm.seen), len(hooked)) == (2, 2.0, 2)
    assert norm.weight is weight


def test_another_of_a_class_is_told_although_its_input_does_not_tell():
    model = nn.Sequential(OwnRMS(WIDTH), OwnRMS(WIDTH))
    model[1].variance_epsilon = 1e-3
    with NormWatcher(model) as watched:
        model[0](X)
        model[1](X / 0.0)
    assert [norm.spec.eps for norm in watched.norms.values()] == [1e-6, 1e-3]


def test_of_a_class_with_two_formulas_each_is_told():
    class Either(nn.Module):
        def __init__(self, centers):
            super().__init__()
            self.centers = centers

        def forward(self, x):
            return standard(x) if self.centers else rms(x)

    model = nn.Sequential(Either(True), Either(False), Either(True))
    with NormWatcher(model) as watched:
        for norm in model:
            norm(X)
    assert [norm.spec.kind for norm in watched.norms.values()] == ["layer", "rms", "layer"]
