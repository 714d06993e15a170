"""Trainings over HTTP: asked for, watched from anywhere, changed by whoever asked for them."""

import io
import json
import math
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import TestCase

import anyio
import pandas
import pytest
from starlette.requests import Request

from lnviz.database import session
from lnviz.database.connection import Database
from lnviz.training.chunks import Chunk
from lnviz.training.record import LoggedMetrics
from lnviz.training.run_repository import RunRepository
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity_cookie import COOKIE, ID_LENGTH
from lnviz.web.jobs import db_threads, endpoints
from tests.service.client import Answer, cookie
from tests.topics.lab.making import mnist_file
from tests.web.serving import Site

SMALL = {
    "experiment": "digits",
    "norms": ["none", "layer"],
    "batch_sizes": [32, 4],
    "rates": [0.001],
    "seeds": [0, 1],
    "steps": 60,
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunRepository]:
    opened = RunRepository(Database(f"sqlite:///{tmp_path / 'trainings.sqlite'}"))
    monkeypatch.setattr(session, "_database", lambda: opened.database)
    yield opened
    opened.database.close()


def ask(site: Site, document: Any = None, visitor: str = "a", **headers: str) -> Answer:
    body = json.dumps(SMALL if document is None else document).encode()
    given = {"content_type": "application/json", "cookie": cookie(visitor)} | headers
    return site.get("/jobs", method="POST", body=body, **given)


def get(site: Site, path: str, visitor: str = "a", method: str = "GET") -> Answer:
    return site.get(path, method=method, cookie=cookie(visitor))


def test_a_training_is_asked_for_and_watched_from_anywhere(
    site: Site, store: RunRepository
) -> None:
    answer = ask(site)
    assert answer.status == 201
    status = answer.json
    assert status == status | {"state": "queued", "done": 0, "steps": 240, "ahead": 0, "mine": True}
    assert status["title"] == (
        "A fully connected network for digits: no norm, LayerNorm; batches of 32, 4; 2 seeds"
    )
    seen = get(site, f"/jobs/{status['id']}", "another")
    assert seen.json == status | {"mine": False}
    assert "no-store" in seen.headers["cache-control"]
    assert [job["id"] for job in get(site, "/jobs").json["jobs"]] == [status["id"]]
    assert get(site, "/jobs", "another").json == {"jobs": []}
    (job,) = store.jobs.list_jobs()
    assert "a" not in (job.owner, "")


def test_a_running_training_says_how_far_it_is(site: Site, store: RunRepository) -> None:
    name = ask(site).json["id"]
    assert store.jobs.claim("worker") is not None
    points = [LoggedMetrics("none", 32, 0, 0.0, {"loss": [None, None]})]
    store.save_chunk(name, "worker", Chunk(0, 40, 40, 0.5, points, b"state"))
    status = get(site, f"/jobs/{name}").json
    assert (status["state"], status["pace"], status["left"]) == ("running", 80, 2.5)
    assert (status["points"], status["ahead"]) == (1, None)


def test_who_has_asked_pauses_resumes_and_stops_and_nobody_else(
    site: Site, store: RunRepository
) -> None:
    at = f"/jobs/{ask(site).json['id']}"
    refused = get(site, f"{at}/stop", "another", "POST")
    assert refused.status == 403
    assert "another browser" in refused.json["detail"]
    for change, state in (("pause", "paused"), ("resume", "queued"), ("stop", "stopped")):
        assert get(site, f"{at}/{change}", method="POST").json["state"] == state
    again = get(site, f"{at}/pause", method="POST")
    assert (again.status, "is stopped" in again.json["detail"]) == (409, True)
    assert get(site, f"{at}/explode", method="POST").status == 404
    assert get(site, f"{at}/stop").status == 404
    assert get(site, "/jobs/0000000000000000/stop", method="POST").status == 404


def test_a_visitor_has_one_training_at_a_time(site: Site, store: RunRepository) -> None:
    name = ask(site).json["id"]
    refused = ask(site)
    assert (refused.status, refused.json["id"]) == (409, name)
    assert ask(site, visitor="another").status == 201
    get(site, f"/jobs/{name}/pause", method="POST")
    assert ask(site).json["id"] == name
    get(site, f"/jobs/{name}/stop", method="POST")
    assert ask(site).status == 201
    assert get(site, f"/jobs/{name}/resume", method="POST").status == 409


def test_a_full_queue_asks_for_patience(
    site: Site, store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "MAX_QUEUED", 1)
    ask(site)
    refused = ask(site, visitor="another")
    assert (refused.status, refused.headers["retry-after"]) == (503, "60")
    assert "again in a minute" in refused.json["detail"]


