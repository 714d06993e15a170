"""Editing of a small data table in a figure, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.explorable.schema import Name, Serializable


@dataclass(frozen=True)
class Edits(Serializable):
    """A data table that readers can edit in a figure, and its encoding as a URL parameter.

    The value is `prefix` and the table: cells joined by `_`, lines by `*`.

    Args:
        parameter: The parameter that encodes the table.
        pointer: The cell picker whose selected cell can be edited.
        prefix: The prefix of the value.
        lines: The table as text, with headings.
        first: The line and column in `lines` of the cell picker's first cell.
    """

    parameter: str
    pointer: Name
    prefix: str
    lines: tuple[tuple[str, ...], ...]
    first: tuple[int, int]
