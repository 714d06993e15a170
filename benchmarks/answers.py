"""How long an answer takes on a kept connection, under each command that starts the app.

The answer is a figure that is ready, asked for again and again over one connection. The last row is
Python's own event loop on a listening socket that was made before, as Streamlit makes it.

    python -m benchmarks.answers
"""

from __future__ import annotations

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.serving import ROOT, answers, free_port, quantile, table

FIGURE = "/explorables/axes/grid.json"
PYTHONS_LOOP = """
import sys
sys.modules["uvloop"] = None  # as if it were not installed
from lnviz.__main__ import main
main(["run", *sys.argv[1:]])
"""
COMMANDS: tuple[tuple[str, Sequence[str], str], ...] = (
    ("streamlit run app.py", ("-m", "streamlit", "run", "app.py"), "--server.port"),
    ("lnviz serve", ("-m", "lnviz", "serve"), "--port"),
    ("uvicorn app:app", ("-m", "uvicorn", "app:app"), "--port"),
    ("streamlit run app.py, Python's loop", ("-c", PYTHONS_LOOP), "--server.port"),
)


def measured(words: Sequence[str], port_option: str, count: int) -> list[float]:
    """Return the milliseconds of each answer of a server that a command starts."""
    port = free_port()
    with tempfile.TemporaryDirectory() as kept:
        process = subprocess.Popen(
            [sys.executable, *words, port_option, str(port)],
            cwd=ROOT,
            env=os.environ
            | {"LNVIZ_CACHE": kept, "LNVIZ_DATABASE_URL": f"sqlite:///{kept}/trainings.sqlite"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not answers(f"127.0.0.1:{port}"):
                time.sleep(0.05)
            connection = http.client.HTTPConnection("127.0.0.1", port)
            _milliseconds(connection)  # the first one computes the figure
            return [_milliseconds(connection) for _ in range(count)]
        finally:
            process.terminate()
            process.wait()


def _milliseconds(connection: http.client.HTTPConnection) -> float:
    start = time.perf_counter()
    connection.request("GET", FIGURE, headers={"Accept-Encoding": "gzip"})
    connection.getresponse().read()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--answers", type=int, default=200)
    options = parser.parse_args()
    rows = []
    for label, words, port_option in COMMANDS:
        found = measured(words, port_option, options.answers)
        rows.append((label, f"{median(found):.1f}", f"{quantile(found, 0.95):.1f}"))
    print(table(("command", "median ms", "p95 ms"), rows))


if __name__ == "__main__":
    main()
