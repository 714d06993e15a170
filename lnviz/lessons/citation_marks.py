"""Citation marks: `[=name]` after a sentence names the test or source that supports it.

Marks are for authors; they are removed from the text before readers see it. The `claims.toml`
beside the text maps each name to a test or source, and `tests/lessons/test_claims.py` checks that
text and `claims.toml` agree.
"""

from __future__ import annotations

import re

MARK = re.compile(r" ?\[=([a-z0-9-]+)\]")
TASK_MARK = "to-find"
"""The name in the mark of a sentence that tells the reader what state of a figure to find."""


def strip_marks(text: str) -> str:
    """Return a text without its citation marks.

    >>> strip_marks("It has 64.[=units] It is so.[=defined]")
    'It has 64. It is so.'
    """
    return MARK.sub("", text)


def find_marks(text: str) -> tuple[str, ...]:
    """Return the names in a text's citation marks, in order of appearance.

    >>> find_marks("It has 64 of 65.[=units][=ba-table-2]")
    ('units', 'ba-table-2')
    """
    return tuple(MARK.findall(text))
