"""What the lesson shows where no model is installed: a dozen texts, a page, and what was learned.

    python -m lnviz.topics.pretrained

makes it, in half an hour on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from lnviz.device import device
from lnviz.results import PRETRAINED
from lnviz.results.making import named, read, versions, write
from lnviz.rounding import numbers
from lnviz.topics.pretrained.loading import load
from lnviz.topics.pretrained.model import Model
from lnviz.topics.pretrained.outliers import Zeroed
from lnviz.topics.pretrained.packages import PACKAGES, Unavailable
from lnviz.topics.pretrained.passages import PAGE, SENTENCES
from lnviz.topics.pretrained.records import Guesses, Record, Swaps, epsilons_alone, take
from lnviz.topics.pretrained.swaps import gain

Several = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Stored:
    """What is kept of a model.

    Attributes:
        sentences: a record of each.
        page: of the page on which losses are taken.
        epsilons_alone: losses on that page with one of `EPSILONS` in one place only.
        gains: the norms' (S, D), in the order of the records' norms.
        biases: likewise; empty where norms have none.
    """

    sentences: tuple[Record, ...]
    page: Record
    epsilons_alone: tuple[tuple[float | None, ...], ...]
    gains: Several
    biases: Several


@dataclass(frozen=True)
class Everything:
    """Everything that the command makes.

    Attributes:
        models: by key.
        hashes: of the weights' files, by the model's key.
        versions: of Python and the packages.
        device: what it ran on.
    """

    models: Mapping[str, Stored]
    hashes: Mapping[str, str]
    versions: Mapping[str, str]
    device: str


def make(model: Model) -> Stored:
    """Take all records of a model.

    Args:
        model: which.
    """

    def told(text: str) -> Record:
        print(f"{model.package.label}: {text[:40]!r}", file=sys.stderr, flush=True)
        return take(model, text)

    norms = model.norms.values()
    biases: list[Tensor] = [norm.bias for norm in norms if norm.bias is not None]
    return Stored(
        sentences=tuple(map(told, SENTENCES)),
        page=told(PAGE),
        epsilons_alone=epsilons_alone(model, model.ids(PAGE)),
        gains=numbers(torch.stack(list(map(gain, norms)))),
        biases=numbers(torch.stack(biases)) if biases else (),
    )


def from_json(text: str) -> Everything:
    """Return what `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no record of published models. ...
    """
    return read(text, _everything, "record of published models", PRETRAINED)


def _everything(found: dict[str, Any]) -> Everything:
    models = {key: _stored(stored) for key, stored in found["models"].items()}
    return Everything(**found | {"models": models})


def _stored(found: dict[str, Any]) -> Stored:
    records = tuple(map(_record, found["sentences"]))
    return Stored(**found | {"sentences": records, "page": _record(found["page"])})


def _record(found: dict[str, Any]) -> Record:
    read = {name: found[name] and Guesses(**found[name]) for name in ("normed", "bare")}
    parts = {"swaps": Swaps(**found["swaps"]), "zeroed": Zeroed(**found["zeroed"])}
    return Record(**found | read | parts)


@cache
def stored() -> Everything:
    """Return what the lesson shows.

    >>> list(stored().models)
    ['smollm2', 'minilm']
    """
    return from_json(PRETRAINED.path.read_text(encoding="utf-8"))


def main() -> None:
    """Run from a command line."""
    parser = argparse.ArgumentParser(
        prog=PRETRAINED.command, description="Take the records of published models anew."
    )
    parser.add_argument("--out", type=type(PRETRAINED.path), default=PRETRAINED.path)
    out = parser.parse_args().out
    try:
        models = {key: make(load(key)) for key in PACKAGES}
    except Unavailable as error:
        parser.error(str(error))
    hashes = {key: package.files[0].sha256 for key, package in PACKAGES.items()}
    write(Everything(models, hashes, versions(), named(device())), out)
