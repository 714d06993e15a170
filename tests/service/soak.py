"""Readers through nginx and several processes, one of which is killed now and then."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.service.client import Asked, together
from tests.service.cluster import Cluster
from tests.service.reader import Reader
from tests.service.server import Server

RESTART_S = 1.0  # as in the unit of deploy/
LOOK_S = 2.0  # between two looks at the memory


@dataclass
class Outcome:
    """What came of a run.

    Attributes:
        began: When it did (`time.perf_counter`).
        seconds: That it took.
        asked: Every request, and every run of a page's script.
        lost: What was a reader's own and was not there any more.
        failed: What else went wrong, in words.
        reading: How many readers were still reading when the time was over.
        jobs: How many trainings were asked for, and how many of them had ended at the end.
        back: Seconds from the end of a session until another one had shown the page again.
        kills: Seconds until a process that was killed answered again.
        memory: For each life of a process: when, and megabytes.
    """

    began: float
    seconds: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    reading: int = 0
    jobs: tuple[int, int] = (0, 0)
    back: list[float] = field(default_factory=list)
    kills: list[float] = field(default_factory=list)
    memory: dict[tuple[int, int], list[tuple[float, float]]] = field(default_factory=dict)


def soak(
    through: Cluster, *, seconds: float, readers: int, every: float, pause: float, seed: int = 0
) -> Outcome:
    """Let readers read for a while, and say what came of it.

    Args:
        through: A cluster that runs.
        seconds: How long.
        readers: How many.
        every: Seconds between two kills.
        pause: Seconds a reader thinks between two actions, at most.
        seed: Of what the readers do.
    """
    start, over = time.perf_counter(), threading.Event()
    outcome = Outcome(start)
    all_readers = [
        Reader(through.port, Random(f"{seed} {number}"), pause) for number in range(readers)
    ]
    threads = [threading.Thread(target=reader.read, args=(over,)) for reader in all_readers]
    lives: Counter[int] = Counter()
    for thread in threads:
        thread.start()
    restarting: threading.Thread | None = None
    killed, victim = start, 0
    while (now := time.perf_counter()) - start < seconds:
        for number, server in enumerate(through.servers):
            if size := server.memory():
                life = outcome.memory.setdefault((number, lives[number]), [])
                life.append((now - start, size / 2**20))
        if now - killed >= every and (restarting is None or not restarting.is_alive()):
            killed = now
            through.servers[victim].kill()
            lives[victim] += 1
            restarting = threading.Thread(target=_restart, args=(through.servers[victim], outcome))
            restarting.start()
            victim = (victim + 1) % len(through.servers)
        over.wait(min(LOOK_S, every / 4))
    outcome.seconds = time.perf_counter() - start
    outcome.reading = sum(thread.is_alive() for thread in threads)
    over.set()
    for thread in (*threads, *([restarting] if restarting else [])):
        thread.join()
    outcome.asked = together(reader.client.told for reader in all_readers).asked
    for reader in all_readers:
        outcome.lost += reader.lost
        outcome.failed += reader.failed
        outcome.back += reader.back
    outcome.jobs = (
        sum(len(reader.jobs) for reader in all_readers),
        sum(reader.trained for reader in all_readers),
    )
    return outcome


def _restart(server: Server, outcome: Outcome) -> None:
    began = time.perf_counter()
    time.sleep(RESTART_S)
    server.launch()
    server.wait()
    outcome.kills.append(time.perf_counter() - began)
