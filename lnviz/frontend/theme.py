"""Colors and fonts for the style sheet, the figures and Streamlit's settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lnviz.norms import CATALOGUE

LEVELS = 20
"""Steps of the diverging color scale on either side of zero."""


@dataclass(frozen=True)
class ColorPair:
    """A color for the light theme and one for the dark theme, both as `#RRGGBB`."""

    light: str
    dark: str


TOKENS: dict[str, ColorPair] = {
    "page": ColorPair("#FFFFFF", "#12151B"),
    "panel": ColorPair("#F6F8FA", "#1A1E26"),
    "ink": ColorPair("#1B2330", "#E8EBF0"),
    "soft": ColorPair("#566070", "#9AA5B5"),
    "line": ColorPair("#DCE1E8", "#323946"),
    "edge": ColorPair("#7B8696", "#6D7889"),
    "accent": ColorPair("#0072B2", "#56B4E9"),
    "on-accent": ColorPair("#FFFFFF", "#0B1016"),
    "warm": ColorPair("#DE9550", "#A55306"),
    "cool": ColorPair("#7FB4D6", "#0B4F80"),
    "gradient": ColorPair("#B0418C", "#E58AC6"),
    "failure": ColorPair("#B3123B", "#FF7D98"),
    "success": ColorPair("#1A7431", "#6BD884"),
    **{norm.key: ColorPair(*norm.color) for norm in CATALOGUE.values()},
}
"""Colors by token; those of norms have the norm's key."""

FONT = '"Source Sans", "Source Sans Pro", sans-serif'
MATH_FONT = (
    '"STIX Two Math", "Latin Modern Math", "Cambria Math", "DejaVu Math TeX Gyre", '
    '"Noto Sans Math", math'
)


def mix(start: str, end: str, fraction: float) -> str:
    """Return the linear interpolation of two colors, channel by channel.

    >>> mix("#000000", "#FF0000", 0.5)
    '#800000'
    """
    channels = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(a + fraction * (b - a)):02X}" for a, b in channels)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21, as WCAG 2.2 defines it.

    >>> round(contrast("#000000", "#FFFFFF"), 1)
    21.0
    """
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def diverging_color(index: int) -> ColorPair:
    """Return a table cell's background at a level of the diverging color scale (0 is neutral)."""
    end = TOKENS["warm" if index > 0 else "cool"]
    page, fraction = TOKENS["page"], abs(index) / LEVELS
    return ColorPair(mix(page.light, end.light, fraction), mix(page.dark, end.dark, fraction))


PALE_LIMITS = {"failure": 0.6, "success": 0.87}
"""The fraction up to which a cell is pale, with dark text. Success turns strong later than failure:
almost successful must not look successful."""
PALE_START, PALE_END, STRONG_START = 0.12, 0.48, 0.9
"""Fractions of the token's color: the range of pale cells, and the start of strong ones. Fainter
cells could not be distinguished from empty ones, which have the panel's color."""


def shaded_cell(index: int, token: str) -> tuple[ColorPair, str]:
    """Return the background and the text color token of a cell that counts failures or successes.

    Args:
        index: The level, from 1 to `LEVELS`. The scale has no backgrounds of medium strength, on
            which no text is readable.
        token: The color's token, "failure" or "success".
    """
    page, end, fraction = TOKENS["page"], TOKENS[token], index / LEVELS
    limit = PALE_LIMITS[token]
    is_pale = fraction <= limit
    strong = STRONG_START + (fraction - limit) / (1 - limit) * (1 - STRONG_START)
    mixed = PALE_START + fraction / limit * (PALE_END - PALE_START) if is_pale else strong
    background = ColorPair(mix(page.light, end.light, mixed), mix(page.dark, end.dark, mixed))
    return background, "ink" if is_pale else "page"


def style_sheet() -> str:
    """Return the theme as CSS: a variable for each color, a class for each color scale level.

    Browsers without `light-dark()`, as Safari before 17.5, take the system's theme.
    """
    fonts = f":root, :host {{\n  --ln-font: {FONT};\n  --ln-math: {MATH_FONT};\n}}"
    both = _colors(lambda pair: f"light-dark({pair.light}, {pair.dark})")
    light, dark = _colors(lambda pair: pair.light), _colors(lambda pair: pair.dark)
    return f"""{fonts}
{both}
@supports not (color: light-dark(#000, #FFF)) {{
{light}
@media screen and (prefers-color-scheme: dark) {{
{dark}
}}
}}
.joined {{ white-space: nowrap; }}
"""


def _colors(shade: Callable[[ColorPair], str]) -> str:
    """Return the rules with colors, each pair of colors as `shade` writes it."""
    variables = [f"  --ln-{name}: {shade(pair)};" for name, pair in TOKENS.items()]
    levels = [
        f".ln .v{index} {{ background-color: {shade(diverging_color(index))}; }}"
        for index in range(-LEVELS, LEVELS + 1)
    ]
    counted = [
        f".ln .{table} .v{index if table == 'failures' else LEVELS - index} "
        f"{{ background-color: {shade(background)}; color: var(--ln-{text}); }}"
        for table, token in (("failures", "failure"), ("successes", "success"))
        for index in range(1, LEVELS + 1)
        for background, text in [shaded_cell(index, token)]
    ]
    return "\n".join([":root, :host {", *variables, "}", *levels, *counted])


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
