"""Random hostile URLs and files, the same for the same seed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

import numpy as np
import safetensors.numpy

from lnviz.book import PAGES
from lnviz.explorable import IntParameter, Parameter, ParameterError, TextParameter
from lnviz.lessons import FigureSpec
from lnviz.web.payload_scheduler import LIGHT_S

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
    "job.0",
    "../../etc/passwd",
    "' OR 1=1 --",
    "\x00",
    "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
    "<img src=x>",
)

NAMES = (
    "table.1_2*3_5*4_4",
    "table.a_b*1_2*3_5*4_-4",
    "table.0_0*0_0",
    "table.1e38_-1e38*1e-38_1",
    "upload." + "A" * 43,
    "job.0123456789abcdef",
)
"""Values of the parameter for own data: small tables, and uploads that do not exist."""


def addresses(count: int, seed: int = 0) -> Iterator[str]:
    """Yield paths with queries: half of them of figures, half of nothing that exists."""
    draw = Random(seed)
    figures = [(page.slug, figure) for page in PAGES for figure in page.figures]
    for _ in range(count):
        if draw.random() < 0.5:
            slug, figure = draw.choice(figures)
            some = draw.sample(figure.parameters, min(len(figure.parameters), draw.randrange(4)))
            pairs = [(parameter.name, _value(draw, parameter)) for parameter in some]
            if _is_heavy(figure, dict(pairs)):
                # It would be computed for long: a name that no parameter has gets it refused.
                pairs.append(("no-such-parameter", draw.choice(VALUES)))
            query = "&".join(f"{name}={quote(value)}" for name, value in pairs)
            ending = draw.choice(
                ("json", "json", "json", "progress", "html", "json/", "JSON", "json.map")
            )
            yield f"/explorables/{slug}/{figure.name}.{ending}?{query}"
        else:
            start = draw.choice(
                ("", "assets", "explorables", "jobs", "present", "previews", "axes")
            )
            rest = [draw.choice(PIECES) for _ in range(draw.randrange(1, 4))]
            yield "/" + "/".join([start, *rest])


def _value(draw: Random, parameter: Parameter) -> str:
    """Return a value that is valid for a parameter, nearly valid, or not at all."""
    if draw.random() < 0.5:
        return draw.choice(VALUES)
    match parameter:
        case IntParameter():
            return str(draw.randint(parameter.low, parameter.high))
        case TextParameter():
            return "".join(draw.choices("ab \t,.é漢\u0301\U0001f4a3", k=draw.randrange(1, 40)))
        case _:
            own = [name for name in NAMES if name.startswith(parameter.custom_prefixes)]
            return draw.choice([*(option.value for option in parameter.options), *own])


def _is_heavy(figure: FigureSpec, query: dict[str, str]) -> bool:
    try:
        return figure.cost(figure.parse(query)) >= LIGHT_S
    except ParameterError:
        return False


def files(count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of valid files in which bytes were changed, cut or repeated."""
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