def test_made_up_names_ask_for_one_training_together(site: Site, store: RunRepository) -> None:
    made_up = [f"{COOKIE}={n:_<{ID_LENGTH}}" for n in range(5)]
    answers = [ask(site, cookie=name).status for name in made_up]
    assert answers == [201, 409, 409, 409, 409]
    assert ask(site).status == 201


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "not a training specification"),
        (math.nan, "not a training specification"),
        ([], "not a training specification"),
        ("digits", "not a training specification"),
        (SMALL | {"experiment": "alchemy"}, "no experiment 'alchemy'"),
        (SMALL | {"experiment": {"a": []}}, "no experiment"),
        (SMALL | {"norms": 5}, "not a training specification"),
        (SMALL | {"norms": ["magic"]}, "no norm magic"),
        (SMALL | {"norms": [["layer"]]}, "no norm"),
        (SMALL | {"norms": []}, "Norms must not be empty"),
        (SMALL | {"batch_sizes": [0.5]}, "whole number from 1 to"),
        (SMALL | {"rates": ["fast"]}, "learning rate must be from"),
        (SMALL | {"seeds": [10**30]}, "seed must be a whole number"),
        (SMALL | {"steps": 10**9}, "number of steps"),
        (SMALL | {"steps": None}, "number of steps"),
        (SMALL | {"steps": 50_001, "every": 50_000}, "200,004 steps, more than 200,000"),
        (SMALL | {"steps": 100_000, "every": 1}, "measurements"),
        (SMALL | {"head": ["paper"]}, "no head"),
        (SMALL | {"norms": "layer"}, "are lists"),
        (SMALL | {"norms": {"layer": 1}}, "are lists"),
        (SMALL | {"file": "0" * 64}, "reads no file"),
        (SMALL | {"experiment": "mnist", "file": "0" * 64}, "no longer stored"),
        (SMALL | {"experiment": "mnist", "file": {"a": 1}}, "no longer stored"),
        (SMALL | {"experiment": "mnist"}, "file"),
        (SMALL | {"owner": "root"}, "not a training specification"),
    ],
)
def test_nonsense_is_refused_in_words(
    document: Any, sentence: str, site: Site, store: RunRepository
) -> None:
    answer = ask(site, document)
    assert answer.status == 422
    assert sentence in answer.json["detail"]
    assert "request must be JSON" not in answer.json["detail"]
    assert len(answer.json["detail"]) < 1000
    assert store.jobs.list_jobs() == []


HALF = b'{"norms": ["\\ud800"]}'  # of a character


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 60_000, HALF])
def test_what_is_no_json_is_refused_in_words(raw: bytes, site: Site, store: RunRepository) -> None:
    answer = site.get("/jobs", method="POST", body=raw, content_type="application/json")
    assert answer.status == 422
    assert answer.json["detail"].startswith("A training request must be JSON.")


def test_other_sites_pages_and_large_bodies_are_refused(site: Site, store: RunRepository) -> None:
    for origin in ("http://neighbor.school", f"http://127.0.0.1:{site.port + 1}", "null", ""):
        assert ask(site, origin=origin).status == 403, origin
    for kind in ("text/plain", ""):
        assert ask(site, content_type=kind).status == 415, kind
    assert ask(site, SMALL | {"norms": ["x" * 100_000]}).status == 413
    assert store.jobs.list_jobs() == []
    assert ask(site, origin=f"http://127.0.0.1:{site.port}").status == 201


def test_all_that_was_measured_can_be_taken_along(site: Site, store: RunRepository) -> None:
    name = ask(site).json["id"]
    store.jobs.claim("worker")
    values = {"loss": [1.5, None], "validation loss": [1, 2], "validation error": [0.5, 0.25]}
    store.save_chunk(
        name, "worker", Chunk(0, 10, 10, 1.0, [LoggedMetrics("none", 32, 10, 1.0, values)], b"s")
    )
    answer = get(site, f"/jobs/{name}.csv", "another")
    assert f"runs-{name}.csv" in answer.headers["content-disposition"]
    table = pandas.read_csv(io.BytesIO(answer.body))
    assert table["validation_error"].tolist() == [0.5, 0.25]
    other = pandas.read_parquet(io.BytesIO(get(site, f"/jobs/{name}.parquet").body))
    assert other["seed"].tolist() == [0, 1]
    assert get(site, "/jobs/0000000000000000.csv").status == 404


def test_a_file_is_handed_in_before_a_training_learns_from_it(
    site: Site, store: RunRepository
) -> None:
    def hand_in(raw: bytes, experiment: str = "mnist") -> Answer:
        return site.get(
            f"/jobs/files?experiment={experiment}",
            method="POST",
            body=raw,
            cookie=cookie("a"),
        )

    answer = hand_in(mnist_file())
    assert answer.status == 201
    asked = SMALL | {"experiment": "mnist", "file": answer.json["file"]}
    assert ask(site, asked).status == 201
    assert hand_in(b"no archive").status == 422
    assert hand_in(mnist_file(), "digits").status == 422
    assert hand_in(mnist_file(), "alchemy").status == 422


def test_a_database_that_is_away_is_said_in_words(
    site: Site, store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Database:
        return Database("sqlite:////proc/nowhere/trainings.sqlite")

    monkeypatch.setattr(session, "_database", away)
    with TestCase().assertLogs() as log:
        answer = ask(site)
    assert answer.status == 503
    assert answer.json["detail"].startswith("Stored data can’t be read or written right now.")
    assert "proc" not in answer.text
    assert "/proc/nowhere/trainings.sqlite" in log.output[0]


@pytest.mark.anyio
async def test_who_asks_first_waits_for_the_database_before_the_hundredth_of_somebody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(db_threads, "DB_THREADS", FairSemaphore(1, 99))
    order: list[str] = []
    go_on = threading.Event()

    def note(who: str) -> None:
        go_on.wait()
        order.append(who)

    async def ask_for(who: str) -> None:
        headers = [(b"cookie", cookie(who).encode())]
        request = Request({"type": "http", "client": ("here", 1), "headers": headers})
        await db_threads.run_in_db_thread(request, partial(note, who))

    async with anyio.create_task_group() as tasks:
        for who in [*["many"] * 9, "new"]:
            tasks.start_soon(ask_for, who)
            await anyio.sleep(0)
        go_on.set()
    assert order == ["many", "many", "new", *["many"] * 7]
