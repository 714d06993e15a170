"""What goes wrong in a class: processes die or stand still, a database is locked or gone."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from unittest import TestCase

import pytest
from sqlalchemy import select

from lnviz.database.models import AnswerRow
from lnviz.rooms import participation
from lnviz.rooms import store as storing
from lnviz.rooms.store import RoomStore
from tests.service.server import ROOT, keeping, python, running, streamlit
from tests.web.serving import Site, with_rooms
from tests.web.test_rooms import Lesson, Phone, listening


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rooms.sqlite"


@pytest.fixture
def site(file: Path) -> Iterator[Site]:
    with with_rooms(file) as site:
        yield site


@contextmanager
def process(file: Path) -> Iterator[tuple[Site, subprocess.Popen[str]]]:
    """Another process of the same server."""
    words = [sys.executable, "-m", "tests.rooms.process", str(file)]
    other = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert other.stdout is not None
    try:
        yield Site(int(other.stdout.readline())), other
    finally:
        other.kill()
        other.wait()
        other.stdout.close()


def kept(file: Path) -> dict[int, tuple[Any, int]]:
    """What the database has of each seat."""
    store = RoomStore(f"sqlite:///{file}")
    columns = select(AnswerRow.seat, AnswerRow.value, AnswerRow.attempt)
    answers = store.read(lambda session: session.execute(columns).all())
    store.close()
    return {seat: (value, n) for seat, value, n in answers}


def vote(site: Site, code: str, poll: int, number: int, done: Callable[[], None]) -> Any:
    """A student's attempts, until one is not answered: the seat and what was acknowledged last."""
    phone = Phone(site, code, f"student-{number}")
    seat, last = 0, None
    with suppress(OSError, HTTPException):
        seat = phone.enter().json["number"]
        for n in range(1, 9):
            answer = phone.vote(poll, n % 4, n)
            if answer.status == 200:
                last = (answer.json["value"], answer.json["attempt"])
                done()
    return seat, last


@pytest.mark.slow
def test_what_a_killed_process_has_acknowledged_is_kept_once(site: Site, file: Path) -> None:
    lesson = Lesson(site)
    poll = lesson.poll()
    with process(file) as (other, running), ThreadPoolExecutor(12) as pool:
        some = threading.Semaphore(0)
        told = [
            pool.submit(vote, other, lesson.code, poll, number, some.release)
            for number in range(12)
        ]
        for _ in range(20):
            some.acquire()
        running.kill()
        acknowledged = [each.result() for each in told]
    found = kept(file)
    for seat, last in acknowledged:
        if last is not None:
            # The one after it may have been kept, and nobody was told.
            assert found[seat][1] in (last[1], last[1] + 1)
            assert found[seat][0] == found[seat][1] % 4
    # The phones go on with another process, as if nothing had been.
    phone = Phone(site, lesson.code, "student-0")
    assert phone.enter().json["number"] == acknowledged[0][0]
    assert phone.vote(poll, 2, n=20).json == {"value": 2, "attempt": 20, "removals": 0}
    counts = lesson.ask("GET", lesson.at("/state?as=remote")).json["tally"]["counts"]
    assert sum(counts) == len(kept(file))


@pytest.mark.slow
def test_a_server_that_is_told_to_end_says_goodbye_and_has_kept_every_answer(
    tmp_path: Path,
) -> None:
    words = keeping(tmp_path)
    with running(python(streamlit(), tmp_path / "log", **words)) as server:
        site = Site(server.port)
        lesson = Lesson(site)
        poll = lesson.poll()
        phones = [Phone(site, lesson.code, f"student-{number}") for number in range(12)]
        numbers = [phone.enter().json["number"] for phone in phones]
        with ExitStack() as stack:
            streams = [
                stack.enter_context(listening(site, lesson.code, "seat", phone.cookie))
                for phone in phones
            ]
            for stream in streams:
                stream.until("room")
            acknowledged = {
                number: (phone.vote(poll, number % 4).json["value"], 1)
                for phone, number in zip(phones, numbers, strict=True)
            }
            began = time.monotonic()
            server.process.terminate()
            assert all(300 <= stream.until("bye")["retry"] <= 2000 for stream in streams)
            assert {stream.next() for stream in streams} == {("", None)}
        assert server.process.wait() in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 4.0  # and has not been given up
    assert kept(tmp_path / "lnviz-rooms.sqlite") == acknowledged


