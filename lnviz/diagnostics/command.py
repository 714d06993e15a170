"""Subcommands `lnviz inspect` and `lnviz compare` for weight files, `lnviz show` for saved runs."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from lnviz.diagnostics.comparison import compare_weights
from lnviz.diagnostics.runs import Run, load
from lnviz.diagnostics.weights import (
    NormParameter,
    read_norm_parameters,
    weights_json,
    weights_text,
)

ReportAndPage = tuple[str, Callable[[], str]]
"""A text report, and a function that renders the HTML page."""

AS_JSON = "--json"


def inspect(words: Sequence[str], draw: Callable[[str, Sequence[NormParameter]], str]) -> None:
    """Run `lnviz inspect`: print a weight file's norm parameters, or write an HTML page.

    Args:
        words: command-line arguments after the command.
        draw: renders the HTML page, given a title and the parameters.
    """

    def read(path: Path) -> ReportAndPage:
        parameters = read_norm_parameters(path)
        written = weights_json if as_json else weights_text
        return written(parameters), lambda: draw(f"{path.name}: its norms", parameters)

    as_json = AS_JSON in words
    _run_command(
        "inspect",
        "Show the gains, biases and running statistics of all norms in a .safetensors or .gguf "
        "file, or in the files that a .safetensors.index.json lists, without running the model.",
        read,
        words,
        (AS_JSON, "print JSON instead of a table"),
    )


def show(words: Sequence[str], draw: Callable[[Run], str]) -> None:
    """Run `lnviz show`: print the report of a saved run, or write it as an HTML page.

    Args:
        words: command-line arguments after the command.
        draw: renders the HTML page of a run.
    """

    def read(path: Path) -> ReportAndPage:
        run = load(path)
        return run.report(), lambda: draw(run)

    _run_command(
        "show",
        "Show what lnviz.watch found in a model, from a file written by watched.save.",
        read,
        words,
    )


def compare(words: Sequence[str]) -> int:
    """Run `lnviz compare`: print how the norms of two weight files differ; return 1 if they do."""
    parser = argparse.ArgumentParser(
        prog="lnviz compare",
        description="Show how the gains, biases and running statistics in two weight files "
        "differ. To compare whole models, use lnviz.compare in Python: it also finds differences "
        "in epsilon, axes and precision.",
    )
    parser.add_argument("theirs", type=Path, metavar="THEIRS", help="the reference file")
    parser.add_argument("mine", type=Path, metavar="MINE", help="the file to check")
    given = parser.parse_args(words)
    try:
        found = compare_weights(*map(read_norm_parameters, (given.theirs, given.mine)))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print(found)
    return 1 if found.differences else 0


def _run_command(
    name: str,
    what: str,
    read: Callable[[Path], ReportAndPage],
    words: Sequence[str],
    *flags: tuple[str, str],
) -> None:
    parser = argparse.ArgumentParser(prog=f"lnviz {name}", description=what)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--html",
        type=Path,
        metavar="PAGE",
        help="also write the figures to a single-file HTML page",
    )
    parser.add_argument("--open", action="store_true", help="open that page in a browser")
    for flag, help_text in flags:
        parser.add_argument(flag, action="store_true", help=help_text)
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
            parser.error(f"No browser was found here. Open {page} in a browser.")
    except BrokenPipeError:
        raise  # no fault of the file: the program ends
    except (ValueError, OSError) as error:
        parser.error(str(error))
