"""The program: `python -m lnviz export site`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lnviz.book.export import command as export


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command that the words of the command line name; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lnviz", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    export.add(commands)
    asked = parser.parse_args(words)
    code: int = asked.run(asked)
    return code


if __name__ == "__main__":
    sys.exit(main())
