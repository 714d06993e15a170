"""What figures cost the server: each by itself, from the store, and many of the dearest at once.

- Each by itself: built, written as JSON and compressed in a fresh process that has loaded what a
  server loads and has built another figure before. CPU seconds beside those that the figure states;
  memory is the growth of the peak.
- First requests: a server that finds its figures on disk is asked for each figure at rest, once.
- At once: different figures of the dearest kind, asked for by one visitor, while a figure that is
  ready is asked for four times a second, and another visitor asks for a light figure of their own.
- Left: the same requests, dropped after half a second; what the server still computes then.
- End: SIGTERM while figures are computed.

Everything stays on this machine; the server ends with the script.

    python -m benchmarks.payloads
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

import torch

import lnviz.web.lifespan  # noqa: F401
from benchmarks.harness import quantile, table
from lnviz.book import PAGES, find_figure
from lnviz.lessons import FigureSpec
from tests.service.client import Asked, Client
from tests.service.server import ROOT, Server, serve

READY = "/explorables/axes/grid.json"
DEAREST = {"hidden": 40, "steps": 500, "nonlinearity": "tanh", "input": "large"}
FLOW = "recurrence/flow"
DEAR = (
    f"{FLOW}?{urlencode(DEAREST)}",
    "invariance/table?data=digits&activation=tanh",
    "geometry/step?family=softmax&part=vector",
    "geometry/landscape?pixels=centered",
)
MOST_MB, MOST_S = 700, 1.0


@dataclass(frozen=True)
class Built:
    """What one payload took: CPU seconds, those it states, bytes, and growth of the peak in MB."""

    seconds: float
    stated: float
    size: int
    memory: float


def build(address: str) -> Built:
    """Build one payload in this process."""
    torch.set_num_threads(1)
    other = _figure("axes/grid")
    other.payload(other.parse({}))
    path, _, query = address.partition("?")
    figure = _figure(path)
    values = figure.parse(dict(parse_qsl(query)))
    peak, begun = _peak(), time.process_time()
    document = json.dumps(figure.payload(values), separators=(",", ":")).encode()
    size = len(gzip.compress(document, 9))
    seconds = time.process_time() - begun
    return Built(seconds, figure.cost(values), size, _peak() - peak)


def costs() -> None:
    """Print what each figure costs by itself."""
    at_rest = [f"{lesson.slug}/{figure.name}" for lesson in PAGES for figure in lesson.figures]
    rows = []
    for address in (*at_rest, *DEAR):
        command = [sys.executable, "-m", "benchmarks.payloads", "--build", address]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        built = Built(**json.loads(printed.stdout))
        rows.append(
            (
                address,
                f"{built.stated:.1f}",
                f"{built.seconds:.2f}",
                f"{built.memory:.0f}",
                f"{built.size / 1000:.0f}",
            )
        )
    print(table(("figure", "stated s", "CPU s", "MB", "KB"), rows))


def first_requests(folder: str) -> None:
    """Print how long the figures at rest take to appear, and then to be answered from disk."""
    paths = [
        f"/explorables/{lesson.slug}/{figure.name}.json"
        for lesson in PAGES
        for figure in lesson.figures
    ]
    with serve(LNVIZ_CACHE=folder) as server:
        begun = time.perf_counter()
        while len(os.listdir(folder)) < len(paths):
            time.sleep(0.1)
        print(f"\n{len(paths)} figures computed ahead in {time.perf_counter() - begun:.0f} s.")
    with serve(LNVIZ_CACHE=folder) as server:
        got = [ask(server, path) for path in paths]
    slowest = max(answer.seconds for answer in got)
    print(f"After the next start: slowest first answer {1000 * slowest:.0f} ms (aim: 300).")


def at_once(folder: str, count: int) -> None:
    """Print what a flood of the dearest requests does to everybody else."""
    sizes = [{"hidden": 40 - n % 10, "steps": 500 - n // 10} for n in range(count)]
    flood = [f"/explorables/{FLOW}.json?{urlencode(DEAREST | size)}" for size in sizes]
    with serve(LNVIZ_CACHE=folder) as server, ThreadPoolExecutor(count + 2) as pool:
        ask(server, READY)
        idle, memory = server.memory() / 1e6, [0.0]
        over = threading.Event()

        def watch() -> list[Asked]:
            answers = []
            while not over.wait(0.25):
                answers.append(ask(server, READY))
                memory.append(server.memory() / 1e6)
            return answers

        watching = pool.submit(watch)
        begun = time.perf_counter()
        asked = [pool.submit(ask, server, path) for path in flood]
        time.sleep(1.0)
        light = ask(server, "/explorables/axes/grid.json?data=digits&seed=7", "another")
        got = [answer.result() for answer in asked]
        seconds = time.perf_counter() - begun
        over.set()
        ready = [answer.seconds for answer in watching.result()]
        statuses = Counter(answer.status for answer in got)
        said = ", ".join(
            f"{n} answers {status or 'none'}" for status, n in sorted(statuses.items())
        )
        print(f"\n{count} of the dearest at once: {said}; all in {seconds:.0f} s.")
        print(
            f"A ready figure meanwhile, asked {len(ready)} times: median "
            f"{1000 * quantile(ready, 0.5):.0f} ms, longest {1000 * max(ready):.0f} ms "
            f"(aim: {1000 * MOST_S:.0f})."
        )
        print(f"Another visitor's light figure, asked for after 1 s: {light.seconds:.2f} s.")
        print(
            f"Memory: {idle:.0f} MB idle, at most {max(memory) - idle:.0f} more (aim: {MOST_MB})."
        )


def left(folder: str, count: int) -> None:
    """Print what is still computed for those who have left, and how soon the server ends."""
    with serve(LNVIZ_CACHE=folder) as server:
        ask(server, READY)
        before = _cpu(server)
        clients = [_open(server, {**DEAREST, "steps": 400 - n}) for n in range(count)]
        time.sleep(0.5)
        for client in clients:
            client.close()
        time.sleep(10.0)
        print(f"\n{count} dropped after 0.5 s: {_cpu(server) - before:.1f} s of CPU in 10 s.")
        clients = [_open(server, {**DEAREST, "steps": 300 - n}) for n in range(8)]
        time.sleep(0.5)
        begun = time.perf_counter()
        server.stop()
        print(f"SIGTERM with 8 asked for: over after {time.perf_counter() - begun:.1f} s.")
        for client in clients:
            client.close()


def ask(server: Server, path: str, visitor: str = "benchmark") -> Asked:
    """Ask for a path over a connection of its own; status 0 is no answer."""
    with Client(server.port, visitor) as client:
        return client.attempt(path, Accept_Encoding="gzip")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--build", help="build this figure alone, and print what it took")
    parser.add_argument("--count", type=int, default=100, help="how many at once (default: 100)")
    parser.add_argument("--load", action="store_true", help="leave out each figure by itself")
    options = parser.parse_args()
    if options.build:
        print(json.dumps(vars(build(options.build))))
        return
    if not options.load:
        costs()
    with tempfile.TemporaryDirectory() as folder:
        first_requests(folder)
        at_once(folder, options.count)
        left(folder, 40)


def _figure(path: str) -> FigureSpec:
    slug, name = path.split("/")
    figure = find_figure(slug, name)
    if figure is None:
        raise ValueError(f"There is no figure {path!r}.")
    return figure


def _open(server: Server, query: dict[str, object]) -> Client:
    """Somebody who has asked, and reads no answer."""
    client = Client(server.port)
    client.begin(f"/explorables/{FLOW}.json?{urlencode(query)}")
    return client


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _cpu(server: Server) -> float:
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
