from pathlib import Path

import pytest
import torch

from lnviz.results import COST_CPU
from lnviz.topics.cost import block, kernels, measure
from lnviz.topics.cost.costs import from_json


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without compiling, and with as few widths as there can be; memory as it is."""

    def little(asked: kernels.Specification, on: torch.device) -> kernels.Kernels:
        ways = ("written", "function")
        return whole_kernels(kernels.Specification(asked.rows, (4,), asked.rounds, 1e-6, ways), on)

    def narrow(asked: block.Specification, on: torch.device) -> block.Blocks:
        return whole_blocks(block.Specification(asked.tokens, (32,), asked.rounds, 1e-6), on)

    whole_kernels, whole_blocks = kernels.measure, block.measure
    monkeypatch.setattr(kernels, "measure", little)
    monkeypatch.setattr(block, "measure", narrow)
    monkeypatch.setattr(measure, "keep_memory", lambda: None)


@pytest.mark.usefixtures("small")
def test_the_command_writes_what_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "costs.json"
    options = "--device cpu --rows 2 --rounds 1 --tokens 2 --block-rounds 1 --out"
    monkeypatch.setattr("sys.argv", ["measure", *options.split(), str(out)])
    measure.main()
    found = from_json(out.read_text(encoding="utf-8"), COST_CPU)
    assert found.kernels.specification.rows == 2
    assert found.blocks.specification.tokens == 2
    assert "had a core for" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--rounds 0", "rounds must be 1 or more, got 0"),
        ("--tokens -1", "tokens must be 1 or more, got -1"),
    ],
)
@pytest.mark.usefixtures("small")
def test_what_cannot_be_measured_is_refused(
    options: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["measure", "--device", "cpu", *options.split()])
    with pytest.raises(SystemExit):
        measure.main()
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_a_machine_without_cuda_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["measure", "--device", "cuda"])
    with pytest.raises(SystemExit):
        measure.main()
    assert "finds no CUDA device here. Measure the CPU: --device cpu" in capsys.readouterr().err
