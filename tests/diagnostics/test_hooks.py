"""Hooks come and go, in whatever way a model is run."""

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

import lnviz
from lnviz.diagnostics import NormWatcher
from tests.diagnostics.models import WIDTH, OwnRMS, Reader, look, pictures, read


def hooks(model: nn.Module) -> int:
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, kind)) for module in model.modules() for kind in kinds)


def numbers(watched: NormWatcher) -> dict[str, tuple[float, ...]]:
    seen = watched.norms.items()
    names = ("x_rms", "y_rms", "gradient_in", "gradient_out")
    return {name: tuple(float(norm.calls[n][0]) for n in names) for name, norm in seen}


def test_no_hook_is_left_behind_the_block_also_when_it_raises():
    model = Reader()
    with NormWatcher(model) as watched:
        loss = read(model)
        assert hooks(model) > 0
    assert hooks(model) == 0
    loss.backward()
    assert watched.to_frame()["gradient_out"].isna().all()

    def fails() -> None:
        with NormWatcher(model):
            read(nn.Identity())

    with pytest.raises(RuntimeError):
        fails()
    assert hooks(model) == 0


def test_what_a_model_computes_and_its_gradients_stay_the_same():
    model = pictures()
    x = torch.randn(8, 3, 16, 16)
    plain = torch.autograd.grad(model(x).square().sum(), [*model.parameters()])
    with NormWatcher(model):
        watched = torch.autograd.grad(model(x).square().sum(), [*model.parameters()])
    for one, other in zip(plain, watched, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_numbers_are_those_of_the_input_and_of_the_gradients_through_the_norm():
    norm, x = nn.LayerNorm(WIDTH), torch.randn(5, 7, WIDTH, requires_grad=True)
    with NormWatcher(norm) as watched:
        y = norm(x)
        (y**3).sum().backward()
    (seen,) = watched.norms.values()
    expected = {
        "x_rms": x.square().mean().sqrt(),
        "x_mean": x.mean(),
        "x_largest": x.abs().max(),
        "component": x.abs().flatten().argmax() % WIDTH,
        "group": x.abs().flatten().argmax() // WIDTH,
        "y_rms": y.square().mean().sqrt(),
        "gradient_in": x.grad.square().mean().sqrt(),
        "gradient_out": (3 * y**2).square().mean().sqrt(),
        "epsilon": (1e-5 / (x.var(-1, correction=0) + 1e-5)).median(),
    }
    for name, value in expected.items():
        torch.testing.assert_close(
            seen.calls[name][0], value.detach().double(), rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointing_counts_a_call_once_and_gives_the_same_gradients(reentrant):
    torch.manual_seed(0)
    model = Reader()
    ids = torch.randint(50, (4, 12))

    def again(ids):
        x = model.embedding(ids)
        for block in model.blocks:
            x = checkpoint(block, x, use_reentrant=reentrant)
        return model.out(model.final(x))

    with NormWatcher(model) as plain:
        model(ids).square().mean().backward()
    with NormWatcher(model) as checkpointed:
        again(ids).square().mean().backward()
    assert len(checkpointed.to_frame()) == len(plain.to_frame()) == 7
    torch.testing.assert_close(numbers(plain), numbers(checkpointed))


def test_autocast_is_watched_with_float32_statistics():
    model = nn.Sequential(
        nn.Linear(8, WIDTH), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), OwnRMS(WIDTH)
    )
    with torch.autocast("cpu", torch.bfloat16), NormWatcher(model) as watched:
        model(torch.randn(16, 8)).float().square().mean().backward()
    assert [norm.dtype for norm in watched.norms.values()] == ["bfloat16", "bfloat16"]
    assert watched.norms["1"].calls["gradient_in"].isfinite().all()


@pytest.mark.slow
def test_a_compiled_model_runs_as_it_was_before():
    model = Reader()
    compiled = torch.compile(model, backend="eager")
    ids = torch.randint(50, (2, 5))
    with torch.no_grad():
        expected = compiled(ids)
        with NormWatcher(compiled) as watched:
            torch.testing.assert_close(compiled(ids), expected)
        torch.testing.assert_close(compiled(ids), expected)
    assert len(watched.norms) == 7


def test_it_works_inside_distributed_data_parallel(tmp_path):
    store = f"file://{tmp_path}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        model = DistributedDataParallel(Reader())
        with NormWatcher(model) as watched:
            read(model).backward()
    finally:
        torch.distributed.destroy_process_group()
    assert next(iter(watched.norms)) == "module.blocks.0.first"
    assert all(norm.calls["gradient_out"].isfinite().all() for norm in watched.norms.values())


def test_a_norm_that_is_called_twice_in_a_pass_has_two_calls():
    norm = nn.LayerNorm(8)
    model = nn.Sequential(nn.Linear(8, 8), norm, nn.Linear(8, 8), norm)
    with NormWatcher(model) as watched:
        for _ in range(3):
            model(torch.randn(4, 8))
    frame = watched.to_frame()
    assert frame["call"].tolist() == [1, 2, 3, 4, 5, 6]
    assert frame["pass"].tolist() == [1, 1, 2, 2, 3, 3]


def test_inputs_are_kept_up_to_a_number_of_bytes():
    model, x = nn.Sequential(nn.LayerNorm(8)), torch.randn(4, 8)
    with NormWatcher(model, keep="inputs", most=2 * x.nbytes) as watched:
        for _ in range(3):
            model(x)
    assert [torch.equal(kept, x) for kept in watched.inputs["0"]] == [True, True]


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        (lambda: NormWatcher("bert"), TypeError, "torch.nn.Module, but got str"),
        (
            lambda: NormWatcher(Reader(), keep="all"),
            ValueError,
            "'statistics' or 'inputs', but got 'all'",
        ),
    ],
)
def test_what_cannot_be_watched_is_refused_in_a_sentence(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_a_watched_model_is_not_scripted_and_the_error_says_when_it_is():
    model = nn.Sequential(nn.LayerNorm(8))
    with NormWatcher(model), pytest.raises(AttributeError, match="before the block or after it"):
        torch.jit.script(model)
    x = torch.randn(4, 8)
    assert torch.equal(torch.jit.script(model)(x), model(x))


def test_a_model_is_watched_once_at_a_time():
    with (
        NormWatcher(Reader()) as watched,
        pytest.raises(RuntimeError, match="End its `with` block first"),
    ):
        watched.__enter__()


def test_a_run_that_is_saved_is_the_same_when_it_is_read(tmp_path):
    model = Reader()
    with lnviz.watch(model) as watched:
        read(model).backward()
    watched.save(tmp_path / "run.lnviz")
    run = lnviz.load(tmp_path / "run.lnviz")
    assert run.report() == watched.report()
    assert run.findings == watched.findings
    assert run.to_frame().equals(watched.to_frame())
    assert run.norms["final"].spec == watched.norms["final"].spec
    assert torch.equal(run.norms["final"].gains, model.final.weight)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x80\x04K\x01."])
def test_a_file_that_is_no_run_is_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "run.lnviz").write_bytes(content)
    with pytest.raises(ValueError, match=r"^run\.lnviz is not a run that"):
        lnviz.load(tmp_path / "run.lnviz")


