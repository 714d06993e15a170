"""The command line: run, look, go on after a sudden end, and take along."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas
import pytest

from lnviz import background
from lnviz.database.connection import Database
from lnviz.database.errors import StoreError
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab import command as program
from lnviz.training import chunks, job_repository
from lnviz.training import worker as working
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.run_repository import RunRepository

SMALL = ["--norms", "layer", "batch", "--batch-sizes", "4", "1", "--seeds", "0", "2"]


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture
def call(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["lnviz train", "--database", url, *arguments])
        program.main()
        return capsys.readouterr().out

    return run


def test_runs_are_printed_as_json(call) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(call("run", "digits", *SMALL, "--steps", "30", "--json"))
    # BatchNorm finds no variance in a batch of one.
    assert [(f["norm"], f["batch_size"], f["seed"]) for f in found] == [
        *(("layer", size, seed) for size in (4, 1) for seed in (0, 2)),
        *(("batch", 4, seed) for seed in (0, 2)),
    ]
    alone = json.loads(
        call(
            "run",
            "digits",
            *SMALL[:2],
            *["--batch-sizes", "4", "--seeds", "2", "--steps", "30", "--json"],
        )
    )
    assert alone[0]["loss"] == pytest.approx(found[1]["loss"], abs=1e-5)
    assert alone[0]["test_error"] == pytest.approx(found[1]["test_error"], abs=1e-5)


def test_what_was_run_can_be_seen_and_taken_along(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    call("run", "digits", *SMALL, "--steps", "20", "--every", "8")
    line = call("list").splitlines()[0]
    assert "done" in line
    assert "layer, batch" in line
    name = line.split()[0]
    assert call("show", name[:6]).count("\n") == 8
    for ending, read in ((".csv", pandas.read_csv), (".parquet", pandas.read_parquet)):
        file = tmp_path / f"out{ending}"
        call("export", name, str(file))
        table = read(file)
        assert len(table) == 3 * 2 * 4  # groups, runs, points
        assert sorted(table["step"].unique()) == [0, 8, 16, 20]
        assert table["validation_error"].between(0, 1).all()
        last = table["step"] == 20
        assert table["test_error"][last].between(0, 1).all()
        assert table["test_error"][~last].isna().all()


def test_what_was_run_can_be_taken_along_as_a_record_with_fewer_digits(
    call,  # type: ignore[no-untyped-def]
    tmp_path: Path,
) -> None:
    call("run", "digits", *SMALL, "--steps", "20", "--every", "8")
    name = call("list").split()[0]
    file = tmp_path / "runs.json"
    call("export", name, str(file), "--digits", "3")
    record = json.loads(file.read_text(encoding="utf-8"))
    layer = [point for point in record["points"] if point["norm"] == "layer"]
    assert [point["step"] for point in layer if point["batch_size"] == 4] == [0, 8, 16, 20]
    shown = json.loads(call("show", name, "--json"))
    (tested,) = (
        outcome["tested"]
        for outcome in record["outcomes"]
        if (outcome["norm"], outcome["batch_size"]) == ("batch", 4)
    )
    assert tested["error"] == [float(f"{each['test_error']:.3g}") for each in shown[-2:]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "digits", "--norms", "foo"), "no norm foo"),
        (("run", "images", "--head", "paper"), "no head paper"),
        (("run", "digits", "--batch-sizes", "0", "5000"), "from 1 to 1078"),
        (("run", "digits", "--rates", "nan"), "learning rate"),
        (("run", "digits", "--seeds", "1", "1"), "List each once"),
        (("run", "digits", "--steps", "100000", "--batch-sizes", "1000"), "fewer steps"),
        (("run", "digits", "--seeds", *map(str, range(201))), "At most 200 runs"),
        (("run", "digits", "--norms", "batch", "--batch-sizes", "1"), "no variance"),
        (("show", "nothing"), "No job, or more than one"),
    ],
)
def test_nonsense_is_refused_in_words(call, arguments, sentence, capsys) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SystemExit):
        call(*arguments)
    assert sentence in capsys.readouterr().err
    assert call("list") == ""


# Far sooner than its few steps are done.
KEEPING_OFTEN = """
from lnviz.topics.lab import command
from lnviz.training import chunks
chunks.CHECKPOINT_S = 0.05
command.main()
"""


@pytest.mark.slow
def test_a_killed_training_goes_on_and_ends_as_if_nothing_had_been(  # type: ignore[no-untyped-def]
    call, runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = "digits --norms layer --batch-sizes 4 --seeds 0 1 --steps 600 --every 200"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            KEEPING_OFTEN,
            "--database",
            runs.database.url,
            "run",
            *wanted.split(),
        ],
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    while not (runs.jobs.list_jobs() and runs.jobs.list_jobs()[0].done):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (job,) = runs.jobs.list_jobs()
    assert job.state is JobState.RUNNING
    assert 0 < job.done < job.steps
    monkeypatch.setattr(job_repository, "LEASE", timedelta())
    resumed = json.loads(call("resume", job.id, "--json"))
    whole = json.loads(call("run", *wanted.split(), "--json"))
    assert resumed == whole
    name = call("list").split()[0]  # the latest
    points = [
        [replace(measured, seconds=0.0) for measured in runs.metrics(each)]
        for each in (job.id, name)
    ]
    assert points[0] == points[1]
    assert [point.step for point in points[0]] == [0, 200, 400, 600]


def small(runs: RunRepository, norms: tuple[str, ...] = ("layer",), **given: Any) -> TrainingJob:
    """A job of few steps, which a worker called "me" has."""
    digits = EXPERIMENTS["digits"]
    wanted = replace(digits.default, norms=norms, batch_sizes=(4,), seeds=(0,), **given)
    return runs.jobs.add(wanted, digits.total_steps(wanted), {}, worker="me")


def test_a_job_that_is_paused_keeps_what_there_is_and_can_go_on(runs: RunRepository) -> None:
    digits = EXPERIMENTS["digits"]
    job = small(runs, steps=9)

    def pause(_: str, step: int) -> None:
        if step == 5:
            runs.jobs.transition(job.id, JobState.PAUSED, among=(JobState.RUNNING,))
            leave.set()  # the next beat would

    leave = threading.Event()
    assert working.run_job(runs, job, digits, report=pause, stop_event=leave) is JobState.PAUSED
    found = runs.jobs.claim("another", job.id)
    assert found is not None
    assert found.done == 5
    assert working.run_job(runs, found, digits) is JobState.DONE
    assert len(runs.test_results(job.id)) == 1
    assert [point.step for point in runs.metrics(job.id)] == [0, 9]


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.STOPPED])
def test_a_worker_whose_job_is_taken_out_of_its_hands_leaves_before_long(
    state: JobState, runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "HEARTBEAT_S", 0.01)
    job = small(runs, steps=100_000)

    def move(_: str, step: int) -> None:
        if step == 20:
            runs.jobs.transition(job.id, state, among=(JobState.RUNNING,))

    assert working.run_job(runs, job, EXPERIMENTS["digits"], report=move) is state
    found = runs.jobs.find(job.id)
    assert found is not None
    assert 20 <= found.done < 100_000
    assert found.worker == ""


def test_a_worker_goes_on_giving_signs_of_life_after_any_error(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "HEARTBEAT_S", 0.001)
    monkeypatch.setattr(logging.getLogger(background.__name__), "handle", lambda _: None)
    job, beat = small(runs, steps=100_000), runs.jobs.heartbeat
    fails: list[Exception] = [KeyError("unexpected"), StoreError("away")]

    def beats(*args: str) -> bool:
        if fails:
            raise fails.pop()
        return beat(*args)

    def stop(_: str, step: int) -> None:
        if step == 1:
            runs.jobs.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))

    monkeypatch.setattr(runs.jobs, "heartbeat", beats)
    before = background.failures().get("heartbeat", 0)
    # The heartbeat alone tells it that the job was stopped.
    assert working.run_job(runs, job, EXPERIMENTS["digits"], report=stop) is JobState.STOPPED
    found = runs.jobs.find(job.id)
    assert found is not None
    assert found.done < found.steps
    assert background.failures()["heartbeat"] == before + 1


def test_whoever_runs_the_server_stops_one_training_or_all_of_visitors(  # type: ignore[no-untyped-def]
    call, runs: RunRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = EXPERIMENTS["digits"].default
    jobs = [runs.jobs.add(wanted, 80, {}, owner=owner) for owner in ("a", "b", "c", "")]
    runs.jobs.claim("worker", jobs[1].id)
    assert jobs[0].id in call("stop", jobs[0].id)
    with pytest.raises(SystemExit):
        call("stop", jobs[0].id)
    assert "nothing to stop" in capsys.readouterr().err
    assert call("stop", "--all").startswith("2 stopped.")
    states = [runs.jobs.state(job.id) for job in jobs]
    assert states == [JobState.STOPPED] * 3 + [JobState.QUEUED]


class Killed(BaseException):
    """Stands for the end of the process."""


def until(left: Iterator[int], write: Callable[..., bool]) -> Callable[..., bool]:
    """A way of writing that ends the process when no write is left."""

    def counted(*args: object, **kwargs: object) -> bool:
        if next(left, None) is None:
            raise Killed
        return write(*args, **kwargs)

    return counted


def kept(runs: RunRepository) -> Iterator[tuple[str, int, int]]:
    """What is kept of a job, without its times."""
    (job,) = runs.jobs.list_jobs()
    for point in runs.metrics(job.id):
        yield point.norm, point.batch_size, point.step


@pytest.mark.slow
@pytest.mark.parametrize("every_step", [True, False])
def test_wherever_a_training_ends_it_goes_on_and_no_point_is_lost_or_there_twice(
    every_step: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHECKPOINT_S", 0.0 if every_step else 1e9)
    digits = EXPERIMENTS["digits"]
    for writes in range(1, 12 if every_step else 6):
        runs = RunRepository(Database(f"sqlite:///{tmp_path / f'{writes}.sqlite'}"))
        job = small(runs, ("layer", "rms"), steps=3, every=2)
        with monkeypatch.context() as patch, suppress(Killed):
            left = iter(range(writes))
            patch.setattr(runs, "save_chunk", until(left, runs.save_chunk))
            patch.setattr(runs.jobs, "release", until(left, runs.jobs.release))
            working.run_job(runs, job, digits)
        if runs.jobs.state(job.id) is JobState.RUNNING:
            runs.jobs.requeue_dead("me")
            found = runs.jobs.claim("another", job.id)
            assert found is not None
            assert working.run_job(runs, found, digits) is JobState.DONE
        assert list(kept(runs)) == [(n, 4, s) for n in ("layer", "rms") for s in (0, 2, 3)]
        assert list(runs.test_results(job.id)) == [("layer", 4), ("rms", 4)]
        (done,) = runs.jobs.list_jobs()
        assert done.done == done.steps
        runs.database.close()


def test_a_worker_whose_job_has_been_given_to_another_keeps_nothing_more(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHECKPOINT_S", 0.0)
    digits = EXPERIMENTS["digits"]
    job = small(runs, steps=9, every=3)
    ended: list[JobState] = []

    def overtaken(_: str, step: int) -> None:
        if step == 4:
            runs.jobs.requeue_dead("me")
            taken = runs.jobs.claim("another", job.id)
            assert taken is not None
            ended.append(working.run_job(runs, taken, digits))

    assert working.run_job(runs, job, digits, report=overtaken) is JobState.DONE
    assert ended == [JobState.DONE]
    assert [point.step for point in runs.metrics(job.id)] == [0, 3, 6, 9]
    assert len(runs.test_results(job.id)) == 1
    assert [found.done for found in runs.jobs.list_jobs()] == [9]


def test_a_job_that_cannot_be_run_has_failed_and_says_why(  # type: ignore[no-untyped-def]
    call, runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "nice", lambda _: 0)
    wanted = replace(EXPERIMENTS["digits"].default, experiment="alchemy")
    job = runs.jobs.add(wanted, 1, {}, owner="visitor", worker="me")
    call("work", job.id, "me")
    failed = runs.jobs.find(job.id)
    assert failed is not None
    assert failed.state is JobState.FAILED
    assert "no experiment 'alchemy'" in failed.detail


def test_the_help_prints_no_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LNVIZ_DATABASE_URL", "postgresql+psycopg://me:secret@localhost/none")
    monkeypatch.setattr(sys, "argv", ["lnviz train", "--help"])
    with pytest.raises(SystemExit):
        program.main()
    shown = capsys.readouterr().out
    assert "LNVIZ_DATABASE_URL" in shown
    assert "secret" not in shown
