"""Colors and fonts, stated once: style sheet, figures and Streamlit's settings follow."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.norms import CATALOGUE

LEVELS = 20
"""Steps of the diverging scale on either side of zero."""


@dataclass(frozen=True)
class Pair:
    """One color for light pages and one for dark pages, both as `#RRGGBB`."""

    light: str
    dark: str


TOKENS: dict[str, Pair] = {
    "page": Pair("#FFFFFF", "#12151B"),
    "panel": Pair("#F6F8FA", "#1A1E26"),
    "ink": Pair("#1B2330", "#E8EBF0"),
    "soft": Pair("#566070", "#9AA5B5"),
    "line": Pair("#DCE1E8", "#323946"),
    "edge": Pair("#7B8696", "#6D7889"),
    "accent": Pair("#0072B2", "#56B4E9"),
    "on-accent": Pair("#FFFFFF", "#0B1016"),
    "warm": Pair("#DE9550", "#A55306"),
    "cool": Pair("#7FB4D6", "#0B4F80"),
    "gradient": Pair("#B0418C", "#E58AC6"),
    "failure": Pair("#B3123B", "#FF7D98"),
    "success": Pair("#1A7431", "#6BD884"),
    **{norm.key: Pair(*norm.color) for norm in CATALOGUE.values()},
}
"""Named colors; those of the norms have the norm's key."""

FONT = '"Source Sans", "Source Sans Pro", sans-serif'
MATH_FONT = (
    '"STIX Two Math", "Latin Modern Math", "Cambria Math", "DejaVu Math TeX Gyre", '
    '"Noto Sans Math", math'
)


def mix(start: str, end: str, share: float) -> str:
    """Return the color `share` of the way from `start` to `end`, each channel on its own.

    >>> mix("#000000", "#FF0000", 0.5)
    '#800000'
    """
    channels = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in channels)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21, as WCAG 2.2 defines it.

    >>> round(contrast("#000000", "#FFFFFF"), 1)
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def level(index: int) -> Pair:
    """Return the background of a cell whose value is `index / LEVELS` of the scale's end."""
    toward = TOKENS["warm" if index > 0 else "cool"]
    page, share = TOKENS["page"], abs(index) / LEVELS
    return Pair(mix(page.light, toward.light, share), mix(page.dark, toward.dark, share))


FEW = {"failure": 0.6, "success": 0.87}
"""Up to this share of a color a cell is so pale that its text has the color of ink: what has
failed a little has failed, and what has not quite succeeded has not."""
FAINT, PALE, STRONG = 0.12, 0.48, 0.9
"""Shares of the color: where pale cells begin, where they end, and where strong ones begin. What is
fainter could not be told from the panel, whose color a cell has of which nothing counts."""


def shaded(index: int, token: str) -> tuple[Pair, str]:
    """Return the ground of a cell that has `index / LEVELS` of a color, and its text's token.

    The index is from 1. No text is readable on what lies between the pale and the strong grounds.
    """
    page, toward, share = TOKENS["page"], TOKENS[token], index / LEVELS
    most = FEW[token]
    few = share <= most
    beyond = STRONG + (share - most) / (1 - most) * (1 - STRONG)
    mixed = FAINT + share / most * (PALE - FAINT) if few else beyond
    ground = Pair(mix(page.light, toward.light, mixed), mix(page.dark, toward.dark, mixed))
    return ground, "ink" if few else "page"


def css() -> str:
    """Return the theme as CSS: a variable for each token, a class for each level of the scale."""
    variables = [f"  --ln-{name}: {_css(pair)};" for name, pair in TOKENS.items()]
    levels = [
        f".ln .v{index} {{ background-color: {_css(level(index))}; }}"
        for index in range(-LEVELS, LEVELS + 1)
    ]
    counted = [
        f".ln .{table} .v{index if table == 'failures' else LEVELS - index} "
        f"{{ background-color: {_css(ground)}; color: var(--ln-{text}); }}"
        for table, token in (("failures", "failure"), ("successes", "success"))
        for index in range(1, LEVELS + 1)
        for ground, text in [shaded(index, token)]
    ]
    fonts = [f"  --ln-font: {FONT};", f"  --ln-math: {MATH_FONT};"]
    root = [":root, :host {", *variables, *fonts, "}"]
    return "\n".join([*root, *levels, *counted, ""])


def _css(pair: Pair) -> str:
    return f"light-dark({pair.light}, {pair.dark})"


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
