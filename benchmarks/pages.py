"""What the benchmarks with a browser share: a Chromium, and other pages than the app's."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
