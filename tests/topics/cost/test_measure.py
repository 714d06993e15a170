from dataclasses import replace

import pytest
import torch

from lnviz.results.stored import Result
from lnviz.stored_results import main
from lnviz.topics.cost import block, kernels, measure
from lnviz.topics.cost.costs import costs, stored_costs
from lnviz.topics.cost.measure import COST_CPU, COST_CUDA, CostSpecification, arrays

CPU = torch.device("cpu")
SMALL = replace(CostSpecification(), **COST_CPU.quick)


@pytest.fixture
def memory_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of these tests goes on after the measurement."""
    monkeypatch.setattr(measure, "retain_freed_memory", lambda: None)


@pytest.mark.usefixtures("memory_as_it_is")
def test_the_command_makes_what_the_lesson_reads(capsys: pytest.CaptureFixture[str]) -> None:
    result = COST_CPU.compute(SMALL)
    found = costs("cpu", result)
    assert found.kernels.specification == SMALL.kernels
    assert found.blocks.specification == SMALL.blocks
    assert found.made_with.endswith(f" on {found.kernels.machine.words}.")
    said = capsys.readouterr().err
    assert "had a core for" in said
    assert "norms on their own" in said
    assert "blocks" in said


def test_what_was_measured_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "can_compile", lambda on: False)
    asked = replace(SMALL, ways=("written", "function", "compiled"), widths=(4, 8))
    found, blocks = kernels.measure(asked.kernels, CPU), block.measure(asked.blocks, CPU)
    assert found.specification.ways == ("written", "function")
    kept = arrays(found, blocks)
    header = replace(COST_CPU.result.header, device=found.machine.words)
    again = costs("cpu", Result(kept.axes, kept.arrays, asked, header))
    assert again.kernels == found
    assert again.blocks == blocks


def test_where_nobody_measured_a_graphics_card_the_lesson_has_none() -> None:
    assert ("cuda" in stored_costs()) == COST_CUDA.path.is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--rounds 0", "rounds must be 1 or more, got 0"),
        ("--tokens -1", "tokens must be 1 or more, got -1"),
        ("--ways alone", "ways are some of written, function, compiled"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["make", "cost-cpu", *options.split()])
    assert message in capsys.readouterr().err


def test_a_machine_without_cuda_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        main(["make", "cost-cuda", "--rows", "2"])
    assert "cost-cuda is made on a CUDA device, but PyTorch finds none" in capsys.readouterr().err