@pytest.mark.slow
def test_a_process_that_stands_still_keeps_nobody_from_voting_for_good(
    site: Site, file: Path
) -> None:
    lesson = Lesson(site)
    poll = lesson.poll()
    with process(file) as (other, running), ThreadPoolExecutor(4) as pool:
        some = threading.Semaphore(0)
        told = [
            pool.submit(vote, other, lesson.code, poll, number, some.release) for number in range(4)
        ]
        some.acquire()
        os.kill(running.pid, signal.SIGSTOP)
        phone = Phone(site, lesson.code, "classmate")
        statuses = {phone.enter().status}
        # Nobody notices, unless it was stopped while it wrote: they are told when to try again.
        assert statuses <= {200, 503}
        os.kill(running.pid, signal.SIGCONT)
        acknowledged = [each.result() for each in told]
        phone.enter()
        assert phone.vote(poll, 1).status == 200
    found = kept(file)
    assert all(found[seat] == last for seat, last in acknowledged)


def test_a_locked_database_is_said_in_a_sentence_and_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "LOCK_TIMEOUT_S", 0.1)
    with with_rooms(file) as site:
        lesson = Lesson(site)
        phone = Phone(site, lesson.code, "ann")
        phone.enter()
        poll = lesson.poll()
        assert phone.vote(poll, 1).status == 200
        with closing(sqlite3.connect(file)) as holder, TestCase().assertLogs():
            holder.execute("BEGIN IMMEDIATE")
            refused = phone.vote(poll, 2, n=2)
        assert refused.status == 503
        assert refused.json["detail"].endswith("Try again in a few minutes.")
        assert int(refused.headers["retry-after"]) > 0
        assert phone.ask("GET", "/state").json["you"]["answers"][str(poll)]["1"]["attempt"] == 1
        assert phone.vote(poll, 2, n=2).json == {"value": 2, "attempt": 2, "removals": 0}


def test_a_database_that_is_gone_is_said_in_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    with (
        TestCase().assertLogs(),
        with_rooms(folder / "rooms.sqlite") as site,
    ):
        phone = Phone(site, "482913", "ann")
        for answer in (phone.enter(), phone.ask("GET", "/state"), phone.ask("GET", "/events")):
            assert answer.status == 503
            assert answer.json["detail"].endswith(".")
        # The page of the phone is there, and asks by itself.
        assert site.get("/482913").status == 200


@pytest.mark.slow
def test_a_thousand_answers_of_one_student_take_none_from_a_classmate(site: Site) -> None:
    lesson = Lesson(site)
    poll = lesson.poll()
    one, mate = Phone(site, lesson.code, "one"), Phone(site, lesson.code, "mate")
    one.enter(), mate.enter()

    def attack(part: int) -> list[int]:
        return [one.vote(poll, n % 4, 250 * part + n).status for n in range(250)]

    with ThreadPoolExecutor(4) as pool:
        attacks = [pool.submit(attack, part) for part in range(4)]
        votes = [mate.vote(poll, n % 4, n).status for n in range(1, 6)]
        told = [status for each in attacks for status in each.result()]
    assert votes == [200] * 5
    assert set(told) == {200, 429}
    assert told.count(200) < 100
    tally = lesson.ask("GET", lesson.at("/state?as=remote")).json["tally"]
    assert (tally["answered"], sum(tally["counts"])) == (2, 2)


@pytest.mark.slow
def test_a_class_goes_on_in_a_room_that_somebody_fills_with_phones(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participation, "MAX_SEATS", 40)
    lesson = Lesson(site)
    poll = lesson.poll()
    mates = [Phone(site, lesson.code, f"mate-{number}") for number in range(10)]
    assert [mate.enter().status for mate in mates] == [200] * 10
    phones = [Phone(site, lesson.code, f"phone-{number}") for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda phone: phone.enter(), phones))
        votes = list(pool.map(lambda mate: mate.vote(poll, 1).status, mates))
    assert [answer.status for answer in told].count(200) == 30
    full = next(answer for answer in told if answer.status == 503)
    assert "All seats of this room are taken" in full.json["detail"]
    assert votes == [200] * 10
    assert mates[0].enter().json["number"] == 1


def test_a_stream_that_is_cut_leaves_nothing_behind(site: Site, file: Path) -> None:
    lesson = Lesson(site)
    phone = Phone(site, lesson.code, "ann")
    phone.enter()
    with listening(site, lesson.code, "remote", lesson.cookie) as remote:
        for _ in range(5):
            with listening(site, lesson.code, "seat", phone.cookie) as stream:
                stream.until("room")
        assert remote.until("tally", "away", 1)["here"] == 0
        with listening(site, lesson.code, "seat", phone.cookie) as stream:
            assert stream.until("room")["rev"] == lesson.state()["rev"]
            assert remote.until("tally", "here", 1)["away"] == 0
