"""The commands `lnviz inspect`, of a file of weights, and `lnviz show`, of a run that was saved."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from lnviz.topics.watched.runs import load
from lnviz.topics.watched.weights import learned, table


def inspect(words: Sequence[str] | None = None) -> None:
    """Print the gains and biases of all norms in a file of weights."""
    _print(
        "inspect",
        "Gains and biases of all norms in a .safetensors or .gguf file, without running anything.",
        lambda path: table(learned(path)),
        words,
    )


def show(words: Sequence[str] | None = None) -> None:
    """Print the report of a run."""
    _print(
        "show",
        "What lnviz.watch has found in a model, from the file of watched.save.",
        lambda path: load(path).report(),
        words,
    )


def _print(name: str, what: str, text: Callable[[Path], str], words: Sequence[str] | None) -> None:
    parser = argparse.ArgumentParser(prog=f"lnviz {name}", description=what)
    parser.add_argument("file", type=Path, metavar="FILE")
    path: Path = parser.parse_args(words).file
    try:
        print(text(path))
    except (ValueError, OSError) as error:
        parser.error(str(error))
