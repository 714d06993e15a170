"""The networks trained on digits, and the result that is shipped."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from lnviz.results import RECURRENCE
from lnviz.results.making import to_json
from lnviz.topics.recurrence import train
from lnviz.topics.recurrence.comparison import Comparison, Specification, from_json, stored
from lnviz.topics.recurrence.reader import KINDS, Reader
from lnviz.topics.recurrence.sequences import digit_sequences, waiting

SMALL = Specification(units=6, steps=4, every=2, longest_wait=2, waits=(0, 2, 5), seeds=(1, 4, 6))


@pytest.fixture(scope="module")
def found() -> Comparison:
    return train.compare(SMALL)


def check(comparison: Comparison) -> None:
    """Hold a comparison's shapes and ranges to its specification."""
    specification = comparison.specification
    runs, points = len(specification.seeds), specification.steps // specification.every
    assert list(comparison.kinds) == list(KINDS)
    assert len(comparison.points) == points
    assert comparison.points[-1] == specification.steps
    for kind in comparison.kinds.values():
        for rows in (kind.loss, kind.test_loss, kind.accuracy):
            assert [len(row) for row in rows] == [points] * runs
        assert [len(row) for row in kind.accuracy_after] == [len(comparison.lengths)] * runs
        for share in (value for row in kind.accuracy + kind.accuracy_after for value in row):
            assert 0 <= share <= 1
        assert all(0 < loss < float("inf") for row in kind.loss for loss in row)
    gates = {"norm_ih": 4, "norm_hh": 4, "norm_cell": 1}
    assert set(comparison.remembered) == set(gates)
    for name, count in gates.items():
        for table in (comparison.remembered[name].mean, comparison.remembered[name].var):
            assert len(table) == comparison.longest
            assert {len(row) for row in table} == {count * specification.units}
    assert comparison.versions.keys() == {"python", "torch", "scikit-learn"}


@pytest.mark.slow
def test_a_comparison_holds_what_its_specification_says(found: Comparison) -> None:
    check(found)
    assert (found.read, found.longest, found.lengths) == (8, 10, (8, 10, 13))


def test_the_shipped_result_is_that_of_the_command_as_it_stands() -> None:
    text = RECURRENCE.path.read_text(encoding="utf-8")
    assert len(text) < 300_000
    shipped = from_json(text)
    assert shipped.specification == Specification()
    check(shipped)


def test_in_the_shipped_result_every_kind_has_learned() -> None:
    for kind in stored().kinds.values():
        assert min(row[-1] for row in kind.accuracy) > 0.5, kind.label
        assert max(row[0] for row in kind.accuracy) < 0.5, kind.label


def test_a_comparison_survives_being_written_and_read(found: Comparison) -> None:
    assert from_json(to_json(found)) == found


def test_training_again_gives_the_same(found: Comparison) -> None:
    lstm = {"lstm-layer": KINDS["lstm-layer"]}
    again = train.compare(SMALL, lstm).kinds["lstm-layer"]
    first = found.kinds["lstm-layer"]
    assert again == first


def test_the_seeds_of_a_run_do_not_depend_on_the_others(found: Comparison) -> None:
    lstm = {"lstm": KINDS["lstm"]}
    alone = train.compare(replace(SMALL, seeds=(4,)), lstm).kinds["lstm"]
    assert_close(
        torch.tensor(alone.loss[0]), torch.tensor(found.kinds["lstm"].loss[1]), rtol=1e-3, atol=0
    )


def test_norms_add_no_weights_but_gains_and_biases(found: Comparison) -> None:
    count = {key: kind.parameters for key, kind in found.kinds.items()}
    units = SMALL.units
    assert count["lstm"] == 4 * units * (8 + units + 1) + 10 * (units + 1)
    assert count["lstm-layer"] - count["lstm"] == 2 * (4 + 4 + 1) * units
    assert count["lstm-batch-gain-1"] == count["lstm-batch"]
    # The projections' norms have no bias.
    assert count["lstm-batch"] - count["lstm"] == (4 + 4 + 2) * units
    # Four norms for two biases.
    assert count["gru-layer"] - count["gru"] == 4 * 3 * units - 2 * 3 * units


def test_all_lengths_are_asked_about_in_one_pass() -> None:
    torch.manual_seed(0)
    model = Reader(KINDS["lstm-batch"].build(8, 6, 10), 10).eval()
    x = digit_sequences("rows").test.x[:5]
    whole = model(waiting(x, 20))
    for wait in (0, 7, 20):
        assert_close(whole[:, 7 + wait], model(waiting(x, wait))[:, -1])


def test_reports_count_the_batches_of_every_kind() -> None:
    seen: list[tuple[str, int]] = []
    kinds = {key: KINDS[key] for key in ("gru", "gru-layer")}
    train.compare(SMALL, kinds, report=lambda label, step: seen.append((label, step)))
    assert seen == [(kind.label, step) for kind in kinds.values() for step in range(1, 5)]


@pytest.mark.slow
def test_the_command_writes_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "result.json"
    words = "train --steps 2 --every 1 --units 4 --longest-wait 1 --seeds 2 --out"
    monkeypatch.setattr("sys.argv", [*words.split(), str(out)])
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    train.main()
    written = from_json(out.read_text(encoding="utf-8"))
    assert written.specification == Specification(
        steps=2, every=1, units=4, longest_wait=1, seeds=(0, 1)
    )
    printed = capsys.readouterr()
    assert "LSTM, LayerNorm                    [##############################] 2/2" in printed.err
    assert f"Written to {out}" in printed.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--steps 3 --every 2", "got every=2 for 3 steps. Use a divisor."),
        ("--units 1", "units must be 2 or more, got 1."),
        ("--reading columns", "A digit is read by rows or pixels, got 'columns'."),
        ("--seeds 0", "Runs need one seed or more"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["train", *words.split()])
    with pytest.raises(SystemExit):
        train.main()
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"specification": {}})])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="This is no comparison of recurrent networks"):
        from_json(text)
