"""What can be read as a text."""

import unicodedata

LONGEST = 2_000
"""The most characters that a text may have."""


class TextError(ValueError):
    """A text that cannot be read; the message names the problem and the remedy."""


def check(text: str) -> None:
    """Find whether a text can be read.

    Raises:
        TextError: it is empty, too long, or has characters that are no text.
    """
    if not text.strip():
        raise TextError("The text is empty. Write a sentence.")
    if len(text) > LONGEST:
        raise TextError(
            f"The text has {len(text):,} characters; {LONGEST:,} are read at most. Shorten it."
        )
    # Formatting marks stay: right-to-left writing and composed emoji need them.
    odd = sorted({f"U+{ord(c):04X}" for c in text if _unreadable(c)})
    if odd:
        raise TextError(
            f"The text has characters that are no text: {', '.join(odd[:3])}. Leave them out."
        )


def _unreadable(character: str) -> bool:
    """Whether it is a lone surrogate, a control, of private use, or never to be a character.

    What this Python's table does not know yet is a character all the same: each year has new ones.
    """
    kind, number = unicodedata.category(character), ord(character)
    never = 0xFDD0 <= number <= 0xFDEF or number & 0xFFFE == 0xFFFE
    return never or kind in ("Cs", "Co") or (kind == "Cc" and character not in "\n\t\r")
