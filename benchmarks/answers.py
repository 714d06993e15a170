"""How long an answer takes on a kept connection, under each command that starts the app.

The answer is a figure that is ready, asked for again and again over one connection. The last row is
Python's own event loop on a listening socket that was made before, as Streamlit makes it.

    python -m benchmarks.answers
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

from benchmarks.tables import quantile, table
from tests.service.client import Client
from tests.service.server import PORT, started

FIGURE = "/explorables/axes/grid.json"
PYTHONS_LOOP = """
import sys
sys.modules["uvloop"] = None  # as if it were not installed
from lnviz.__main__ import main
main(["run", *sys.argv[1:]])
"""
COMMANDS: tuple[tuple[str, Sequence[str]], ...] = (
    ("streamlit run app.py", ("-m", "streamlit", "run", "app.py", "--server.port", PORT)),
    ("lnviz serve", ("-m", "lnviz", "serve", "--port", PORT)),
    ("uvicorn app:app", ("-m", "uvicorn", "app:app", "--port", PORT)),
    ("streamlit run app.py, Python's loop", ("-c", PYTHONS_LOOP, "--server.port", PORT)),
)


def measured(words: Sequence[str], count: int) -> list[float]:
    """Return the milliseconds of each answer of a server that a command starts."""
    with started(words) as server, Client(server.port) as client:
        for _ in range(count + 1):
            client.ask(FIGURE, Accept_Encoding="gzip").granted()
        # The first one computes the figure.
        return [1000 * seconds for seconds in client.told.seconds()[1:]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--answers", type=int, default=200)
    options = parser.parse_args()
    rows = []
    for label, words in COMMANDS:
        times = measured(words, options.answers)
        rows.append((label, f"{median(times):.1f}", f"{quantile(times, 0.95):.1f}"))
    print(table(("command", "median ms", "p95 ms"), rows))


if __name__ == "__main__":
    main()
