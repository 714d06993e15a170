"""Hostile addresses and files for `attack.py`: drawn, not found, the same for the same seed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

import numpy as np
import safetensors.numpy

from lnviz.book import PAGES

PIECES = (
    "..",
    "%2e%2e%2f",
    "%00",
    "%ff%fe",
    "\\",
    "//",
    "etc/passwd",
    "app.py",
    "_stcore",
    "%3Cscript%3E",
    "a" * 3000,
    "%F0%9F%92%A3",
    ".git/config",
    "{}",
)
VALUES = (
    "",
    "-1",
    "1e309",
    "NaN",
    "9" * 400,
    "0x10",
    "1_000",
    "true",
    "table.1_2*",
    "table." + "1_" * 500 + "1",
    "upload.",
    "upload." + "A" * 43,
    "job.0",
    "../../etc/passwd",
    "' OR 1=1 --",
    "\x00",
    "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
    "<img src=x>",
)


def addresses(count: int, seed: int = 0) -> Iterator[str]:
    """Yields paths with queries: half of figures that there are, half of nothing."""
    draw = Random(seed)
    figures = [(page.slug, figure) for page in PAGES for figure in page.figures]
    for _ in range(count):
        if draw.random() < 0.5:
            slug, figure = draw.choice(figures)
            names = [parameter.name for parameter in figure.parameters] or ["data"]
            # One that no parameter takes: what is allowed is computed, which is another attack.
            pairs = [("no-such-parameter", draw.choice(VALUES))]
            pairs += [(draw.choice(names), draw.choice(VALUES)) for _ in range(draw.randrange(3))]
            query = "&".join(f"{name}={quote(value)}" for name, value in pairs)
            ending = draw.choice(("json", "progress", "html", "json/", "JSON", "json.map"))
            yield f"/explorables/{slug}/{figure.name}.{ending}?{query}"
        else:
            start = draw.choice(
                ("", "assets", "explorables", "jobs", "present", "previews", "axes")
            )
            rest = [draw.choice(PIECES) for _ in range(draw.randrange(1, 4))]
            yield "/" + "/".join([start, *rest])


def files(count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yields names and contents: files that could be read, with bytes changed, cut or repeated."""
    draw = Random(seed)
    whole = _whole()
    for _ in range(count):
        name, content = draw.choice(whole)
        changed = bytearray(content)
        for _ in range(draw.randrange(1, 9)):
            at = draw.randrange(len(changed))
            match draw.randrange(4):
                case 0:
                    changed[at] = draw.randrange(256)
                case 1:
                    del changed[at : at + draw.randrange(1, 9)]
                case 2:
                    changed[at:at] = changed[at : at + draw.randrange(1, 65)] * draw.randrange(1, 9)
                case _:
                    changed[at : at + 8] = draw.choice((b"\xff" * 8, b"99999999", bytes(8)))
            if not changed:
                changed = bytearray(b"\0")
        yield draw.choice((name, name, "a.csv", "a.npz")), bytes(changed)


def _whole() -> list[tuple[str, bytes]]:
    values = np.arange(60, dtype=np.float32).reshape(12, 5)
    plain, packed, tight = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(plain, values)
    np.savez(packed, first=values, second=values[:2])
    np.savez_compressed(tight, first=values)
    table = "a,b,c\n" + "\n".join(",".join(map(str, row[:3])) for row in values)
    return [
        ("a.csv", table.encode()),
        ("a.npy", plain.getvalue()),
        ("a.npz", packed.getvalue()),
        ("a.npz", tight.getvalue()),
        ("a.safetensors", safetensors.numpy.save({"first": values})),
    ]
