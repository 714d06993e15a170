"""The computed numbers of a text: `{{name}}`, filled with what its page's `values` gives by name.

A page's `values` stand in the `said.py` beside its text. They come from stored results, from the
constants of its figures, or from computing that is over in a moment, since all texts are read when
the app starts; they are plain numbers. How one is written is said where it stands, and nowhere
else:

- `{{images}}` in digits, 300 or 1,078 or 0.003;
- `{{layers:words}}` in words, and `{{layers:Words}}` where a sentence begins with it;
- `{{left:1}}` with one decimal place, `{{ratio:g3}}` with three digits: `lnviz/number_format.py`.

A value that is a text, such as the names of what was trained, stands as it is.

What a number shows is said in words, which a test holds: "more than" stays where it stands when
the number changes. What an example supposes, and what follows from that alone, is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lnviz.number_format import number

PLACEHOLDER = re.compile(r"\{\{([^{}\s:]+)(?::([^{}\s]*))?\}\}")

_SMALL = (
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def names(text: str) -> list[str]:
    """Return the values that a text names, in its order."""
    return [name for name, _ in PLACEHOLDER.findall(text)]


def fill(text: str, values: Mapping[str, float | str]) -> str:
    """Return a text with its values filled in.

    Args:
        text: Markdown with placeholders.
        values: the values by the names that they have there.

    Raises:
        ValueError: A placeholder names no value, or its value cannot be written as it says.

    >>> fill("{{some:Words}} of {{all}} stay, {{part:1}} %.", {"some": 3, "all": 2000, "part": 1})
    'Three of 2,000 stay, 1.0 %.'
    """

    def written(match: re.Match[str]) -> str:
        name, form = match.groups()
        if name not in values:
            raise ValueError(
                f"{match[0]}: there is no value of this name; there are {sorted(values)}. In a "
                "formula, part the braces by a space."
            )
        value = values[name]
        try:
            return _named(value, form) if isinstance(value, str) else write(value, form or "g")
        except ValueError as error:
            raise ValueError(f"{match[0]}: {error}") from error

    return PLACEHOLDER.sub(written, text)


def write(value: float, form: str = "g") -> str:
    """Write a number as a text has it.

    Args:
        value: any number.
        form: `words`, `Words`, or a form of `lnviz.number_format.number`.

    Raises:
        ValueError: There is no such form, or the number is not one from 0 to 99 and shall be words.

    >>> write(13, "words"), write(48, "Words"), write(-0.25, "1"), write(1078)
    ('thirteen', 'Forty-eight', '−0.3', '1,078')
    """
    match form:
        case "words":
            return _words(value)
        case "Words":
            return _words(value).capitalize()
    return number(value, form)


def listed(words: Iterable[object]) -> str:
    """Return words as a sentence lists them.

    >>> listed([4, 32, 128])
    '4, 32 and 128'
    """
    *others, last = [str(word) for word in words] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _named(value: str, form: str | None) -> str:
    if form:
        raise ValueError(f"a text is written as it is, got {value!r} for the form {form!r}")
    return value


def _words(value: float) -> str:
    if value not in range(100):
        raise ValueError(f"a whole number from 0 to 99 can be written in words, got {value}")
    tens, ones = divmod(int(value), 10)
    if tens < 2:
        return _SMALL[int(value)]
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
