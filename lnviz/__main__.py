"""The command-line program `lnviz` (also `python -m lnviz`), which dispatches to its commands."""

from __future__ import annotations

import argparse
import os
import select
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lnviz.extras import MissingPackageError, require_extra
from lnviz.version import __version__

if TYPE_CHECKING:
    from lnviz.diagnostics import Run
    from lnviz.diagnostics.weights import NormParameter

# Each command imports its modules itself, so that --help does not wait for PyTorch.

READER_LEFT = 141
"""Exit code if whatever reads the output has ended, such as `head`: that of other programs."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command named in the command-line arguments; return the exit code."""
    try:
        try:
            return _run_command(sys.argv[1:] if words is None else words)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        if not _has_reader_left():
            raise
        # Python flushes once more at the exit, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT


def _has_reader_left() -> bool:
    """Return whether the output is a pipe whose other end is closed."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)  # 0: nothing but errors and the end
    return bool(output.poll(0))


def _run_command(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="lnviz",
        description="Learn layer normalization by trying it out.",
        epilog="For the options of a command: lnviz COMMAND --help.",
    )
    parser.add_argument("--version", action="version", version=f"lnviz {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command, what in (
        (_run, "start the app"),
        (_serve, "start the app in several processes, for a classroom"),
        (_export, "export the book as static files, which need no server"),
        (_train, "train models, list past runs, and export their results"),
        (_inspect, "print or draw the gains and biases of all norms in a weight file"),
        (_compare, "print how the norms of two weight files differ"),
        (_show, "print or draw what lnviz.watch found in a model"),
        (_secret, "rotate the secret that signs visitors’ cookies"),
        (_results, "list, recompute and check the stored results that pages show"),
        (_new, "add a lesson or a figure to the source tree, or update generated files"),
        (_invariance, "measure which changes leave each norm's output the same"),
    ):
        known = commands.add_parser(command.__name__.strip("_"), help=what, add_help=False)
        known.set_defaults(command=command)
    command = parser.parse_args(words[:1]).command
    try:
        with require_extra("figures" if command in (_inspect, _show) else "app"):
            code: int = command(words[1:])
    except MissingPackageError as error:
        print(error, file=sys.stderr)
        return 1
    return code


def _run(words: Sequence[str]) -> int:
    from lnviz.web.run import main

    main(words)
    return 0


def _serve(words: Sequence[str]) -> int:
    from lnviz.web.serve import main

    main(words)
    return 0


def _export(words: Sequence[str]) -> int:
    from lnviz.book.export.command import main
    from lnviz.web.font import source_sans

    return main(words, source_sans())


def _train(words: Sequence[str]) -> int:
    from lnviz.topics.lab.command import main

    main(words)
    return 0


def _inspect(words: Sequence[str]) -> int:
    from lnviz.diagnostics.command import inspect

    def draw(title: str, found: Sequence[NormParameter]) -> str:
        from lnviz.lessons.inside import watch_report

        return watch_report.weights_page(title, found)

    inspect(words, draw)
    return 0


def _compare(words: Sequence[str]) -> int:
    from lnviz.diagnostics.command import compare

    return compare(words)


def _show(words: Sequence[str]) -> int:
    from lnviz.diagnostics.command import show

    def draw(run: Run) -> str:
        from lnviz.lessons.inside import watch_report

        return watch_report.report_page(run)

    show(words, draw)
    return 0


def _secret(words: Sequence[str]) -> int:
    from lnviz.database.command import main

    main(words)
    return 0


def _results(words: Sequence[str]) -> int:
    from lnviz.stored_results import main

    return main(words)


def _new(words: Sequence[str]) -> int:
    from lnviz.new.command import main

    return main(words)


def _invariance(words: Sequence[str]) -> int:
    from lnviz.topics.invariance.__main__ import main

    main(words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
