"""A lesson cut into screens, for a lecture: a short passage, one figure, or one question each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lnviz.lessons import Asked, Figure, Fold, Panel, Table
from lnviz.lessons.markdown import blocks, source

WORDS = 110
"""Words of prose on a screen, about: what a room reads in half a minute."""

BESIDE = 30
"""Words of prose that may stand on the screen of a figure or a question."""

Part = str | Figure | Table | Asked | Fold


@dataclass(frozen=True)
class Screen:
    """What is shown at one time.

    Attributes:
        heading: the heading of the section it is in, as Markdown; "" before the first one.
        parts: prose (Markdown), and at most one figure, table, thing asked or fold.
    """

    heading: str
    parts: tuple[Part, ...]

    @property
    def prose(self) -> tuple[str, ...]:
        """The prose of the screen, passage by passage."""
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def words(self) -> int:
        """How many words of prose it has."""
        return sum(map(_words, self.prose))

    @property
    def figure(self) -> Figure | None:
        """The figure of the screen, if it has one."""
        return next((part for part in self.parts if isinstance(part, Figure)), None)


def screens(parts: Iterable[Part | Panel]) -> tuple[Screen, ...]:
    """Return a lesson's screens in reading order; the first has its first paragraph alone.

    Panels are left out: the app alone can show them, on its own pages.

    Args:
        parts: the parts of the lesson.
    """
    return tuple(_screens(parts))


def _screens(parts: Iterable[Part | Panel]) -> Iterator[Screen]:
    heading = ""
    pending: list[str] = []
    is_first = True
    for part in parts:
        if isinstance(part, Panel):
            continue
        if not isinstance(part, str):
            beside = _beside(pending)
            yield from _passage(heading, pending[: len(pending) - len(beside)])
            yield Screen(heading, (*beside, part))
            pending = []
            continue
        for block in _blocks(part):
            heads = re.match(r"## (.+)", block)
            if heads or not _fits(pending, block):
                # What announces the next block goes with it.
                stays = not heads and pending and _announces(pending[-1])
                yield from _passage(heading, pending[:-1] if stays else pending)
                pending = pending[-1:] if stays else []
            heading = heads[1] if heads else heading
            pending.append(block)
            if is_first:
                yield from _passage(heading, pending)
                pending, is_first = [], False
    yield from _passage(heading, pending)


def _passage(heading: str, shown: list[str]) -> Iterator[Screen]:
    if shown:
        yield Screen(heading, ("\n\n".join(shown),))


def _beside(pending: list[str]) -> list[str]:
    """The last of these blocks that stand on the screen of what follows them."""
    beside: list[str] = []
    for block in reversed(pending):
        is_heading = block.startswith("#")
        words = sum(map(_words, (block, *beside)))
        if block.startswith("$$") or (words > BESIDE and not is_heading):
            break
        beside.insert(0, block)
        if is_heading:
            break
    return beside


def _fits(pending: list[str], block: str) -> bool:
    """Whether a block goes on the screen of those before it; a formula stays with its sentence."""
    if not pending or block.startswith("$$"):
        return True
    return sum(map(_words, (*pending, block))) <= WORDS or pending[-1].startswith("#")


def _announces(block: str) -> bool:
    return block.endswith(":") or block.startswith("#")


def _blocks(text: str) -> Iterator[str]:
    lines = text.splitlines()
    for node in blocks(text):
        yield source([node], lines)


def _words(text: str) -> int:
    """How many words there are; a formula counts as one."""
    return len(re.sub(r"\$+[^$]+\$+", "formula", text).split())
