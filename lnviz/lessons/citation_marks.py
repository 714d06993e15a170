"""The marks of a text that say how a sentence is known: `[=name]`, behind it.

A mark is for whoever writes, and is gone from what is read. What its name stands for is in the
`claims.toml` beside the text, and `tests/lessons/claims.py` holds the two together.
"""

from __future__ import annotations

import re

MARK = re.compile(r" ?\[=([a-z0-9-]+)\]")


def unmarked(text: str) -> str:
    """Return the text without its marks.

    >>> unmarked("It has 64.[=units] It is so.[=defined]")
    'It has 64. It is so.'
    """
    return MARK.sub("", text)


def marks(text: str) -> tuple[str, ...]:
    """Return the names in the marks of a text, in its order.

    >>> marks("It has 64 of 65.[=units][=ba-table-2]")
    ('units', 'ba-table-2')
    """
    return tuple(MARK.findall(text))
