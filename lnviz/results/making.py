"""What stored results share: numbers as they are written, reading them back, and progress."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.results import Stored

T = TypeVar("T")
DIGITS = 4  # that a number is written with
Report = Callable[[str, int], None]


def numbers(values: Float[Tensor, "*shape"]) -> Any:
    """Return a tensor as nested tuples, its numbers as they are written.

    >>> numbers(torch.tensor([[1 / 3, 2e6], [0.0, 5.0]]))
    ((0.3333, 2000000.0), (0.0, 5.0))
    """
    if values.dim():
        return tuple(numbers(row) for row in values)
    return float(f"{values.item():.{DIGITS}g}")


def tuples(value: Any) -> Any:
    """Return what JSON has read, its lists as tuples: a frozen result holds no lists.

    >>> tuples({"loss": [[1.0], [2.0]]})
    {'loss': ((1.0,), (2.0,))}
    """
    if isinstance(value, list):
        return tuple(tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in value.items()}
    return value


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
        spent = time.perf_counter() - begun.setdefault(label, time.perf_counter())
        full = width * step // steps
        end = "\n" if step == steps else ""
        text = f"\r{label:<34} [{'#' * full}{'.' * (width - full)}] {step}/{steps} {spent:4.0f} s"
        print(text, end=end, file=sys.stderr, flush=True)

    return report
