"""The commands `lnviz inspect`, of a file of weights, and `lnviz show`, of a run that was saved."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from lnviz.diagnostics.runs import Run, load
from lnviz.diagnostics.weights import Learned, learned, table

Read = tuple[str, Callable[[], str]]
"""A text, and what draws the page."""


def inspect(words: Sequence[str], draw: Callable[[str, Sequence[Learned]], str]) -> None:
    """Print the gains and biases of all norms in a file of weights, or draw them.

    Args:
        words: what stands after the command.
        draw: gives the page, as HTML, of a title and what was learned.
    """

    def read(path: Path) -> Read:
        found = learned(path)
        return table(found), lambda: draw(f"{path.name}: its norms", found)

    _say(
        "inspect",
        "Gains and biases of all norms in a .safetensors or .gguf file, without running anything.",
        read,
        words,
    )


def show(words: Sequence[str], draw: Callable[[Run], str]) -> None:
    """Print the report of a run, or draw it.

    Args:
        words: what stands after the command.
        draw: gives the page of a run, as HTML.
    """

    def read(path: Path) -> Read:
        run = load(path)
        return run.report(), lambda: draw(run)

    _say(
        "show",
        "What lnviz.watch has found in a model, from the file of watched.save.",
        read,
        words,
    )


def _say(name: str, what: str, read: Callable[[Path], Read], words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog=f"lnviz {name}", description=what)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--html", type=Path, metavar="PAGE", help="write the figures, too, as a page of one file"
    )
    parser.add_argument("--open", action="store_true", help="open that page in a browser")
    given = parser.parse_args(words)
    try:
        text, drawn = read(given.file)
        print(text)
        if not given.html and not given.open:
            return
        page: Path = given.html or Path(tempfile.mkdtemp()) / f"{given.file.stem}.html"
        page.write_text(drawn(), encoding="utf-8")
        print(f"\nThe figures are in {page}.")
        if given.open and not webbrowser.open(page.resolve().as_uri()):
            parser.error(f"There is no browser here. Open {page} in one.")
    except (ValueError, OSError) as error:
        parser.error(str(error))
