"""Every stored result: its file, its command, and what the command says."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lnviz.pretrained import PACKAGES
from lnviz.results import stored as room
from lnviz.results.stored import Artifact, read
from lnviz.stored_results import all_artifacts, main
from tests.topics.lab.making import mnist_file

ALL = all_artifacts()
ABSENT = {key for key, package in PACKAGES.items() if not package.is_installed()}
FIRST = {stored.make: stored for stored in reversed(ALL)}
"""Of each way to make results, one."""


def _marks(stored: Artifact[Any]) -> list[pytest.MarkDecorator]:
    if stored.name == "smollm2":
        return [pytest.mark.long]
    is_slow = stored.name in ("final-norm", "minilm") or stored is not FIRST[stored.make]
    return [pytest.mark.slow] if is_slow else []


MADE = [
    pytest.param(stored, id=stored.name, marks=_marks(stored))
    for stored in ALL
    if getattr(stored.default, "model", "") not in ABSENT
    and (stored.device != "cuda" or torch.cuda.is_available())
]
"""What can be made here: records of published models need these, and of the large one a minute;
what is made on a GPU needs one."""
KEPT = [stored for stored in ALL if stored.path.is_file()]


def test_every_file_of_the_room_is_declared_by_a_topic() -> None:
    files = {file.stem for file in room.RESULTS_DIR.glob("*.npz")}
    assert files == {stored.name for stored in KEPT}


@pytest.mark.parametrize("stored", KEPT, ids=lambda stored: stored.name)
def test_a_stored_result_says_what_it_is_and_how_it_was_made(stored: Artifact[Any]) -> None:
    result = stored.result
    assert result.specification == stored.default
    assert result.header.command == stored.command
    assert {"python", "torch", "scikit-learn"} >= set(result.header.versions) > {"torch"}
    assert result.header.device
    assert result.header.day[:2] == "20"
    used = {axis for array in result.arrays.values() for axis in array.dims}
    assert used <= set(result.axes)
    assert all(name.isidentifier() for name in (*result.axes, *result.arrays))


@pytest.mark.slow
@pytest.mark.parametrize("stored", MADE)
def test_the_command_makes_a_small_one_with_the_same_arrays(
    stored: Artifact[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    # The process of these tests goes on after the measurement.
    monkeypatch.setattr("lnviz.topics.cost.measure.retain_freed_memory", lambda: None)
    # In place of what `make mnist` brings.
    monkeypatch.setenv("LNVIZ_CACHE", str(tmp_path))
    (tmp_path / "mnist.npz").write_bytes(mnist_file())
    file = tmp_path / "result.npz"
    assert main(["make", stored.name, "--quick", "--out", str(file)]) == 0
    small = read(file, type(stored.default))
    assert small.specification == replace(stored.default, **stored.quick)
    assert small.header.fingerprint == stored.fingerprint
    if stored in KEPT:
        whole = read(stored.path, type(stored.default))
        for name, array in small.arrays.items():
            assert array.dims == whole.arrays[name].dims, name
            assert array.values.dtype == whole.arrays[name].values.dtype, name
        assert set(small.arrays) == set(whole.arrays)


def test_the_list_names_every_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    for stored in KEPT:
        assert f"{stored.name}: {stored.description}" in said
        assert f"{stored.result.header.day}, " in said


@pytest.mark.slow
def test_a_part_that_agrees_marks_its_result_and_another_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (stored,) = (stored for stored in ALL if stored.name == "regularizer")
    small = stored.compute(replace(stored.default, **stored.quick))
    other = replace(small, header=replace(small.header, fingerprint="other"))
    monkeypatch.setattr(room, "RESULTS_DIR", tmp_path)
    monkeypatch.setattr("lnviz.stored_results.all_artifacts", lambda: (stored,))
    monkeypatch.setattr(
        Artifact, "result", property(lambda self: read(self.path, type(self.default)))
    )
    room.write(other, stored.path)
    words = [f"--{name} {_words(value)}" for name, value in asdict(small.specification).items()]
    part = " ".join(words).replace("--seeds 0 3", "--seeds 3").split()
    assert main(["check"]) == 1
    assert "lnviz results verify regularizer" in capsys.readouterr().out
    assert main(["verify", "regularizer", *part]) == 0
    assert main(["check"]) == 0
    assert main(["verify", "regularizer", *part, "--rate", "0.3"]) == 1
    assert "does not match what its code computes now" in capsys.readouterr().err


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("make regularizer --images 100", "A batch has from 2 cases to all 100 images"),
        ("make regularizer --sizes 3 8", "Each size has to divide the last"),
        ("make nothing", "invalid choice: 'nothing'"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words.split())
    assert sentence in capsys.readouterr().err


def test_numbers_survive_being_packed(tmp_path: Path) -> None:
    values = {
        "half": torch.tensor([0.5, torch.nan, -2.0]),
        "single": torch.tensor([0.1, torch.inf, 1e-30]),
        "double": torch.tensor([0.1, 1e-300, 2.0], dtype=torch.float64),
        "whole": torch.tensor([-3, 70_000, 0]),
        "flag": torch.tensor([True, False, True]),
    }
    stored = KEPT[0]
    arrays = {name: room.NamedArray(("at",), tensor) for name, tensor in values.items()}
    written = replace(stored.result, axes={"at": (1, 2.5, "x")}, arrays=arrays)
    room.write(written, tmp_path / "one.npz")
    kept = read(tmp_path / "one.npz", type(stored.default))
    assert kept.axes == written.axes
    for name, tensor in values.items():
        torch.testing.assert_close(kept.tensor(name, "at"), tensor, rtol=0, atol=0, equal_nan=True)
