"""Validation of texts that users enter for a model."""

import unicodedata

MAX_CHARACTERS = 2_000
"""Maximum number of characters of a text."""


class TextError(ValueError):
    """Error: a text is invalid; the message says why and how to fix it."""


def validate_text(text: str) -> None:
    """Raise a `TextError` if a model cannot read a text.

    Raises:
        TextError: the text is empty or too long, or has characters that are not text.
    """
    if not text.strip():
        raise TextError("The text is empty. Write a sentence.")
    if len(text) > MAX_CHARACTERS:
        raise TextError(
            f"The text has {len(text):,} characters; {MAX_CHARACTERS:,} are read at most. "
            "Shorten it."
        )
    # Formatting marks stay: right-to-left writing and composed emoji need them.
    odd = sorted({f"U+{ord(c):04X}" for c in text if _is_unreadable(c)})
    if odd:
        raise TextError(f"The text has invalid characters: {', '.join(odd[:3])}. Leave them out.")


def _is_unreadable(character: str) -> bool:
    """Return whether a character is not text: a surrogate, control, private-use or noncharacter.

    Unassigned characters are allowed, since each Unicode version assigns some of them.
    """
    kind, number = unicodedata.category(character), ord(character)
    never = 0xFDD0 <= number <= 0xFDEF or number & 0xFFFE == 0xFFFE
    return never or kind in ("Cs", "Co") or (kind == "Cc" and character not in "\n\t\r")
