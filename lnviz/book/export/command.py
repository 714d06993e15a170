"""The command `lnviz export`, which writes the book as static files or verifies an export."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lnviz import book
from lnviz.book.export import ExportError, export, problems


def main(words: Sequence[str], font: bytes) -> int:
    """Run the command `lnviz export`; return the exit code.

    Args:
        words: The arguments of the command line after `lnviz export`.
        font: The content of the font file of Source Sans.
    """
    parser = argparse.ArgumentParser(
        prog="lnviz export",
        description="Write the book as static files, for any web host or to open from disk.",
    )
    parser.add_argument("folder", type=Path, help="an empty or new folder")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; report missing and changed files"
    )
    parser.add_argument(
        "--url", default="", metavar="URL", help="the URL of the exported book; adds a sitemap.xml"
    )
    options = parser.parse_args(words)
    if options.check:
        return _check(options.folder)
    return _write(options.folder, options.url, font)


def _write(folder: Path, url: str, font: bytes) -> int:
    if url and not url.startswith(("https://", "http://")):
        print(f"--url must begin with https:// or http://, but got {url!r}.", file=sys.stderr)
        return 2
    try:
        written = export(folder, book.PAGES, font=font, site=url, report=_report)
    except ExportError as error:
        print(error, file=sys.stderr)
        return 1
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(
        f"Written: {len(book.PAGES)} pages with {written.payloads} figure payloads, in "
        f"{written.files} files, {written.bytes / 1e6:.1f} MB. Open {folder / 'index.html'}."
    )
    return 0


def _check(folder: Path) -> int:
    missing = problems(folder, book.PAGES)
    for problem in missing:
        print(problem)
    if not missing:
        print("The exported book is complete.")
    return 1 if missing else 0


def _report(done: int, count: int) -> None:
    if not sys.stderr.isatty():
        return  # a log file would get one line per payload
    print(f"\r{done} of {count} payloads computed", end="", file=sys.stderr, flush=True)