def test_a_model_without_norms_gets_a_sentence():
    model = nn.Sequential(nn.Linear(4, 4))
    with NormWatcher(model) as watched:
        model(torch.randn(2, 4))
    assert "no norm was called" in watched.report()
    assert watched.findings == ()


def test_the_report_names_findings_and_norms_in_text_and_in_html():
    model = pictures()
    with NormWatcher(model) as watched:
        look(model, examples=2)
    assert watched.report().splitlines()[2].startswith('batch at "1" and one other norm (warning')
    assert "each channel of all examples" in repr(watched)
    assert "<li><strong>batch at &quot;1&quot;" in watched._repr_html_()


def test_a_layer_that_returns_no_tensor_is_passed_over():
    class Pair(nn.Linear):
        def forward(self, x):
            return super().forward(x), x

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.pair, self.norm = Pair(8, 8), nn.LayerNorm(8)

        def forward(self, x):
            return self.norm(self.pair(x)[0])

    model = Model()
    with NormWatcher(model) as watched:
        model(torch.randn(4, 8))
    assert list(watched.norms) == ["norm"]


def test_a_watcher_begins_its_second_block_outside_of_a_pass():
    model = nn.Sequential(nn.LayerNorm(8))
    watched = NormWatcher(model)
    for _ in range(2):
        with watched:
            model[0](torch.randn(4, 8))
            model[0](torch.randn(4, 8))
    assert watched.to_frame()["pass"].tolist() == [0, 1, 2, 3]
