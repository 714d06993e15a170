from pathlib import Path

import pytest
import torch

from lnviz.topics.cost import machine as module
from lnviz.topics.cost.machine import Machine, machine, processor


def test_the_processor_is_the_one_that_linux_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Abacus 7\n\nmodel name\t: Abacus 8\n")
    monkeypatch.setattr(module, "CPUINFO", info)
    assert processor() == "Abacus 7"
    assert machine(torch.device("cpu"), 2) == Machine("cpu", "Abacus 7 (CPU, 2 threads)")
    assert machine(torch.device("cpu"), 1).words == "Abacus 7 (CPU, 1 thread)"


def test_a_system_that_names_none_is_asked_for_the_architecture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CPUINFO", tmp_path / "none")
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "abc64")
    assert processor() == "abc64"


def test_a_graphics_card_is_named_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.get_device_name", lambda on: "Loom")
    assert machine(torch.device("cuda"), 2) == Machine("cuda", "Loom")
