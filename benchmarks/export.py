"""How long the book takes to be written as plain files, and how large it is.

Figures are computed in as many processes as there are cores. The folder goes with the script.

    python -m benchmarks.export
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.tables import table
from lnviz.book import PAGES
from lnviz.book.export import export, problems
from lnviz.web.font import source_sans

MOST_MB, MOST_S = 40, 180.0


def main() -> None:
    """Print seconds and megabytes; end with an error where something is missing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.perf_counter()
        written = export(folder, PAGES, font=source_sans())
        seconds = time.perf_counter() - begun
        missing = problems(folder, PAGES)
        rows = [
            [kind, str(len(files)), f"{sum(file.stat().st_size for file in files) / 1e6:.1f}"]
            for kind, pattern in (
                ("pages", "*.html"),
                ("figures' payloads", "figures/*/*"),
                ("scripts, styles, font", "assets/*"),
            )
            for files in [list(folder.glob(pattern))]
        ]
    rows.append(["all", str(written.files), f"{written.size / 1e6:.1f}"])
    print(table(["what", "files", "MB"], rows))
    print(f"\nWritten in {seconds:.0f} s (aims: {MOST_S:.0f} s, {MOST_MB} MB).")
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    main()
