"""The network of digits under every norm, and the result that is shipped."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lnviz.results import LAB
from lnviz.results.making import to_json
from lnviz.topics.lab import DIGITS, __main__
from lnviz.topics.lab.comparison import SPECIFICATION, Comparison, Trained, from_json
from lnviz.topics.lab.digits import PAPER, PLAIN
from lnviz.training.experiment import SpecificationError
from lnviz.training.group import Group

SMALL = replace(SPECIFICATION, norms=("batch", "layer"), batch_sizes=(8, 1), seeds=(3, 1), steps=5)
SMALL = replace(SMALL, every=2)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return __main__.compare(SMALL)


def only(comparison: Comparison, norm: str, size: int, head: str = PLAIN) -> Trained:
    trained = comparison.find(norm, size, head)
    assert trained is not None
    return trained


def check(comparison: Comparison) -> None:
    """Hold a comparison's groups, shapes and ranges to its specification."""
    s = comparison.specification
    groups = [(norm, size, PLAIN) for norm, size in DIGITS.groups(s)]
    groups += [("batch", size, PAPER) for size in s.batch_sizes if size > 1]
    assert sorted((t.norm, t.batch_size, t.head) for t in comparison.trained) == sorted(groups)
    runs, points = len(s.seeds), len(comparison.points)
    for each in comparison.trained:
        for values in (each.validation_loss, each.validation_error):
            assert torch.tensor(values).shape == (runs, points)
        loss = [row[1:] for row in each.loss]
        assert all(row[0] is None for row in each.loss)
        assert torch.tensor(loss).isfinite().all()
        assert torch.tensor(each.test_error).shape == (runs,)
        assert torch.tensor(each.activations).shape == (3, points)
        assert torch.tensor(each.gradients).shape == (3, points)
        seconds = torch.tensor(each.seconds)
        assert (seconds.diff() > 0).all()
        assert len(each.gains) == len(each.gain_spreads)


def test_a_comparison_holds_what_its_specification_says(found: Comparison) -> None:
    check(found)
    assert found.points == (0, 2, 4, 5)
    assert (found.train, found.validation, found.test) == (1078, 364, 355)


def test_it_holds_what_a_group_measures(found: Comparison) -> None:
    group = Group(DIGITS, SMALL, "layer", 8)
    last = [point for point in group.points() if point][-1]
    trained = only(found, "layer", 8)
    ours = torch.tensor([row[-1] for row in trained.validation_loss])
    assert_close(ours, last.validation_loss, rtol=1e-3, atol=0)
    assert_close(torch.tensor(trained.test_error), group.tested().error, rtol=1e-3, atol=0)
    gains = torch.stack(list(last.scales["gains"].values())).mean(1)
    assert_close(torch.tensor([row[-1] for row in trained.gains]), gains, rtol=1e-3, atol=0)


def test_with_the_head_of_the_paper_batch_norm_has_one_more_norm(found: Comparison) -> None:
    assert len(only(found, "batch", 8).gains) == 2
    assert len(only(found, "batch", 8, PAPER).gains) == 3
    assert found.find("layer", 8, PAPER) is None


def test_written_and_read_it_is_the_same(found: Comparison) -> None:
    assert from_json(to_json(found)) == found


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(SpecificationError, match="A number of steps is a whole number from 1"):
        __main__.compare(replace(SMALL, steps=0))


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    shipped = from_json(LAB.path.read_text(encoding="utf-8"))
    assert shipped.specification == SPECIFICATION
    check(shipped)


def test_the_command_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(LAB, name=str(tmp_path / LAB.name))
    monkeypatch.setattr(__main__, "LAB", elsewhere)
    monkeypatch.setattr(__main__, "SPECIFICATION", SMALL)
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert __main__.__name__ == f"{LAB.command.split()[-1]}.__main__"
    monkeypatch.setattr("sys.argv", [LAB.command, "--steps", "2", "--seeds", "1"])
    __main__.main()
    written = from_json(elsewhere.path.read_text(encoding="utf-8"))
    assert written.specification == replace(SMALL, steps=2, seeds=(0,))
    assert "layer      1 plain  test error by seed: " in capsys.readouterr().out
