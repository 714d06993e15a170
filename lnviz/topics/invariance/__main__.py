"""Command `lnviz invariance`, which prints the measured table of invariances."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Sequence

import torch

from lnviz.norms import CATALOGUE
from lnviz.topics.invariance.layers import ACTIVATIONS, RandomData
from lnviz.topics.invariance.measured import (
    DTYPES,
    SCALES,
    STRENGTHS,
    VISIBLE,
    InvarianceEntry,
    InvarianceTable,
    measure,
)
from lnviz.topics.invariance.stated import SOURCES, TABLE_1
from lnviz.topics.invariance.transformations import TRANSFORMATIONS

LAYERS = 64
WIDTH = 100


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `lnviz invariance`: print the table as text, or as JSON with `--json`.

    Args:
        arguments: command-line arguments, by default those of the process.
    """
    parser = _parser()
    given = parser.parse_args(arguments)

    def run(strengths: Sequence[float]) -> InvarianceTable:
        return measure(
            layers=LAYERS,
            data=RandomData(places=given.places),
            strengths=strengths,
            eps=given.eps,
            dtype=getattr(torch, given.dtype),
            activation=given.activation,
            seed=given.seed,
        )

    try:
        measured = run(STRENGTHS)
    except ValueError as error:
        parser.error(str(error))
    if given.json:
        print(json.dumps(measured.table(), indent=2))
        return
    entries = [measured.entry(n, t) for n in measured.norms for t in measured.transformations]
    print(
        _filled(
            f"Largest relative change in the output of {LAYERS} random layers, for "
            f"transformations of strength {STRENGTHS[0]:g} to {STRENGTHS[-1]:g}, in "
            f"{given.dtype}, with epsilon {given.eps:g}, activation {given.activation} and "
            f"positions per example {given.places}."
        ),
        _table(measured, entries),
        "\n".join(map(_filled, _notes(measured, given.places, given.dtype))),
        sep="\n\n",
    )
    contradicted = [entry for entry in entries if not entry.agrees]
    if contradicted:
        scaled = run(SCALES)
        print("", *(_filled(_where(scaled, entry)) for entry in contradicted), sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lnviz invariance",
        description="Transform the data or the weights of layers with each norm, and print the "
        "largest relative change in a layer's output. Where it is 0, the norm is invariant to the "
        "transformation.",
    )
    parser.add_argument(
        "--json", action="store_true", help="print {norm: {transformation: change}}"
    )
    parser.add_argument(
        "--eps", type=float, default=0.0, help="epsilon, added to the variance (default 0)"
    )
    parser.add_argument(
        "--dtype",
        choices=[str(dtype).removeprefix("torch.") for dtype in DTYPES],
        default="float64",
        help="format that the layers compute in (default float64)",
    )
    parser.add_argument(
        "--activation",
        choices=tuple(ACTIVATIONS),
        default="identity",
        help="nonlinearity after the norm (default identity)",
    )
    parser.add_argument(
        "--places",
        type=int,
        default=1,
        help="number of positions per example (default 1); InstanceNorm needs more",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the random layers and data (default 0)"
    )
    return parser


def _notes(measured: InvarianceTable, places: int, dtype: str) -> Iterator[str]:
    """Return notes on how to read the printed table, and the sources of the papers' claims."""
    yield (
        f"= means unchanged, to within {VISIBLE:.0%} of the largest output; ! means that a "
        "paper claims something else."
    )
    for source in dict.fromkeys(SOURCES.values()):
        rows = ", ".join(CATALOGUE[norm].label for norm in TABLE_1 if SOURCES[norm] == source)
        yield f"The claims about {rows} are from {source}."
    if places > 1:
        yield (
            "The papers speak of fully connected layers. Here, LayerNorm, RMSNorm and GroupNorm "
            "also share statistics over the positions of an example."
        )
    if dtype.endswith("16"):
        yield (
            f"In {dtype}, a change may be due to rounding, above all where a large mean is "
            "subtracted."
        )
    yield from measured.notes.values()


def _table(measured: InvarianceTable, entries: list[InvarianceEntry]) -> str:
    """Format the measured invariances as a text table, one row per norm."""
    heads = [TRANSFORMATIONS[key].label.split() for key in measured.transformations]
    width = 13
    lines = [
        " " * width + "".join(f"{head[row] if row < len(head) else '':<{width}}" for head in heads)
        for row in range(max(map(len, heads)))
    ]
    for norm in measured.norms:
        cells = [
            f"{e.change:.1e}{' =' if e.invariant else '  '}{' ' if e.agrees else '!'}"
            for e in entries
            if e.norm == norm
        ]
        row = (CATALOGUE[norm].label, *cells)
        lines.append("".join(f"{cell:<{width}}" for cell in row))
    return "\n".join(line.rstrip() for line in lines)


def _where(scaled: InvarianceTable, entry: InvarianceEntry) -> str:
    limits = scaled.limits(entry.norm, entry.transformation)
    sides = [
        f"{limit:.2g} or {word}"
        for word, limit in (("less", limits.below), ("more", limits.above))
        if limit is not None
    ]
    where = f"at strengths of {', or '.join(sides)}" if sides else "at no strength"
    stated = "invariant" if entry.stated else "not invariant"
    return (
        f"{CATALOGUE[entry.norm].label}, {TRANSFORMATIONS[entry.transformation].label}: claimed "
        f"to be {stated}; the output changes by more than {VISIBLE:.0%} {where}."
    )


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH)


if __name__ == "__main__":
    main()
