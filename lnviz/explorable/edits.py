"""A small table that the reader may change, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Edits:
    """How a changed cell becomes another value of a parameter.

    The value is `before` and the table: cells joined by `_`, lines by `*`.

    Args:
        parameter: The parameter that names the table.
        pointer: The pointer whose held cell can be typed anew.
        before: How the value begins.
        lines: The table as text, heads included.
        first: Line and place in it of the pointer's first cell.
    """

    parameter: str
    pointer: str
    before: str
    lines: tuple[tuple[str, ...], ...]
    first: tuple[int, int]

    def payload(self) -> dict[str, Any]:
        """`Edits` of `payload.d.ts`."""
        return {
            "parameter": self.parameter,
            "pointer": self.pointer,
            "before": self.before,
            "lines": [list(line) for line in self.lines],
            "first": list(self.first),
        }
