"""An attack on the server, as one visitor of a class might try it, while another one reads.

What a review of an early version found is repeated point by point; "before" is what it found then.
The attacker and the reader have addresses of their own on the loopback (127.0.0.3 and 127.0.0.2).
Everything stays on this machine, is bounded, and the server ends with the script.

    python -m benchmarks.attack
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks import fuzz
from benchmarks.asking import PATIENCE, READER, Client, Told, reading, rerun, session
from benchmarks.serving import APP, Server, serve, table
from lnviz.book import PAGES
from lnviz.memory import CEILING

ATTACKER = "127.0.0.3"
CALM_S = 3.0  # without an answer, after which a session waits for nothing more
FLOW = {"nonlinearity": "tanh", "input": "large"}


@dataclass(frozen=True)
class Size:
    """How many of each."""

    addresses: int = 10_000
    dear: int = 100
    files: int = 2_000
    large: int = 40
    messages: int = 1_000
    sessions: int = 500
    slow: int = 200
    starts: int = 5


def together(parts: Iterable[Told]) -> Told:
    """All that became of the requests of several."""
    told = Told()
    for part in parts:
        told.add(part)
    return told


def dear(server: Server, size: Size) -> Told:
    """Asks for different figures of the dearest kind at once: half by one name, half by many."""

    def ask(number: int) -> Told:
        name = "attacker" if number % 2 else f"attacker-{number}"
        query = {"hidden": 40 - number % 10, "steps": 500 - number // 10} | FLOW
        client = Client(server, ATTACKER, name)
        client.ask(f"/explorables/recurrence/flow.json?{urlencode(query)}")
        client.close()
        return client.told

    with ThreadPoolExecutor(size.dear) as pool:
        return together(pool.map(ask, range(size.dear)))


def fuzzed_addresses(server: Server, size: Size) -> Told:
    """Asks for hostile addresses."""
    client = Client(server, ATTACKER)
    for path in fuzz.addresses(size.addresses):
        client.ask(path)
    client.close()
    return client.told


def fuzzed_files(server: Server, size: Size) -> Told:
    """Sends hostile files."""
    client = Client(server, ATTACKER)
    for name, content in fuzz.files(size.files):
        client.ask(f"/uploads?{urlencode({'name': name})}", method="POST", body=content)
    client.close()
    return client.told


def flood(server: Server, size: Size) -> Told:
    """Sends large files at once, by as many names."""
    row = b",".join([b"1.2345678901234567"] * 9) + b"\n"
    rows = row * 100_000  # 17 MB

    def send(number: int) -> Told:
        client = Client(server, ATTACKER, f"attacker-{number}")
        client.ask("/uploads?name=a.csv", method="POST", body=rows)
        client.ask("/_stcore/upload_file/a/b", method="PUT", body=rows[:1000])
        client.close()
        return client.told

    with ThreadPoolExecutor(min(size.large, 100)) as pool:
        return together(pool.map(send, range(size.large)))


def burst(server: Server, size: Size) -> Told:
    """Sends messages that make a page's script run, as fast as they go, on five connections."""
    told = Told()

    def send(number: int) -> None:
        with session(server, ATTACKER, f"attacker-{number}") as socket_:
            try:
                for _ in range(size.messages):
                    socket_.send(rerun("axes"))
                while True:
                    socket_.recv(timeout=CALM_S)
            except TimeoutError:
                told.statuses[200] += 1
            except ConnectionClosed as closed:
                told.statuses[closed.rcvd.code if closed.rcvd else 0] += 1

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(send, range(5)))
    return told


def sessions(server: Server, size: Size) -> Told:
    """Opens sessions and drops them at once."""
    told = Told()
    for number in range(size.sessions):
        try:
            with session(server, ATTACKER, f"attacker-{number % 7}") as socket_:
                socket_.send(rerun("axes"))
            told.statuses[200] += 1
        except InvalidStatus as refused:
            told.statuses[refused.response.status_code] += 1
    return told


def slow(server: Server, size: Size) -> Told:
    """Holds connections on which a request never ends; returns when they have been held a while."""
    host, _, port = server.host.partition(":")
    with contextlib.ExitStack() as stack:
        opened = [
            stack.enter_context(
                socket.create_connection((host, int(port)), source_address=(ATTACKER, 0))
            )
            for _ in range(size.slow)
        ]
        for number, each in enumerate(opened):
            head = b"POST /uploads?name=a.csv HTTP/1.1\r\nHost: a\r\n"
            each.sendall(head + (b"Content-Length: 9999\r\n\r\n" if number % 2 else b"X-A: "))
        for _ in range(10):
            time.sleep(0.3)
            for each in opened:
                with contextlib.suppress(OSError):
                    each.sendall(b"1")
    return Told()


