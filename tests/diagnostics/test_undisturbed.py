"""A watched model computes what it computes without: no exception, no other value, no trace."""

import copy
import io
import warnings
from functools import partial
from threading import Barrier, Event, Thread

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lnviz
from lnviz.diagnostics import NormWatcher
from tests.diagnostics.models import WIDTH, OwnRMS, Reader, read

X = torch.randn(4, 6, 16, generator=torch.Generator().manual_seed(0))


class Plain(nn.Module):
    """RMSNorm whose input is used twice, and whose output is added to it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6))


class NamedNorm(nn.Module):
    """A class called a norm that fits no formula, or raises."""

    def __init__(self, raises: bool = False) -> None:
        super().__init__()
        self.raises = raises

    def forward(self, x):
        if self.raises:
            raise ArithmeticError("no batch")
        return x.sin()


def transformer():
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2).eval()


def masked():
    mask = torch.zeros(4, 6, dtype=torch.bool)
    mask[0, 4:] = True
    return mask


def jagged():
    parts = [X[0], X[1, :3]]
    return torch.nested.nested_tensor(parts, layout=torch.jagged)


def nested():
    return torch.nested.nested_tensor([X[0], X[1, :3]])


def complex_norm():
    class ComplexNorm(nn.Module):
        def forward(self, x):
            return x / x.abs().square().mean(-1, keepdim=True).sqrt()

    return ComplexNorm()


def alone():
    return nn.Sequential(nn.LayerNorm(16))


def both():
    return nn.Sequential(nn.LayerNorm(16), Plain(16))


def named():
    return nn.Sequential(NamedNorm())


def identity_norm():
    class IdentityNorm(nn.Identity):
        """A class called a norm that takes any format."""

    return nn.Sequential(IdentityNorm())


def spoiled(m):
    m[1].weight.data.fill_(torch.nan)
    return m(X)


CALLS = {
    "float64": (lambda: alone().double(), lambda m: m(X.double())),
    "float8": (identity_norm, lambda m: m(X.to(torch.float8_e5m2)).float()),
    "padding mask": (transformer, lambda m: m(X, src_key_padding_mask=masked())),
    "jagged": (alone, lambda m: m(jagged()).values()),
    "nested": (alone, lambda m: torch.cat(m(nested()).unbind())),
    "(N, L)": (lambda: nn.InstanceNorm1d(4), lambda m: m(X[:, 0])),
    "unbatched": (lambda: nn.InstanceNorm2d(4), lambda m: m(X)),
    "empty": (alone, lambda m: m(X[:0])),
    "no axis": (named, lambda m: m(torch.tensor(1.0))),
    "complex": (complex_norm, lambda m: m(X.to(torch.complex64))),
    "integers": (named, lambda m: m(torch.arange(3))),
    "meta": (lambda: nn.LayerNorm(16, device="meta"), lambda m: m(X.to("meta")).shape[0] * X),
    "scripted": (lambda: torch.jit.script(alone()), lambda m: m(X)),
    "traced": (lambda: torch.jit.trace(alone(), X), lambda m: m(X)),
    "tracing": (alone, lambda m: torch.jit.trace(m, X)(X)),
    "exporting": (alone, lambda m: torch.export.export(m, (X,)).module()(X)),
    "strictly": (alone, lambda m: torch.export.export(m, (X,), strict=True).module()(X)),
    "compiling": (both, lambda m: torch.compile(m, backend="eager")(X)),
    "vmap": (both, lambda m: torch.func.vmap(m)(X)),
    "grad": (both, lambda m: torch.func.grad(lambda x: m(x).sum())(X)),
    "vmap after a call": (both, lambda m: m(X) + torch.func.vmap(m)(X)),
    "inference mode": (both, torch.inference_mode()(lambda m: m(X))),
    "sparse": (named, lambda m: m(X[0].to_sparse()).to_dense()),
    "infinite": (both, lambda m: m(X / 0.0)),
    "gains of NaN": (both, spoiled),
    "nothing": (both, lambda m: X),
    "one value": (lambda: nn.Sequential(nn.LayerNorm(1)), lambda m: m(X[..., :1])),
    "copied": (alone, lambda m: copy.deepcopy(m)(X)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_whatever_arrives_outputs_are_the_same_and_nothing_is_raised(name):
    make, call = CALLS[name]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own: a prototype, a division of no mean
        model = make()
        plain = call(model)
        with lnviz.watch(model) as watched:
            same = call(model)
    torch.testing.assert_close(plain, same, rtol=0, atol=0, equal_nan=True)
    assert isinstance(watched.findings, tuple)
    assert watched.report()
    assert watched._repr_html_()
    assert len(watched.to_frame()) == sum(
        len(norm.calls["call"]) for norm in watched.norms.values()
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("complex", "the model (ComplexNorm): "),
        ("integers", "0 (NamedNorm): "),
        ("scripted", "0 (LayerNorm): it is scripted or traced"),
        ("traced", "0 (LayerNorm): it is scripted or traced"),
        ("tracing", "0 (LayerNorm): it was called while the model was traced or exported"),
        ("exporting", "0 (LayerNorm): it was called while the model was traced or exported"),
        ("vmap", "0 (LayerNorm): its input has no values"),
        ("grad", "0 (LayerNorm): its input has no values"),
        ("meta", "the model (LayerNorm): its input has no values"),
    ],
)
def test_what_cannot_be_followed_is_listed_with_the_reason(name, says):
    make, call = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make()
        with NormWatcher(model) as watched:
            call(model)
    assert f"not followed: {says}" in watched.report()
    assert f"not followed: {says}" in watched._repr_html_()
    assert "no norm was called" not in watched.report()


def test_a_norm_that_raises_is_listed_with_its_error_and_the_error_is_the_models():
    model = nn.Sequential(nn.LayerNorm(16), NamedNorm(raises=True))
    with NormWatcher(model) as watched, pytest.raises(ArithmeticError, match="no batch"):
        model(X)
    assert list(watched.norms) == ["0"]
    assert "not followed: 1 (NamedNorm): it raised ArithmeticError: no batch" in watched.report()


def test_a_norm_that_raises_inside_of_a_model_that_goes_on_is_listed():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = NamedNorm(raises=True), nn.LayerNorm(16)

        def forward(self, x):
            try:
                return self.first(x)
            except ArithmeticError:
                return self.second(x)

    with NormWatcher(Model()) as watched:
        watched.model(X)
    assert list(watched.norms) == ["second"]
    assert "not followed: first (NamedNorm): it raised an error" in watched.report()


def test_threads_that_call_norms_at_the_same_time_do_not_mix_them_up():
    class MeetingNorm(OwnRMS):
        def __init__(self, order):
            super().__init__(16)
            self.order = order

        def forward(self, x):
            if torch.is_grad_enabled():  # the model's call, not one that tells what this is
                met.wait()
                if self.order:
                    left.wait()
            return super().forward(x)

    met, left = Barrier(2), Event()
    model = nn.Sequential(MeetingNorm(0), MeetingNorm(1))

    def first():
        model[0](X)
        left.set()

    with NormWatcher(model) as watched:
        others = [Thread(target=first), Thread(target=lambda: model[1](X))]
        for other in others:
            other.start()
        for other in others:
            other.join()
    assert set(watched.norms) == {"0", "1"}
    assert "not followed" not in watched.report()


def test_a_model_can_be_saved_and_copied_inside_of_the_block_without_a_trace():
    model, file = nn.Sequential(nn.LayerNorm(16)), io.BytesIO()
    with NormWatcher(model) as watched:
        torch.save(model, file)
        copied = copy.deepcopy(model)
    file.seek(0)
    assert b"lnviz" not in file.getvalue()
    for other in (torch.load(file, weights_only=False), copied):
        assert torch.equal(other(X), model(X))
    assert not watched.norms


def loss_of(model, x):
    for block in model:
        x = x + block(x).tanh() * x
    return x.float().square().mean()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("norm", [Plain, OwnRMS, nn.LayerNorm, partial(OwnRMS, narrow=True)])
def test_gradients_are_the_same_to_the_last_bit(norm, dtype):
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), norm(16)) for _ in range(6))).to(dtype)
    x = X.to(dtype)

    def gradients():
        return torch.autograd.grad(loss_of(model, x), [*model.parameters()])

    plain = gradients()
    with NormWatcher(model) as watched:
        same = gradients()
    assert len(watched.norms) == 6
    for one, other in zip(plain, same, strict=True):
        assert torch.equal(one, other)


def test_the_gradient_of_an_input_is_that_through_the_norm_alone():
    norm, x = Plain(16), X.clone().requires_grad_()
    with NormWatcher(norm) as watched:
        ((norm(x) + 3 * x) ** 3).sum().backward()
    outer = torch.autograd.grad(((y := norm(x)) + 3 * x).pow(3).sum(), y, retain_graph=True)[0]
    (through,) = torch.autograd.grad(norm(x), x, outer)
    calls = watched.norms[""].calls
    assert float(calls["gradient_in"]) == pytest.approx(
        float(through.square().mean().sqrt()), rel=1e-5
    )
    assert float(calls["gradient_out"]) == pytest.approx(
        float(outer.square().mean().sqrt()), rel=1e-5
    )


def test_gradients_are_left_alone_on_demand():
    model = Reader()
    with lnviz.watch(model, gradients=False) as watched:
        read(model).backward()
    assert watched.to_frame()[["gradient_in", "gradient_out"]].isna().to_numpy().all()


def test_every_third_pass_is_recorded():
    model = nn.Sequential(nn.LayerNorm(16), nn.LayerNorm(16))
    with lnviz.watch(model, every=3) as watched:
        for _ in range(8):
            model(X).sum().backward()
    frame = watched.to_frame()
    assert frame["pass"].tolist() == [1, 1, 4, 4, 7, 7]
    assert frame["gradient_out"].notna().all()


def test_of_a_long_run_evenly_spaced_passes_are_kept():
    model = nn.Sequential(nn.Linear(16, WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH))
    with lnviz.watch(model, most_calls=16) as watched:
        for step in range(1, 101):
            model(step * X).sum().backward()
    frame = watched.to_frame()
    assert frame["pass"].unique().tolist() == [1, 17, 33, 49, 65, 81, 97]
    assert len(frame) == 14
    assert frame["gradient_out"].notna().all()
    first = frame[frame["norm"] == "1"].set_index("pass")["x_largest"]
    assert first[97] / first[17] == pytest.approx(97 / 17, rel=0.1)


def test_a_pass_of_very_many_calls_is_bounded():
    model = nn.Sequential(nn.LayerNorm(16))
    with lnviz.watch(model, most_calls=10) as watched:
        for _ in range(1000):
            model[0](X)
    assert len(watched.to_frame()) <= 20


@pytest.mark.parametrize("wrong", [{"every": 0}, {"most_calls": 0}])
def test_bounds_are_at_least_1(wrong):
    with pytest.raises(ValueError, match="at least 1"):
        lnviz.watch(nn.LayerNorm(16), **wrong)


class Inline(nn.Module):
    """A model with norms that are no modules."""

    def __init__(self, attention=False):
        super().__init__()
        self.norm, self.map = nn.LayerNorm(16), nn.Linear(16, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True) if attention else None

    def forward(self, x):
        for _ in range(2):
            x = F.rms_norm(self.map(F.layer_norm(self.norm(x), (16,))), (16,))
        return x if self.attention is None else self.attention(x, x, x)[0]


def test_norms_that_are_no_modules_are_counted():
    model = Inline()
    plain = model(X)
    with NormWatcher(model) as watched:
        same = model(X)
        same.sum().backward()
    assert torch.equal(plain, same)
    lines = [line for line in watched.report().splitlines() if line.startswith("not followed")]
    assert lines == [
        "not followed: F.layer_norm: it was called 2 times outside norm modules",
        "not followed: F.rms_norm: it was called 2 times outside norm modules",
    ]


@torch.no_grad()
def test_attention_takes_the_way_that_it_takes_without():
    model = Inline(attention=True).eval()
    plain = model(X)
    with NormWatcher(model) as watched:
        assert torch.equal(plain, model(X))
    assert "F.layer_norm" not in watched.report()
