"""Metrics and checkpoints: saved whole or not at all, whoever else writes."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lnviz.database.connection import Database
from lnviz.database.errors import StoreError
from lnviz.training import run_repository
from lnviz.training.record import LoggedMetrics
from lnviz.training.run_repository import RunRepository
from tests.databases import logged
from tests.training.samples import SPECIFICATION, chunk, metrics


def test_what_goes_in_comes_out(runs: RunRepository, url: str) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {"torch": "2"}, owner="somebody", worker="me")
    assert runs.save_chunk(job.id, "me", chunk(metrics(0), metrics(10), steps=20))
    assert runs.checkpoint(job.id, 0) == b"state"
    tested = LoggedMetrics("layer", 4, 20, 0, {"e": [1]})
    assert runs.save_chunk(
        job.id, "me", chunk(metrics(20), steps=20, state=b"", test_result=tested)
    )
    assert runs.save_chunk(job.id, "me", chunk(metrics(0, "rms"), group=1, steps=0, state=b"next"))
    again = RunRepository(Database(url))
    found = again.jobs.find(job.id)
    assert found is not None
    assert found.specification == SPECIFICATION
    assert (found.owner, found.steps, found.done) == ("somebody", 80, 40)
    assert (found.train_seconds, found.steps_per_s) == (1.5, 40)
    record = again.record(found)
    assert record.environment == {"torch": "2"}
    assert record.metrics == (metrics(0), metrics(10), metrics(20), metrics(0, "rms"))
    assert record.test_results == {("layer", 4): {"e": [1]}}
    assert again.count_measurements(job.id) == 5
    other = runs.jobs.add(SPECIFICATION, 80, {}, owner="another")
    assert again.count_measurements(other.id) == 0
    assert [again.checkpoint(job.id, group) for group in (0, 1, 2)] == [None, b"next", None]
    again.database.close()


def test_a_point_is_kept_once_and_all_or_nothing_is(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, worker="me")
    runs.save_chunk(job.id, "me", chunk(metrics(0), state=b"first"))
    with pytest.raises(StoreError), logged(r"(?i)unique"):
        runs.save_chunk(job.id, "me", chunk(metrics(10), metrics(0), state=b"second"))
    assert [m.step for m in runs.metrics(job.id)] == [0]
    assert runs.checkpoint(job.id, 0) == b"first"
    assert [found.done for found in runs.jobs.list_jobs()] == [10]


def test_writers_wait_for_each_other(url: str) -> None:
    def write(number: int) -> None:
        own = RunRepository(Database(url))
        job = own.jobs.add(SPECIFICATION, 80, {}, owner=str(number), worker="me")
        for step in range(10):
            assert own.save_chunk(job.id, "me", chunk(metrics(step), state=bytes(1000)))
        own.database.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    runs = RunRepository(Database(url))
    jobs = runs.jobs.list_jobs()
    assert len(jobs) == 6
    assert all(len(runs.metrics(job.id)) == 10 for job in jobs)
    runs.database.close()


def test_a_full_disk_is_said_in_words_and_costs_nothing_kept(file: Path) -> None:
    runs = RunRepository(Database(f"sqlite:///{file}"))
    job = runs.jobs.add(SPECIFICATION, 80, {}, worker="me")
    runs.save_chunk(job.id, "me", chunk(metrics(0), state=b"first"))
    # The file may not grow: to SQLite that is a full disk.
    with runs.database._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        connection.commit()
    with pytest.raises(StoreError), logged("full"):
        runs.save_chunk(job.id, "me", chunk(metrics(10), state=bytes(1_000_000)))
    runs.database.close()
    with closing(Database(f"sqlite:///{file}")) as opened:
        assert RunRepository(opened).checkpoint(job.id, 0) == b"first"


def test_a_record_is_found_by_the_whole_id_alone(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_repository, "get_database", lambda: runs.database)
    job = runs.jobs.add(SPECIFICATION, 50, {"torch": "2"}, worker="me")
    runs.save_chunk(job.id, "me", chunk(metrics(10)))
    found = run_repository.find_record(job.id)
    assert found is not None
    assert (found.specification, found.metrics) == (SPECIFICATION, (metrics(10),))
    assert run_repository.find_record(job.id[:8]) is None
    assert run_repository.find_record("0" * 16) is None
