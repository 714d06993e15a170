"""Interpolation of computed values into text: `{{name}}` placeholders.

The lesson's function `text_values` returns the values: stored results, constants of its figures, or
short computations (short because all texts are read when the app starts). The format follows the
name:

- `{{images}}` in digits: 300, 1,078 or 0.003;
- `{{layers:words}}` in words, and `{{layers:Words}}` capitalized;
- `{{left:1}}` with one decimal place, `{{ratio:g3}}` with three significant digits, `{{most:1c}}`
  and `{{least:1f}}` rounded up and down, as in `lnviz/number_format.py`.

A value that is a string, such as a list of names, is inserted unchanged.

Only numbers are filled in. The words around them, such as "more than", are typed and have citation
marks that name their tests.
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


def placeholder_names(text: str) -> list[str]:
    """Return the names of a text's `{{name}}` placeholders, in order."""
    return [name for name, _ in PLACEHOLDER.findall(text)]


def interpolate(text: str, values: Mapping[str, float | str]) -> str:
    """Replace the `{{name}}` placeholders in a text with formatted values.

    Args:
        text: Markdown with placeholders.
        values: the values, by name.

    Raises:
        ValueError: A placeholder names no value, or its value does not fit its format.

    >>> values = {"some": 3, "all": 2000, "part": 1}
    >>> interpolate("{{some:Words}} of {{all}} stay, {{part:1}} %.", values)
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
            return (
                _text_value(value, form)
                if isinstance(value, str)
                else format_value(value, form or "g")
            )
        except ValueError as error:
            raise ValueError(f"{match[0]}: {error}") from error

    return PLACEHOLDER.sub(written, text)


def format_value(value: float, form: str = "g") -> str:
    """Format a number for a text, in digits or spelled out in words.

    Args:
        value: any number.
        form: `words`, `Words`, or a format of `lnviz.number_format`.

    Raises:
        ValueError: The format is unknown, or it is words and the number is not from 0 to 99.

    >>> spelled = format_value(13, "words"), format_value(48, "Words")
    >>> *spelled, format_value(-0.25, "1"), format_value(1078)
    ('thirteen', 'Forty-eight', '−0.3', '1,078')
    """
    match form:
        case "words":
            return _in_words(value)
        case "Words":
            return _in_words(value).capitalize()
    return number(value, form)


def join_words(words: Iterable[object]) -> str:
    """Join words with commas and a final "and".

    >>> join_words([4, 32, 128])
    '4, 32 and 128'
    """
    *others, last = [str(word) for word in words] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _text_value(value: str, form: str | None) -> str:
    if form:
        raise ValueError(f"a text is written as it is, got {value!r} for the form {form!r}")
    return value


def _in_words(value: float) -> str:
    if value not in range(100):
        raise ValueError(f"a whole number from 0 to 99 can be written in words, got {value}")
    tens, ones = divmod(int(value), 10)
    if tens < 2:
        return _SMALL[int(value)]
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
