"""What the commands that make stored results share: progress, and numbers as they are written."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

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