def ended(server: Server) -> float:
    """Seconds from SIGTERM to the end, with figures in work and files on their way."""
    with ThreadPoolExecutor(9) as pool:

        def ask(number: int) -> None:
            query = urlencode({"hidden": 20 + number, "steps": 500} | FLOW)
            client = Client(server, ATTACKER, f"last-{number}")
            client.ask(f"/explorables/recurrence/flow.json?{query}")
            client.close()

        for number in range(8):
            pool.submit(ask, number)
        pool.submit(slow, server, Size(slow=20))
        time.sleep(1)
        begun = time.perf_counter()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(PATIENCE)
        return time.perf_counter() - begun


def fresh(size: Size) -> Counter[int]:
    """Statuses of five figures, asked for at once when a server has just begun to answer."""
    found: Counter[int] = Counter()
    paths = [f"/explorables/{p.slug}/{p.figures[0].name}.json" for p in PAGES if p.figures][:5]
    for _ in range(size.starts):
        with serve(APP) as server, ThreadPoolExecutor(5) as pool:
            clients = [Client(server, READER) for _ in paths]
            found.update(pool.map(Client.ask, clients, paths))
            for client in clients:
                client.close()
    return found


def peak(server: Server) -> float:
    """MB of memory that the process has had at most."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


ATTACKS: Sequence[tuple[str, str, Callable[[Server, Size], Told]]] = (
    ("hostile addresses", "no 5xx", fuzzed_addresses),
    ("dearest figures at once", "14.3 GB; 58 of 100 timed out, ready ones too", dear),
    ("hostile files", "no 5xx", fuzzed_files),
    ("large files at once", "3.9 GB", flood),
    ("five bursts of messages", "others wait 55 s for one", burst),
    ("sessions, dropped", "held", sessions),
    ("slow clients", "not measured", slow),
)


@dataclass(frozen=True)
class Attacked:
    """An attack: its name, what it did before, what was answered, and how the reader fared."""

    name: str
    before: str
    told: Told
    reader: Told
    peak: float

    def row(self) -> tuple[str, ...]:
        """For the table."""
        reader = self.reader
        waits = (f"{reader.p95(kind):.2f}" for kind in ("ready", "light", "page"))
        errors = sum(n for status, n in reader.statuses.items() if status != 200)
        return (self.name, self.before, self.told.shown(), *waits, f"{errors}", f"{self.peak:.0f}")


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


def attacked(server: Server, size: Size) -> Iterator[Attacked]:
    """Yields what each attack does while somebody reads, and at the end all of them at once."""
    for name, before, attack in ATTACKS:
        with reading(server) as reader:
            told = attack(server, size)
        yield Attacked(name, before, told, reader, peak(server))
    yield at_once(server, size)


def at_once(server: Server, size: Size) -> Attacked:
    """Returns what all attacks together do while somebody reads."""
    with reading(server) as reader, ThreadPoolExecutor(len(ATTACKS)) as pool:
        told = together(pool.map(lambda attack: attack[2](server, size), ATTACKS))
    return Attacked("all at once", "not measured", told, reader, peak(server))


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--share", type=float, default=1.0, help="of each count")
    share = parser.parse_args().share
    size = Size(*(max(1, round(n * share)) for n in vars(Size()).values()))
    with serve(APP) as server:
        begin(server)
        print(f"At rest: {peak(server):.0f} MB; the ceiling is {CEILING / 2**20:.0f}.\n")
        found = []
        for each in attacked(server, size):
            found.append(each)
            print(table(HEAD, [each.row()]).splitlines()[-1], flush=True)
        seconds = ended(server)
    print("\n" + table(HEAD, [each.row() for each in found]))
    print(f"\nAnswers that hold what the server is made of: {sum(e.told.leaks for e in found)}.")
    print(f"From SIGTERM to the end: {seconds:.1f} s (before: 39).")
    print(
        f"Five figures at once on {size.starts} fresh servers: {dict(fresh(size))} (before: 500s)."
    )


def begin(server: Server) -> None:
    """Asks for every figure at rest, so that all are ready."""
    client = Client(server, READER)
    for page in PAGES:
        for figure in page.figures:
            client.ask(f"/explorables/{page.slug}/{figure.name}.json")
    client.close()


if __name__ == "__main__":
    main()
