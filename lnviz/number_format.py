"""Numbers as a reader sees them: one rule, in Python and in the browser.

`front/engine/numbers.js` is the same rule for numbers that follow the hand, and
`tests/frontend/engine/numbers.json` the cases that hold the two together.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal

_FORM = re.compile(r"\d+%?|g\d*|[pd]\d+")
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # all digits of the largest number
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, form: str = "2") -> str:
    """Return a number as text.

    From 1,000 on a comma parts thousands; a minus is one, and no hyphen; halves are rounded away
    from zero. With significant digits, what is below a thousandth, and what comes to a million or
    more once it is rounded, is written with a power of ten.

    Args:
        value: The number.
        form: `2`, so many decimal places; `1%`, so many of its percent; `g3`, so many significant
            digits without zeros at the end; `g`, as many as it takes to tell the number; `p3`, so
            many with the zeros; `d3`, so many of the number whose base-10 logarithm this is.

    Raises:
        ValueError: There is no such form.

    >>> number(22550), number(-0.001), number(1234.5, "1"), number(0.25, "1")
    ('22,550.00', '0.00', '1,234.5', '0.3')
    >>> number(999999.7, "g3"), number(1e-5, "g3"), number(65504, "g"), number(-0.5, "d2")
    ('1 × 10⁶', '1 × 10⁻⁵', '65,504', '0.32')
    """
    if not _FORM.fullmatch(form):
        raise ValueError(f"a number is written as 2, 1%, g3, g, p3 or d3 say, got {form!r}")
    if form.endswith("%"):
        return number(100 * value, form[:-1]) + "%"
    if form.startswith("d"):
        return number(math.inf if value >= 308.25 else 10**value, f"g{form[1:]}")
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    if form[0] not in "gp":
        return _signed(_places(Decimal(value), int(form)))
    exact = Decimal(str(value)) if form == "g" else _significant(Decimal(value), int(form[1:]))
    if exact == 0:
        return _signed(exact if form[0] == "p" else Decimal(0))
    power = exact.adjusted() if not -3 <= exact.adjusted() < 6 else 0
    mantissa = exact.scaleb(-power)
    if form[0] == "g":
        mantissa = mantissa.normalize()
    return _signed(mantissa) + (f" × 10{raised(power)}" if power else "")


def raised(power: int) -> str:
    """Return a whole number as it stands above a base.

    >>> raised(-100)
    '⁻¹⁰⁰'
    """
    return str(power).translate(_RAISED)


def _places(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), context=_EXACT)


def _significant(value: Decimal, digits: int) -> Decimal:
    if value == 0:
        return Decimal(0).scaleb(1 - digits)
    rounded = _places(value, digits - 1 - value.adjusted())
    # 9.97 to two digits has come to three: 10.0
    return _places(rounded, digits - 1 - rounded.adjusted())


def _signed(value: Decimal) -> str:
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value):,f}"
