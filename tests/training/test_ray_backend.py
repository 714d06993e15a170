"""A job on a cluster of two workers gives what it gives here, whatever dies."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from lnviz.database.connection import Database
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.export import run_results
from lnviz.training.job import JobState
from lnviz.training.run_repository import RunRepository
from lnviz.training.worker import run_job

WANTED = (
    "digits --norms none layer --batch-sizes 4 --seeds 0 1 --steps 300 --every 150 --on ray --json"
)


def workers() -> list[int]:
    """The processes of a cluster that train: they are called as their groups are."""
    names = {file.parent.name: file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")}
    return [int(name) for name, line in names.items() if b", batches of 4" in line]


@pytest.mark.long
def test_groups_on_a_cluster_come_out_as_they_do_here_though_a_worker_is_killed(
    tmp_path: Path,
) -> None:
    pytest.importorskip("ray", reason="Ray cannot be had for this Python")
    url = f"sqlite:///{tmp_path / 'trainings.sqlite'}"
    runs = RunRepository(Database(url))
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "lnviz", "train", "--database", url),
            *("run", *WANTED.split()),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"RAY_ADDRESS": "local", "RAY_AUTH_MODE": "disabled"},
    )
    while len(both := workers()) < 2:  # a cluster has as many as the machine has cores
        assert running.poll() is None
        time.sleep(0.05)
    os.kill(both[0], signal.SIGKILL)
    there, _ = running.communicate()
    (job,) = runs.jobs.list_jobs()
    assert (job.state, job.done) == (JobState.DONE, job.steps)
    assert len(runs.metrics(job.id)) == 2 * 3
    digits = EXPERIMENTS["digits"]
    again = runs.jobs.add(job.specification, job.steps, {}, worker="here")
    assert run_job(runs, again, digits) is JobState.DONE
    assert json.loads(there) == run_results(runs.record(again))
    runs.database.close()


@pytest.mark.slow
def test_an_empty_address_is_none_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_ray = import_module("lnviz.training.ray_backend")
    addresses: list[str] = []
    monkeypatch.setenv("RAY_ADDRESS", "")
    monkeypatch.setattr(on_ray.ray, "init", lambda address, **_: addresses.append(address))
    monkeypatch.setattr(on_ray.ray, "shutdown", lambda: None)
    with on_ray._cluster():
        assert addresses == [on_ray.LOCAL]
    assert "RAY_ADDRESS is empty" in capsys.readouterr().err
