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
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

from benchmarks.tables import quantile, table
from tests.service.cluster import cluster
from tests.service.soak import Outcome, soak

WARM_S = 600.0  # of a process, in which it loads what its visitors need
BAR_S = 0.05  # p95 that one mark of the chart stands for


def p95(outcome: Outcome) -> dict[int, float]:
    """Return the p95 of what was answered in each minute, in seconds."""
    minutes: dict[int, list[float]] = {}
    for asked in outcome.asked:
        when = asked.began + asked.seconds - outcome.began
        if 0 < asked.status < 400 and when < outcome.seconds:
            minutes.setdefault(int(when // 60), []).append(asked.seconds)
    return {minute: quantile(minutes[minute], 0.95) for minute in sorted(minutes)}


def size(outcome: Outcome, minute: int) -> float:
    """Return the megabytes of the largest process in a minute."""
    looks = (look for life in outcome.memory.values() for look in life)
    return max((size for when, size in looks if when // 60 == minute), default=0.0)


def slope(outcome: Outcome) -> float | None:
    """Return the megabytes a minute by which a process grows once it is warm, if any is."""
    over = under = 0.0
    for life in outcome.memory.values():
        late = [(when / 60, size) for when, size in life if when - life[0][0] > WARM_S]
        if len(late) > 1:
            middle, level = mean(when for when, _ in late), mean(size for _, size in late)
            over += sum((when - middle) * (size - level) for when, size in late)
            under += sum((when - middle) ** 2 for when, _ in late)
    return over / under if under else None


def chart(outcome: Outcome) -> str:
    """Return one line for each minute."""
    lines = (
        f"{minute + 1:6d}  {size(outcome, minute):9.0f}  {value:7.2f}  {'#' * round(value / BAR_S)}"
        for minute, value in p95(outcome).items()
    )
    return "\n".join(("minute  MB, most  p95, s", *lines))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--readers", type=int, default=30)
    parser.add_argument("--kill-every", type=float, default=10.0, help="minutes (default: 10)")
    parser.add_argument("--pause", type=float, default=8.0, help="seconds at most (default: 8)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as through:
        outcome = soak(
            through,
            seconds=60 * options.minutes,
            readers=options.readers,
            every=60 * options.kill_every,
            pause=options.pause,
        )
        kept = Counter(kept for _, kept, _, _ in through.answered())
    statuses = Counter(asked.status for asked in outcome.asked)
    growth = slope(outcome)
    print(f"{options.readers} readers, {outcome.seconds / 60:.1f} minutes.\n")
    rows = (
        ("readers who still read at the end", f"{outcome.reading} of {options.readers}"),
        ("requests", f"{len(outcome.asked):,}"),
        ("of these from nginx's cache", f"{kept['HIT']:,} of {sum(kept.values()):,}"),
        (
            "statuses",
            ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items())),
        ),
        ("lost", str(len(outcome.lost))),
        ("failed", str(len(outcome.failed))),
        ("trainings asked for, ended", f"{outcome.jobs[0]}, {outcome.jobs[1]}"),
        ("processes killed", str(len(outcome.kills))),
        ("s until one answered again", _spread(outcome.kills)),
        ("s until a page was back", _spread(outcome.back)),
        (
            "MB of a process, at most",
            f"{max(m for life in outcome.memory.values() for _, m in life):.0f}",
        ),
        ("MB a minute, warm", "no process was warm" if growth is None else f"{growth:.2f}"),
    )
    print(table(("what", "found"), rows))
    print(f"\n{chart(outcome)}")
    for sentence in (*outcome.lost, *outcome.failed)[:20]:
        print(sentence)


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"median {median(values):.1f}, at most {max(values):.1f} ({len(values)})"


if __name__ == "__main__":
    main()
