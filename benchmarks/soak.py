"""Readers through nginx and three processes, one of which is killed now and then.

A reader opens a page and its session, looks at figures, also with other seeds, brings a table,
answers, looks again at what it brought before, and now and then asks for a training. A drag is
time alone: it asks the server for nothing. Who is refused asks again after `Retry-After`, as the
pages do; a session that ends is opened anew, as Streamlit does. Lost is what is not there any more:
a table or a training of a reader's own. All traffic stays on this machine.

    python -m benchmarks.soak --minutes 60
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import mean, median

from benchmarks.cluster import Cluster, cluster
from benchmarks.reader import Reader
from benchmarks.serving import quantile, table

RESTART_S = 1.0  # as in the unit of deploy/
LOOK_S = 2.0  # between two looks at the memory
WARM_S = 600.0  # of a process, in which it loads what its visitors need
BAR_S = 0.05  # p95 that one mark of the chart stands for


@dataclass
class Told:
    """What came of a run.

    Attributes:
        seconds: That it took.
        asked: When, how long, and which status, of every request.
        lost: What was a reader's own and was not there any more.
        failed: What else went wrong, in words.
        reading: How many readers were still reading when the time was over.
        jobs: How many trainings were asked for, and how many of them had ended at the end.
        back: Seconds from the end of a session until another one had shown the page again.
        kills: Seconds until a process that was killed answered again.
        memory: For each life of a process: when, and megabytes.
    """

    seconds: float = 0.0
    asked: list[tuple[float, float, int]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    reading: int = 0
    jobs: tuple[int, int] = (0, 0)
    back: list[float] = field(default_factory=list)
    kills: list[float] = field(default_factory=list)
    memory: dict[tuple[int, int], list[tuple[float, float]]] = field(default_factory=dict)

    def p95(self) -> dict[int, float]:
        """Return the p95 of each minute, in seconds."""
        minutes: dict[int, list[float]] = {}
        for when, took, status in self.asked:
            if status < 400 and when < self.seconds:
                minutes.setdefault(int(when // 60), []).append(took)
        return {minute: quantile(minutes[minute], 0.95) for minute in sorted(minutes)}

    def size(self, minute: int) -> float:
        """Return the megabytes of the largest process in a minute."""
        looks = (look for life in self.memory.values() for look in life)
        return max((size for when, size in looks if when // 60 == minute), default=0.0)

    def slope(self) -> float | None:
        """Return the megabytes a minute by which a process grows once it is warm, if any is."""
        over = under = 0.0
        for life in self.memory.values():
            late = [(when / 60, size) for when, size in life if when - life[0][0] > WARM_S]
            if len(late) > 1:
                middle, level = mean(when for when, _ in late), mean(size for _, size in late)
                over += sum((when - middle) * (size - level) for when, size in late)
                under += sum((when - middle) ** 2 for when, _ in late)
        return over / under if under else None


def soak(
    through: Cluster, *, seconds: float, readers: int, every: float, pause: float, seed: int = 0
) -> Told:
    """Let readers read for a while, and say what came of it.

    Args:
        through: A cluster that runs.
        seconds: How long.
        readers: How many.
        every: Seconds between two kills.
        pause: Seconds a reader thinks between two actions, at most.
        seed: Of what the readers do.
    """
    told, start, over = Told(), time.monotonic(), threading.Event()
    all_readers = [
        Reader(through.port, Random(f"{seed} {number}"), start, pause) for number in range(readers)
    ]
    threads = [threading.Thread(target=reader.read, args=(over,)) for reader in all_readers]
    lives: Counter[int] = Counter()
    for thread in threads:
        thread.start()
    restarting: threading.Thread | None = None
    killed, victim = start, 0
    while (now := time.monotonic()) - start < seconds:
        for number, size in enumerate(through.memory()):
            if size:
                life = told.memory.setdefault((number, lives[number]), [])
                life.append((now - start, size))
        if now - killed >= every and (restarting is None or not restarting.is_alive()):
            killed = now
            through.kill(victim)
            lives[victim] += 1
            restarting = threading.Thread(target=_restart, args=(through, victim, told))
            restarting.start()
            victim = (victim + 1) % len(through.ports)
        over.wait(min(LOOK_S, every / 4))
    told.seconds = time.monotonic() - start
    told.reading = sum(thread.is_alive() for thread in threads)
    over.set()
    for thread in (*threads, *([restarting] if restarting else [])):
        thread.join()
    for reader in all_readers:
        told.asked += reader.asked
        told.lost += reader.lost
        told.failed += reader.failed
        told.back += reader.back
    told.jobs = (
        sum(len(reader.jobs) for reader in all_readers),
        sum(reader.trained for reader in all_readers),
    )
    return told


def _restart(through: Cluster, number: int, told: Told) -> None:
    began = time.monotonic()
    time.sleep(RESTART_S)
    through.launch(number)
    through.wait(number)
    told.kills.append(time.monotonic() - began)


def chart(told: Told) -> str:
    """Return one line for each minute."""
    lines = (
        f"{minute + 1:6d}  {told.size(minute):9.0f}  {value:7.2f}  {'#' * round(value / BAR_S)}"
        for minute, value in told.p95().items()
    )
    return "\n".join(("minute  MB, most  p95, s", *lines))


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--readers", type=int, default=30)
    parser.add_argument("--kill-every", type=float, default=10.0, help="minutes (default: 10)")
    parser.add_argument("--pause", type=float, default=8.0, help="seconds at most (default: 8)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as through:
        told = soak(
            through,
            seconds=60 * options.minutes,
            readers=options.readers,
            every=60 * options.kill_every,
            pause=options.pause,
        )
        kept = Counter(kept for _, kept, _, _ in through.answered())
    statuses = Counter(status for _, _, status in told.asked)
    slope = told.slope()
    print(f"{options.readers} readers, {told.seconds / 60:.1f} minutes.\n")
    rows = (
        ("readers who still read at the end", f"{told.reading} of {options.readers}"),
        ("requests", f"{len(told.asked):,}"),
        ("of these from nginx's cache", f"{kept['HIT']:,} of {sum(kept.values()):,}"),
        (
            "statuses",
            ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items())),
        ),
        ("lost", str(len(told.lost))),
        ("failed", str(len(told.failed))),
        ("trainings asked for, ended", f"{told.jobs[0]}, {told.jobs[1]}"),
        ("processes killed", str(len(told.kills))),
        ("s until one answered again", _spread(told.kills)),
        ("s until a page was back", _spread(told.back)),
        (
            "MB of a process, at most",
            f"{max(m for life in told.memory.values() for _, m in life):.0f}",
        ),
        ("MB a minute, warm", "no process was warm" if slope is None else f"{slope:.2f}"),
    )
    print(table(("what", "found"), rows))
    print(f"\n{chart(told)}")
    for sentence in (*told.lost, *told.failed)[:20]:
        print(sentence)


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"median {median(values):.1f}, at most {max(values):.1f} ({len(values)})"


if __name__ == "__main__":
    main()
