"""An attack on the server, as one visitor of a class might try it, while another one reads.

What a review of an early version found is repeated point by point; "before" is what it found then.
Everything stays on this machine, is bounded, and the server ends with the script.

    python -m benchmarks.attack
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

from benchmarks.tables import quantile, table
from lnviz.book import PAGES
from lnviz.memory import CEILING
from tests.service.attacks import ATTACKER, FLOW, READER, Attacked, Size, attacked, slow
from tests.service.client import Client, Told
from tests.service.server import Server, serve

BEFORE = {
    "hostile addresses": "no 5xx",
    "dearest figures at once": "14.3 GB; 58 of 100 timed out, ready ones too",
    "hostile files": "no 5xx",
    "large files at once": "3.9 GB",
    "five bursts of messages": "others wait 55 s for one",
    "sessions, dropped": "held",
}
HEAD = (
    "attack",
    "before",
    "answers",
    "ready p95 s",
    "light p95 s",
    "page p95 s",
    "errors",
    "peak MB",
)


def ended(server: Server) -> float:
    """Seconds from SIGTERM to the end, with figures in work and files on their way."""
    with ThreadPoolExecutor(9) as pool:

        def ask(number: int) -> None:
            query = urlencode({"hidden": 20 + number, "steps": 500} | FLOW)
            with Client(server.port, f"last-{number}", ATTACKER) as client:
                client.attempt(f"/explorables/recurrence/flow.json?{query}")

        for number in range(8):
            pool.submit(ask, number)
        pool.submit(slow, server.port, Size(slow=20))
        time.sleep(1)
        begun = time.perf_counter()
        server.stop()
        return time.perf_counter() - begun


def fresh(size: Size) -> Counter[int]:
    """Statuses of five figures, asked for at once when a server has just begun to answer."""
    statuses: Counter[int] = Counter()
    paths = [f"/explorables/{p.slug}/{p.figures[0].name}.json" for p in PAGES if p.figures][:5]

    def ask(server: Server, path: str) -> int:
        with Client(server.port, address=READER) as client:
            return client.attempt(path).status

    for _ in range(size.starts):
        with serve() as server, ThreadPoolExecutor(len(paths)) as pool:
            statuses.update(pool.map(ask, [server] * len(paths), paths))
    return statuses


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--share", type=float, default=1.0, help="of each count")
    share = parser.parse_args().share
    size = Size(*(max(1, round(n * share)) for n in vars(Size()).values()))
    rows, leaks = [], 0
    with serve() as server:
        begin(server)
        print(f"At rest: {server.peak() / 2**20:.0f} MB; the ceiling is {CEILING / 2**20:.0f}.\n")
        for attack in attacked(server, size):
            rows.append(_row(attack))
            leaks += attack.told.leaks
            print(table(HEAD, rows[-1:]).splitlines()[-1], flush=True)
        seconds = ended(server)
    print("\n" + table(HEAD, rows))
    print(f"\nAnswers that hold what the server is made of: {leaks}.")
    print(f"From SIGTERM to the end: {seconds:.1f} s (before: 39).")
    print(
        f"Five figures at once on {size.starts} fresh servers: {dict(fresh(size))} (before: 500s)."
    )


def begin(server: Server) -> None:
    """Ask for every figure at rest, so that all are ready."""
    with Client(server.port, address=READER) as client:
        for page in PAGES:
            for figure in page.figures:
                client.attempt(f"/explorables/{page.slug}/{figure.name}.json")


def _row(attack: Attacked) -> Sequence[str]:
    return (
        attack.name,
        BEFORE.get(attack.name, "not measured"),
        attack.told.shown(),
        *(f"{_p95(attack.reader, kind):.2f}" for kind in ("ready", "light", "page")),
        f"{sum(n for status, n in attack.reader.statuses.items() if status != 200)}",
        f"{attack.peak / 2**20:.0f}",
    )


def _p95(told: Told, kind: str) -> float:
    return quantile(told.seconds(kind), 0.95)


if __name__ == "__main__":
    main()
