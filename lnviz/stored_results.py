"""The list of all stored results, and the command `lnviz results` that manages them."""

from __future__ import annotations

import argparse
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from lnviz import pretrained, topics
from lnviz.results.arrays import ArrayDataset
from lnviz.results.stored import Artifact, Result, read, write

MAX_DIFFERENCE = 0.01
"""The maximum difference between a recomputed and a stored value, as a fraction of the array's
range. Runs that are trained together round differently from a run that is trained alone.
"""
TIMING_ARRAYS = ("seconds",)
"""Names of arrays with durations, which are not reproducible."""


def all_artifacts() -> tuple[Artifact[Any], ...]:
    """Return the declarations of all stored results in `topics` and `pretrained`, sorted by name.

    >>> [artifact.page for artifact in all_artifacts() if artifact.name == "regularizer"]
    ['batch']
    """
    declared = {
        value.name: value
        for package in (pretrained, topics)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith("__main__")
        for value in vars(import_module(module.name)).values()
        if isinstance(value, Artifact)
    }
    return tuple(declared[name] for name in sorted(declared))


def main(words: Sequence[str] | None = None) -> int:
    """Run the command `lnviz results`; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="lnviz results",
        description="List, recompute and check results that take too long to compute on a page.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list stored results and how they were made")
    listing.set_defaults(command=lambda _: _list())
    check = commands.add_parser("check", help="list results that no longer match their code")
    check.set_defaults(command=lambda _: _check())
    make = commands.add_parser("make", help="recompute a result")
    verify = commands.add_parser(
        "verify",
        help="recompute part of a result; if the numbers agree, mark the result as current",
    )
    for command, run in ((make, _make), (verify, _verify)):
        command.set_defaults(command=run)
        names = command.add_subparsers(required=True, metavar="NAME")
        for stored in all_artifacts():
            options = names.add_parser(
                stored.name,
                help=stored.description,
                description=f"{stored.description} {_describe_fields(type(stored.default))}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            options.set_defaults(stored=stored, error=options.error)
            _add_options(options, stored)
            if run is _make:
                options.add_argument(
                    "--quick", action="store_true", help="a small version, made in seconds"
                )
                options.add_argument("--out", type=Path, default=stored.path, help="output path")
    given = vars(parser.parse_args(words))
    code: int = given.pop("command")(given)
    return code


def _describe_fields(specification: type[Any]) -> str:
    """Return the help text for a specification: the docstrings of its class and base classes."""
    kinds = specification.__mro__[:-1]
    return "\n\n".join(inspect.cleandoc(str(kind.__doc__)) for kind in kinds)


def _add_options(parser: argparse.ArgumentParser, stored: Artifact[Any]) -> None:
    """Add a command-line option for each field of a specification that holds numbers or text."""
    for field in fields(stored.default):
        value = getattr(stored.default, field.name)
        several = isinstance(value, tuple) and bool(value)
        kind = type(value[0] if several else value)
        if kind in (int, float, str):
            parser.add_argument(
                "--" + field.name.replace("_", "-"),
                type=kind,
                nargs="+" if several else None,
                default=argparse.SUPPRESS,
                help=f"(default: {' '.join(map(str, value)) if several else value})",
            )


def _compute_requested(given: dict[str, Any]) -> tuple[Artifact[Any], Result[Any]]:
    """Compute the stored result that the command-line options specify."""
    stored, error = given.pop("stored"), given.pop("error")
    quick = stored.quick if given.pop("quick", False) else {}
    wanted = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    try:
        return stored, stored.compute(replace(stored.default, **{**quick, **wanted}))
    except ValueError as problem:
        error(str(problem))
        raise


def _list() -> int:
    for stored in all_artifacts():
        print(f"{stored.name}: {stored.description}")
        if not stored.path.is_file():
            print(f"  for /{stored.page}; not made on this machine yet. Make it: {stored.command}")
            continue
        header, size = stored.result.header, stored.path.stat().st_size / 1000
        print(f"  {header.made_with} {header.day}, {size:.0f} kB, for /{stored.page}")
    return 0


def _check() -> int:
    """Print the names of stored results whose code has changed; return 1 if there are any."""
    stale = [
        stored
        for stored in all_artifacts()
        if stored.path.is_file() and stored.result.header.fingerprint != stored.fingerprint
    ]
    for stored in stale:
        known = stored.result.header.fingerprint
        said = "has changed since" if known else "may have changed since"
        print(
            f"{stored.name}: its code {said} it was made or verified. Recompute it: "
            f"{stored.command}. To check only a part: lnviz results verify {stored.name}"
        )
    return int(bool(stale))


def _make(given: dict[str, Any]) -> int:
    out: Path = given.pop("out")
    _, result = _compute_requested(given)
    write(result, out)
    print(f"Written to {out}, {out.stat().st_size / 1000:.0f} kB.")
    return 0


def _verify(given: dict[str, Any]) -> int:
    """Recompute part of a stored result; return 1 if the part differs from the file, else 0."""
    stored, part = _compute_requested(given)
    stored_result = read(stored.path, type(stored.default))
    unknown = [name for name in part.arrays if name not in stored_result.arrays]
    worst = float("inf") if unknown else 0.0
    for name in unknown:
        print(f"{name}: not in the stored result")
    for name, ours, theirs in _common_values(stored_result, part):
        if not ours.numel():
            print(
                f"{name}: the stored and the recomputed part have no numbers in common, so "
                "nothing is verified"
            )
            worst = float("inf")
            continue
        scale = float(ours.abs().nan_to_num().max()) or 1.0
        apart = float((ours - theirs).abs().nan_to_num().max()) / scale
        missing = not torch.equal(ours.isnan(), theirs.isnan())
        worst = max(worst, float("inf") if missing else apart)
        print(f"{name}: {ours.numel()} numbers, which differ by at most {apart:.1e} of the largest")
    if worst > MAX_DIFFERENCE:
        print(
            f"{stored.name} does not match what its code computes now. Recompute it: "
            f"{stored.command}",
            file=sys.stderr,
        )
        return 1
    header = replace(stored_result.header, fingerprint=stored.fingerprint)
    write(replace(stored_result, header=header), stored.path)
    print(f"{stored.name} is marked as current.")
    return 0


def _common_values(
    kept: ArrayDataset, part: ArrayDataset
) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """Yield each array's name, and its stored and recomputed values at common coordinates."""
    for name, (over, values) in part.arrays.items():
        if name in TIMING_ARRAYS or name not in kept.arrays:
            continue
        ours, theirs = kept.arrays[name].values, values
        for dim, axis in enumerate(over):
            shared = [at for at in part.axes[axis] if at in kept.axes[axis]]
            for_kept, for_part = (
                torch.tensor([arrays.index(axis, at) for at in shared], dtype=torch.long)
                for arrays in (kept, part)
            )
            ours, theirs = ours.index_select(dim, for_kept), theirs.index_select(dim, for_part)
        yield name, ours.double(), theirs.double()
