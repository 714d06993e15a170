"""Formatting of numbers as text, identical in Python and in the browser.

`frontend/engine/numbers.js` implements the same rules; both are tested with the cases of
`tests/frontend/engine/numbers.json`.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal

_FORM = re.compile(r"g|(?:\d+%?|[gpd]\d+)[cf]?")
_DIRECTIONS = {"c": ROUND_CEILING, "f": ROUND_FLOOR}
_ALL_DIGITS = 400  # of the largest number
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, form: str = "2") -> str:
    """Return a number as text with fixed decimal places or significant digits.

    Commas separate thousands, the minus sign is U+2212, and halves are rounded away from zero.
    A form that ends in `c` (ceiling) or `f` (floor) rounds up or down instead, for numbers after
    "at most" and "at least"; it takes six significant digits as exact, as many as float32 has.
    Forms with significant digits switch to scientific notation below 0.001 and, after rounding,
    from 1,000,000 on.

    Args:
        value: The number.
        form: `2`: two decimal places. `1%`: a percentage with one decimal place. `g3`: three
            significant digits, without trailing zeros. `g`: the fewest significant digits that
            identify the number. `p3`: like `g3`, with trailing zeros. `d3`: like `g3`, for the
            number whose base-10 logarithm is `value`. Any but `g`: also with `c` or `f` at the end.

    Raises:
        ValueError: `form` has none of these formats.

    >>> number(22550), number(-0.001), number(1234.5, "1"), number(0.25, "1")
    ('22,550.00', '0.00', '1,234.5', '0.3')
    >>> number(999999.7, "g3"), number(1e-5, "g3"), number(65504, "g"), number(-0.5, "d2")
    ('1 × 10⁶', '1 × 10⁻⁵', '65,504', '0.32')
    >>> number(110.2, "0c"), number(0.929, "2f"), number(1.01, "g2c")
    ('111', '0.92', '1.1')
    """
    if not _FORM.fullmatch(form):
        raise ValueError(f"a number is written as 2, 1%, g3, g, p3, d3, 2c or 2f say, got {form!r}")
    direction = form[-1] if form[-1] in _DIRECTIONS else ""
    plain = form.removesuffix(direction)
    if plain.endswith("%"):
        return number(100 * value, plain[:-1] + direction) + "%"
    if plain.startswith("d"):
        return number(math.inf if value >= 308.25 else 10**value, f"g{form[1:]}")
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    given = Decimal(f"{value:.6g}") if direction else Decimal(value)
    context = Context(_ALL_DIGITS, _DIRECTIONS.get(direction, ROUND_HALF_UP))
    if plain[0] not in "gp":
        return _with_sign(_round_to_places(given, int(plain), context))
    exact = (
        Decimal(str(value)) if plain == "g" else _round_to_digits(given, int(plain[1:]), context)
    )
    if exact == 0:
        return _with_sign(exact if plain[0] == "p" else Decimal(0))
    power = exact.adjusted() if not -3 <= exact.adjusted() < 6 else 0
    mantissa = exact.scaleb(-power)
    if plain[0] == "g":
        mantissa = mantissa.normalize()
    return _with_sign(mantissa) + (f" × 10{superscript(power)}" if power else "")


def superscript(power: int) -> str:
    """Return an integer in superscript digits.

    >>> superscript(-100)
    '⁻¹⁰⁰'
    """
    return str(power).translate(_SUPERSCRIPTS)


def _round_to_places(value: Decimal, places: int, context: Context) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), context=context)


def _round_to_digits(value: Decimal, digits: int, context: Context) -> Decimal:
    if value == 0:
        return Decimal(0).scaleb(1 - digits)
    rounded = _round_to_places(value, digits - 1 - value.adjusted(), context)
    # 9.97 to two digits has come to three: 10.0
    return _round_to_places(rounded, digits - 1 - rounded.adjusted(), context)


def _with_sign(value: Decimal) -> str:
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value):,f}"
