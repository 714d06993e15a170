"""What stored results share: the command line, how they are written and read, and progress."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import torch

from lnviz.results import Stored

T = TypeVar("T")
Report = Callable[[str, int], None]


def tuples(value: Any) -> Any:
    """Return what JSON has read, its lists as tuples: a frozen result holds no lists.

    >>> tuples({"loss": [[1.0], [2.0]]})
    {'loss': ((1.0,), (2.0,))}
    """
    if isinstance(value, list):
        flat = {list, dict}.isdisjoint(map(type, value))
        return tuple(value if flat else map(tuples, value))
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in value.items()}
    return value


def to_json(result: Any) -> str:
    """Return a frozen result as JSON, which `read` reads.

    Raises:
        ValueError: a number is not finite, which JSON has no word for.
    """
    return json.dumps(asdict(result), separators=(",", ":"), allow_nan=False) + "\n"


def write(result: Any, out: Path) -> None:
    """Write a frozen result as JSON, and say so."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(to_json(result), encoding="utf-8")
    print(f"Written to {out}, {out.stat().st_size / 1000:.0f} kB.")


def run(
    stored: Stored,
    description: str,
    default: Any,
    options: Mapping[str, str],
    make: Callable[[Any], T],
) -> T:
    """Make a result as the command line says, and write it.

    Args:
        stored: whose command this is.
        description: of the command, for its help.
        default: the frozen specification that the command has by itself; it has `seeds`.
        options: which of its fields the command line may set, and what to say of each.
        make: the result of a specification.
    """
    parser = argparse.ArgumentParser(
        prog=stored.command,
        description=description,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    fields = vars(default)
    for name, what in options.items():
        flag = "--" + name.replace("_", "-")
        parser.add_argument(flag, type=type(fields[name]), default=fields[name], help=what)
    seeds = len(fields["seeds"])
    parser.add_argument("--seeds", type=int, default=seeds, help="how many runs")
    parser.add_argument("--out", type=Path, default=stored.path, help="where to write it")
    given = vars(parser.parse_args())
    out: Path = given.pop("out")
    try:
        result = make(replace(default, **given | {"seeds": tuple(range(given["seeds"]))}))
    except ValueError as error:
        parser.error(str(error))
    write(result, out)
    return result


def read(text: str, make: Callable[[dict[str, Any]], T], what: str, stored: Stored) -> T:
    """Return a frozen result that was written as JSON.

    Args:
        text: JSON.
        make: the result of its fields, lists as tuples.
        what: the result is, for the error.
        stored: whose command writes one.

    Raises:
        ValueError: the text is something else.
    """
    try:
        return make(tuples(json.loads(text)))
    except (AttributeError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"This is no {what}. Write one: {stored.command}") from error


def versions() -> dict[str, str]:
    """Return the versions of what a result was made with."""
    packages = {package: version(package) for package in ("torch", "scikit-learn")}
    return {"python": platform.python_version()} | packages


def present(on: torch.device) -> dict[str, str]:
    """Return the versions of what a result is made with now, and on which device.

    Args:
        on: where it is computed.
    """
    return versions() | {"device": named(on)}


def made_with(found: Mapping[str, str], device: str) -> str:
    """Return the sentence that says with what a result was made.

    Args:
        found: versions, by what they are of.
        device: in words.

    >>> made_with({"python": "3.11.7", "torch": "2.13.0"}, "CPU, 1 thread")
    'Made with python 3.11.7, torch 2.13.0 on CPU, 1 thread.'
    """
    listed = ", ".join(f"{name} {version}" for name, version in found.items())
    return f"Made with {listed} on {device}."


def named(on: torch.device) -> str:
    """Return the device that a result was made on, in words."""
    if on.type == "cuda":
        return torch.cuda.get_device_name(on)
    threads = torch.get_num_threads()
    return f"CPU, {threads} thread" + "s" * (threads > 1)


def progress(steps: int, width: int = 30) -> Report:
    """Return a report that draws a bar on standard error, one line for each kind.

    Args:
        steps: how many there are in all.
        width: of the bar, in characters.
    """
    begun: dict[str, float] = {}

    def report(label: str, step: int) -> None:
        now = time.perf_counter()
        spent = now - begun.setdefault(label, now)
        full = width * step // steps
        end = "\n" if step == steps else ""
        text = f"\r{label:<34} [{'#' * full}{'.' * (width - full)}] {step}/{steps} {spent:4.0f} s"
        print(text, end=end, file=sys.stderr, flush=True)

    return report
