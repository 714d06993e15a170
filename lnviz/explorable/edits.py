"""A small table that the reader may change, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.explorable.schema import Name, Serializable


@dataclass(frozen=True)
class Edits(Serializable):
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
    pointer: Name
    before: str
    lines: tuple[tuple[str, ...], ...]
    first: tuple[int, int]
