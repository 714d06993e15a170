"""How long an upload takes in a store that is full, by itself and beside another process.

A table of 7 kB comes again and again into a new store, and into one with uploads of 4 MB each that
look like noise, up to a gigabyte. Both are asked in turns, so that what else the machine does hits
both alike.

    python -m benchmarks.store --megabytes 1024
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from pathlib import Path

from benchmarks.tables import quantile, table
from lnviz.database import uploads
from lnviz.database.connection import Database
from lnviz.database.uploads import TABLES

LARGE = 4 * 2**20
SMALL = 7 * 1024


def put(database: Database, size: int, owner: str, address: str) -> float:
    """Keep noise of this size; return in how many seconds."""
    content = secrets.token_bytes(size)
    began = time.perf_counter()
    uploads.put(database, TABLES, content, owner, address)
    return time.perf_counter() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1024, help="in the full store")
    parser.add_argument("--times", type=int, default=100, help="that a table comes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stores = {
            name: Database(f"sqlite:///{Path(folder) / name}.sqlite") for name in ("new", "full")
        }
        for number in range(given.megabytes * 2**20 // LARGE):
            put(stores["full"], LARGE, f"holder {number // 3}", "there")
        seconds: dict[str, list[float]] = {name: [] for name in stores}
        for number in range(given.times):
            for name, database in stores.items():
                seconds[name].append(put(database, SMALL, f"visitor {number % 20}", "here"))
        for database in stores.values():
            database.close()
    rows = [
        (name, *(f"{1000 * quantile(found, share):.1f}" for share in (0.5, 0.95, 1.0)))
        for name, found in seconds.items()
    ]
    print(table(("store", "median ms", "p95 ms", "slowest ms"), rows))


if __name__ == "__main__":
    main()
