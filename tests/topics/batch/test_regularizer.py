"""Networks trained on few digits, and the result that is shipped."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from lnviz.results import REGULARIZER
from lnviz.results.making import to_json
from lnviz.topics.batch import regularizer
from lnviz.topics.batch.gaps import Gaps, Specification, from_json, stored
from lnviz.topics.batch.regularizer import NORMS, Ghost, compare

SMALL = Specification(units=4, images=8, sizes=(2, 4), epochs=1, seeds=(0, 3))


@pytest.fixture(scope="module")
def found() -> Gaps:
    return compare(SMALL)


def check(gaps: Gaps) -> None:
    """Hold a result's shapes and ranges to its specification."""
    specification = gaps.specification
    assert list(gaps.norms) == list(NORMS)
    for norm in gaps.norms.values():
        for rows in (norm.train_error, norm.test_error, norm.train_loss, norm.test_loss):
            assert len(rows) == len(specification.sizes)
            assert {len(row) for row in rows} == {len(specification.seeds)}
        assert all(0 <= value <= 1 for row in norm.train_error + norm.test_error for value in row)


def test_a_result_holds_what_its_specification_says_and_survives_being_written(
    found: Gaps,
) -> None:
    check(found)
    assert found.test == 1789
    assert from_json(to_json(found)) == found


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    check(stored())
    assert stored().specification == Specification()


def test_a_run_goes_as_it_would_by_itself(found: Gaps) -> None:
    alone = compare(replace(SMALL, seeds=(3,)))
    for key, norm in found.norms.items():
        together = torch.tensor(norm.test_loss)[:, 1:]
        assert_close(torch.tensor(alone.norms[key].test_loss), together, rtol=1e-3, atol=0)


def test_ghosts_over_the_whole_batch_are_batchnorm_step_by_step() -> None:
    torch.manual_seed(0)
    ghost, norm = Ghost(3, 8), nn.BatchNorm1d(3)
    for _ in range(3):
        x = torch.randn(8, 3) + 1
        assert_close(ghost.train()(x), norm.train()(x))
        assert_close(ghost.eval()(x), norm.eval()(x))


def test_a_ghost_standardizes_each_share_by_itself() -> None:
    torch.manual_seed(0)
    x = torch.randn(8, 3)
    expected = torch.cat([nn.BatchNorm1d(3)(share) for share in x.split(2)])
    assert_close(Ghost(3, 2)(x), expected)


def test_the_command_writes_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "result.json"
    words = f"regularizer --epochs 1 --units 2 --images 8 --seeds 1 --out {out}"
    few = partial(Specification, sizes=(2, 4))
    monkeypatch.setattr(regularizer, "Specification", few)
    monkeypatch.setattr("sys.argv", words.split())
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert f"python -m {regularizer.__name__}" == REGULARIZER.command
    regularizer.main()
    written = from_json(out.read_text(encoding="utf-8"))
    assert written.specification == few(epochs=1, units=2, images=8, seeds=(0,))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--images 100", "A batch has from 2 cases to all 100 images"),
        ("--seeds 0", "Runs need one seed or more"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["regularizer", *words.split()])
    with pytest.raises(SystemExit):
        regularizer.main()
    assert sentence in capsys.readouterr().err


def test_sizes_divide_the_largest() -> None:
    with pytest.raises(ValueError, match=r"^Each size has to divide the last, got \(3, 8\)\.$"):
        Specification(sizes=(3, 8))


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"specification": {}})])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="This is no comparison of batch sizes"):
        from_json(text)
