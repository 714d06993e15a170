"""Provenance of computed results (package versions, device), and a progress bar."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import version

import torch

from lnviz.progress import (
    ProgressCallback as ProgressCallback,  # what makes a result takes it from here
)

WIDTH = 30  # of a bar, in characters


def versions() -> dict[str, str]:
    """Return the installed versions of Python and PyTorch, which affect results."""
    return {"python": platform.python_version(), "torch": version("torch")}


def current_environment(on: torch.device) -> dict[str, str]:
    """Return the installed package versions and the name of a device.

    Args:
        on: the device.
    """
    return versions() | {"device": device_name(on)}


def device_name(on: torch.device) -> str:
    """Return the display name of a device, such as the model of a GPU."""
    if on.type == "cuda":
        return torch.cuda.get_device_name(on)
    threads = torch.get_num_threads()
    return f"CPU, {threads} thread" + "s" * (threads > 1)


def progress_bar(steps: int) -> ProgressCallback:
    """Return a progress callback that draws one bar per label on standard error.

    If standard error is not a terminal, only completed bars are written.

    Args:
        steps: total number of steps per label.
    """
    begun: dict[str, float] = {}

    def report(label: str, step: int) -> None:
        now = time.perf_counter()
        spent = now - begun.setdefault(label, now)
        if step < steps and not sys.stderr.isatty():
            return
        full = WIDTH * step // steps
        end = "\n" if step == steps else ""
        text = f"\r{label:<34} [{'#' * full}{'.' * (WIDTH - full)}] {step}/{steps} {spent:4.0f} s"
        print(text, end=end, file=sys.stderr, flush=True)

    return report
