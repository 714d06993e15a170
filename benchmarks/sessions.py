"""Open many sessions at the same moment, on a lesson and on an empty Streamlit page.

A session is opened as a browser opens it: a WebSocket to `/_stcore/stream`, then one message that
asks for the page. It is open when the server reports that the script has finished. All clients
start together, in this one process; the time is counted from that moment. The two servers run under
the same settings, and take turns.

    python -m benchmarks.sessions
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from time import perf_counter, sleep

from websockets.asyncio.client import connect

from benchmarks.harness import EMPTY, page, quantile, table
from tests.service.client import STREAM, STREAMLIT, finished, rerun
from tests.service.server import Server, serve

AIM = 5
"""The p95 of a lesson's sessions, as a multiple of an empty page's."""

WARM_UP_S = 40.0
"""Time for the app to import libraries and load its stored figures, after the first visitor."""


@dataclass(frozen=True)
class Session:
    """One session: seconds until its script had finished, and what came until then."""

    seconds: float
    messages: int
    size: int


async def open_session(server: Server, page_name: str, start: float) -> Session:
    """Open a session and read until its script has finished.

    Raises:
        ScriptFailed: The script did not finish well.
        RuntimeError: The connection was closed before.
    """
    messages = size = 0
    async with connect(
        f"ws://127.0.0.1:{server.port}{STREAM}",
        subprotocols=[STREAMLIT],
        origin=None,
        open_timeout=None,
        max_size=None,
    ) as socket:
        await socket.send(rerun(server.port, page_name))
        async for data in socket:
            messages, size = messages + 1, size + len(data)
            if finished(data):
                return Session(perf_counter() - start, messages, size)
    raise RuntimeError("the server closed the connection before the script had finished")


async def open_together(server: Server, page_name: str, count: int) -> list[Session]:
    """Open `count` sessions at the same moment."""
    start = perf_counter()
    return await asyncio.gather(*(open_session(server, page_name, start) for _ in range(count)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", default="axes", help="the lesson (default: axes)")
    options = parser.parse_args()
    lesson, empty = f"/{options.page}", "empty page"
    rounds: dict[str, list[list[Session]]] = {empty: [], lesson: []}
    with ExitStack() as stack:
        servers = {
            empty: (stack.enter_context(serve(stack.enter_context(page(EMPTY)))), ""),
            lesson: (stack.enter_context(serve()), options.page),
        }
        for server, name in servers.values():  # The first visitor waits for the imports.
            asyncio.run(open_together(server, name, 1))
        sleep(WARM_UP_S)
        for _ in range(options.rounds):
            for label, (server, name) in servers.items():
                rounds[label].append(asyncio.run(open_together(server, name, options.sessions)))
    print(f"{options.sessions} sessions at once; medians of {options.rounds} rounds.\n")
    rows = [_row(label, of) for label, of in rounds.items()]
    print(table(("page", "median s", "p95 s", "messages", "KB"), rows))
    ratios = [
        _p95(ours) / _p95(bare) for ours, bare in zip(rounds[lesson], rounds[empty], strict=True)
    ]
    spread = ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
    print(f"\np95 of {lesson} / p95 of the {empty}: {median(ratios):.2f} (rounds: {spread}).")
    print(f"The aim is at most {AIM}.")


def _p95(sessions: Sequence[Session]) -> float:
    return quantile([session.seconds for session in sessions], 0.95)


def _row(label: str, rounds: Sequence[Sequence[Session]]) -> tuple[str, ...]:
    middle = median(quantile([s.seconds for s in sessions], 0.5) for sessions in rounds)
    last = rounds[-1][-1]
    return (
        label,
        f"{middle:.2f}",
        f"{median(map(_p95, rounds)):.2f}",
        str(last.messages),
        f"{last.size / 1000:.1f}",
    )


if __name__ == "__main__":
    main()
