import colorsys
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lnviz.frontend.theme import (
    LEVELS,
    TOKENS,
    ColorPair,
    contrast,
    diverging_color,
    mix,
    shaded_cell,
    style_sheet,
)
from lnviz.norms import CATALOGUE

ROOT = Path(__file__).parents[2]
READABLE = 4.5  # WCAG 2.2, success criterion 1.4.3: text of any size
VISIBLE = 3.0  # success criterion 1.4.11: what a control or a graphic is known by

MODES = ("light", "dark")
SURFACES = ("page", "panel")
NORMS = tuple(CATALOGUE)
TEXTS = ("ink", "soft", "accent", "gradient", "failure", "success", *NORMS)
# Okabe and Ito 2008, Color Universal Design.
OKABE_ITO = {
    "batch": "#D55E00",
    "layer": "#0072B2",
    "rms": "#009E73",
    "group": "#E69F00",
    "instance": "#56B4E9",
    "weight": "#CC79A7",
}
COLORS = st.integers(0, 0xFFFFFF).map("#{:06X}".format)
COUNTED = ("failure", "success")


def shade(pair: ColorPair, mode: str) -> str:
    return pair.light if mode == "light" else pair.dark


def hue(color: str) -> float:
    """In degrees."""
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 360 * colorsys.rgb_to_hls(*channels)[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", TEXTS)
def test_text_is_readable_on_every_surface(text: str, surface: str, mode: str) -> None:
    assert contrast(shade(TOKENS[text], mode), shade(TOKENS[surface], mode)) >= READABLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("surface", SURFACES)
def test_the_outline_of_a_button_is_seen(surface: str, mode: str) -> None:
    assert contrast(shade(TOKENS["edge"], mode), shade(TOKENS[surface], mode)) >= VISIBLE


@pytest.mark.parametrize("mode", MODES)
def test_text_on_the_accent_is_readable(mode: str) -> None:
    assert contrast(shade(TOKENS["on-accent"], mode), shade(TOKENS["accent"], mode)) >= READABLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("norm", NORMS)
def test_text_on_the_color_of_a_norm_is_readable(norm: str, mode: str) -> None:
    assert contrast(shade(TOKENS["on-accent"], mode), shade(TOKENS[norm], mode)) >= READABLE


@pytest.mark.parametrize("mode", MODES)
def test_numbers_are_readable_on_every_level_of_the_scale(mode: str) -> None:
    for index in range(-LEVELS, LEVELS + 1):
        assert contrast(shade(TOKENS["ink"], mode), shade(diverging_color(index), mode)) >= READABLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("token", COUNTED)
def test_text_is_readable_whatever_share_has_failed_or_succeeded(token: str, mode: str) -> None:
    for index in range(1, LEVELS + 1):
        ground, text = shaded_cell(index, token)
        assert contrast(shade(TOKENS[text], mode), shade(ground, mode)) >= READABLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("token", COUNTED)
def test_a_larger_share_is_further_from_the_page_and_none_the_least(token: str, mode: str) -> None:
    shares = [shaded_cell(index, token)[0] for index in range(1, LEVELS + 1)]
    steps = [shade(pair, mode) for pair in (TOKENS["panel"], *shares)]
    distance = [contrast(step, shade(TOKENS["page"], mode)) for step in steps]
    assert all(near < far for near, far in pairwise(distance))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("surface", SURFACES)
def test_an_outline_is_seen_on_the_surfaces(norm: str, surface: str, mode: str) -> None:
    assert contrast(shade(TOKENS[norm], mode), shade(TOKENS[surface], mode)) >= VISIBLE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("norm", OKABE_ITO)
def test_the_hues_of_the_norms_are_those_of_the_palette(norm: str, mode: str) -> None:
    difference = abs(hue(shade(TOKENS[norm], mode)) - hue(OKABE_ITO[norm])) % 360
    assert min(difference, 360 - difference) < 5


def test_the_scale_is_the_page_at_zero_and_leaves_it_step_by_step() -> None:
    assert diverging_color(0) == TOKENS["page"]
    assert (diverging_color(LEVELS), diverging_color(-LEVELS)) == (TOKENS["warm"], TOKENS["cool"])
    for sign in (1, -1):
        for mode in MODES:
            steps = [shade(diverging_color(sign * i), mode) for i in range(LEVELS + 1)]
            distance = [contrast(step, shade(TOKENS["page"], mode)) for step in steps]
            assert all(near < far for near, far in pairwise(distance))


@given(COLORS, COLORS)
@settings(max_examples=30)
def test_a_mix_begins_at_one_color_and_ends_at_the_other(one: str, other: str) -> None:
    assert (mix(one, other, 0), mix(one, other, 1)) == (one, other)


@given(COLORS, COLORS)
@settings(max_examples=30)
def test_contrast_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21.0000001


def test_contrast_agrees_with_a_known_pair() -> None:
    # The gray that WCAG's own texts name as the lightest for body text on white.
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("option", "token"),
    [
        ("primaryColor", "accent"),
        ("backgroundColor", "page"),
        ("secondaryBackgroundColor", "panel"),
        ("textColor", "ink"),
        ("borderColor", "line"),
        ("linkColor", "accent"),
    ],
)
def test_streamlits_settings_agree_with_the_theme(option: str, token: str, mode: str) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["theme"][mode][option] == shade(TOKENS[token], mode)


def test_the_style_sheet_declares_every_token_and_every_level() -> None:
    both, without = style_sheet().split("@supports not (color: light-dark(#000, #FFF)) {")
    light, dark = without.split("@media screen and (prefers-color-scheme: dark) {")
    for name, pair in TOKENS.items():
        assert f"--ln-{name}: light-dark({pair.light}, {pair.dark});" in both
        assert f"--ln-{name}: {pair.light};" in light
        assert f"--ln-{name}: {pair.dark};" in dark
    for part in (both, light, dark):
        declared = re.findall(r"^\.ln \.v(-?\d+) ", part, flags=re.MULTILINE)
        assert [int(index) for index in declared] == list(range(-LEVELS, LEVELS + 1))


@pytest.mark.parametrize("place", ["frontend/**/*.css", "lessons/**/*.py", "web/**/*.py"])
def test_every_variable_that_is_used_is_declared(place: str) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "lnviz").glob(place)]
    front = ROOT / "lnviz" / "frontend"
    scripts = [file.read_text(encoding="utf-8") for file in front.rglob("*.js")]
    declared = set(re.findall(r"(--ln-[\w-]+):", "".join([style_sheet(), *texts])))
    declared |= set(re.findall(r"\{ (--ln-[\w-]+):", "".join(scripts)))  # in rules that scripts add
    declared |= set(re.findall(r"setProperty\(\"(--ln-[\w-]+)\"", "".join(scripts)))
    assert texts
    assert set(re.findall(r"var\((--ln-[a-z-]*[a-z])[,)]", "".join(texts))) <= declared


def test_style_sheets_color_text_and_surfaces_by_the_theme_alone() -> None:
    own = re.compile(r"\b(?:color|background)[a-z-]*:[^;]*(?:#|\brgb|\bhsl|\bwhite\b|\bblack\b)")
    sheets = [*(ROOT / "lnviz" / "frontend").rglob("*.css")]
    assert sheets
    assert {sheet.name: own.findall(sheet.read_text(encoding="utf-8")) for sheet in sheets} == {
        sheet.name: [] for sheet in sheets
    }
