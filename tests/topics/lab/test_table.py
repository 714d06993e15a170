"""A reader's own table: how it is divided and standardized, what is learned, what is refused."""

import json
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch

from lnviz.data.uploads.labeled_table import LAYOUT
from lnviz.database.connection import Database
from lnviz.topics.lab import EXPERIMENTS, command
from lnviz.topics.lab.table import read
from lnviz.training.experiment import SpecificationError
from lnviz.training.run_repository import RunRepository
from tests.topics.lab.making import FILES, WITH_CASES, table_file

TABLE = WITH_CASES["table"]


def test_every_example_is_in_one_part_with_its_class_and_each_class_in_all() -> None:
    numbered = np.stack([np.arange(150.0), np.zeros(150)], 1)
    data = read(table_file(inputs=numbered))
    parts = (data.train, data.validation, data.test)
    assert [part.targets.bincount().tolist() for part in parts] == [[30] * 3, [10] * 3, [10] * 3]
    x, targets = (torch.cat([getattr(part, name) for part in parts]) for name in ("x", "targets"))
    assert torch.equal(targets[x[:, 0].argsort()], torch.arange(3).repeat_interleave(50))
    assert x[:, 0].unique().numel() == 150
    again = read(table_file(inputs=numbered))
    assert torch.equal(again.test.x, data.test.x)


def test_features_are_standardized_by_what_is_learned_and_a_constant_one_is_0() -> None:
    inputs = np.random.default_rng(0).normal(1e4, [3, 1e-2, 0], (150, 3))
    x = read(table_file(inputs=inputs)).train.x
    torch.testing.assert_close(x.mean(0), torch.zeros(3), rtol=0, atol=1e-5)
    torch.testing.assert_close(x.std(0, correction=0), torch.tensor([1.0, 1.0, 0.0]))


def test_the_network_has_the_sizes_of_the_table() -> None:
    sizes = [p.weight.shape for p in TABLE.build("layer", "plain") if hasattr(p, "in_features")]
    assert sizes == [(100, 4), (100, 100), (3, 100)]
    assert TABLE.build("batch", "paper")[-1].num_features == 3


@pytest.mark.slow
def test_what_is_printed_is_in_the_export_and_the_run_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'trainings.sqlite'}"
    (tmp_path / "table.npz").write_bytes(FILES["table"])

    def call(words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["lnviz train", "--database", url, *words.split()])
        command.main()
        return capsys.readouterr().out

    asked = "--norms layer batch --batch-sizes 32 --rates 0.01 --seeds 0 --steps 60 --json"
    printed = json.loads(call(f"run table --data {tmp_path / 'table.npz'} {asked}"))
    assert all(row["test_error"] < 0.4 for row in printed)
    store = RunRepository(Database(url))
    (job,) = store.jobs.list_jobs()
    store.database.close()
    assert job.specification.file == sha256(FILES["table"]).hexdigest()
    call(f"export {job.id} {tmp_path / 'runs.json'}")
    exported = (tmp_path / "runs.json").read_text("utf-8")
    for row in printed:
        assert f"{row['test_error']}" in exported
    assert job.specification.file in exported


def test_without_a_file_it_asks_for_one() -> None:
    with pytest.raises(
        SpecificationError, match="learns from a file that you upload, but got none"
    ):
        EXPERIMENTS["table"].check(EXPERIMENTS["table"].default)


def test_runs_of_one_table_do_not_go_on_with_another() -> None:
    other = TABLE.with_file(table_file(inputs=np.eye(150)))
    with pytest.raises(SpecificationError, match=r"Use the same file in both"):
        TABLE.check(replace(TABLE.default, file=other.default.file))
    assert other.build("none", "plain")[0].in_features == 150


def test_a_file_without_labels_is_refused() -> None:
    with pytest.raises(SpecificationError) as caught:
        EXPERIMENTS["table"].with_file(FILES["mnist"])
    assert str(caught.value) == (f'The file holds no array "inputs". {LAYOUT}')
