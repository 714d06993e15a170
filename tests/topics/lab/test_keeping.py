"""What is found of visitors' jobs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection

from lnviz.database import connection as database
from lnviz.topics.lab import keeping
from lnviz.training.experiment import TrainingSpec
from lnviz.training.record import LoggedMetrics
from lnviz.training.store import Chunk, RunRepository

SPECIFICATION = TrainingSpec("digits", ("layer",), (4,), (0.1,), (0, 1), 50)


def test_a_visitors_job_is_found_by_all_of_its_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunRepository(f"sqlite:///{tmp_path / 'trainings.sqlite'}")
    monkeypatch.setattr(keeping, "store", lambda: store)
    job = store.add(SPECIFICATION, 50, {"torch": "2"}, worker="me")
    point = LoggedMetrics("layer", 4, 10, 1.5, {"loss": [1.0, None]})
    store.save_chunk(job.id, "me", Chunk(0, 10, 10, 1.5, [point], b"state"))
    found = keeping.record(job.id)
    assert found is not None
    assert (found.specification, found.metrics) == (SPECIFICATION, (point,))
    assert keeping.record(job.id[:8]) is None
    assert keeping.record("0" * 16) is None
    store.close()


def test_a_server_reads_all_of_its_file_once_however_many_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def read(connection: Connection) -> None:
        reads.append(connection)
        # The others come while it reads; that they wait is what the test is about.
        assert keeping.OPENING.locked()

    monkeypatch.setattr(database, "_check_integrity", read)
    monkeypatch.setenv(database.URL_VARIABLE, f"sqlite:///{tmp_path / 'trainings.sqlite'}")
    keeping._store.cache_clear()
    try:
        with ThreadPoolExecutor(8) as pool:
            (store,) = set(pool.map(lambda _: keeping.store(), range(8)))
        store.close()
    finally:
        keeping._store.cache_clear()
    assert len(reads) == 1
