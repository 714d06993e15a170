"""The harness of all benchmarks: machine, alternating timings, tables, and pages for a browser."""

from __future__ import annotations

import base64
import math
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

STEPS = 3  # timed together by `alternate`
CHROMIUM: dict[str, Any] = {
    "executable_path": os.environ.get("LNVIZ_CHROMIUM"),  # or Playwright's own
    "args": ["--no-sandbox"],
}
EMPTY = 'import streamlit as st\n\nst.write("hi")\n'


@contextmanager
def page(script: str | Path) -> Iterator[Path]:
    """An entry for `serve` that shows one Streamlit page: a script's text, or its file."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(script, str):
            text, script = script, Path(folder) / "page.py"
            script.write_text(text, encoding="utf-8")
        entry = Path(folder) / "entry.py"
        entry.write_text(f"import streamlit as st\n\napp = st.App({str(script)!r})\n", "utf-8")
        yield entry


def frame_size(event: dict[str, Any]) -> int:
    """Bytes of a WebSocket frame, from the browser's event about it."""
    frame = event["response"]
    text: str = frame["payloadData"]
    # Binary frames are reported in base64.
    return len(base64.b64decode(text)) if frame["opcode"] == 2 else len(text.encode())


def machine() -> str:
    """Return in words what the numbers were measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.split(":")[1].strip()
        for line in (cpuinfo.read_text() if cpuinfo.exists() else "").splitlines()
        if line.startswith("model name")
    ]
    parts = [models[0] if models else platform.processor(), f"{torch.get_num_threads()} threads"]
    if torch.cuda.is_available():
        parts.append(torch.cuda.get_device_name())
    return ", ".join([*parts, f"PyTorch {torch.__version__}", "float32"])


def settle_allocator() -> None:
    """Free one large tensor, after which glibc keeps the memory of smaller ones for the next.

    Before, it hands a freed megabyte back to the system and faults it in again, which costs more
    than all that is measured here. A process that has worked for a while is past that.
    """
    torch.ones(7 * 2**20)


def alternate(ways: dict[str, Iterator[object]], rounds: int, on: str) -> dict[str, list[float]]:
    """Return the seconds a step of each way took, round by round, after a first one to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name in sorted(ways, reverse=bool(turn % 2)):
            begin = time.perf_counter()
            for _ in range(STEPS):
                next(ways[name])
            if on == "cuda":
                torch.cuda.synchronize()
            seconds[name].append((time.perf_counter() - begin) / STEPS)
    return {name: times[1:] for name, times in seconds.items()}


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, its columns aligned for the terminal, too."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
