"""Every browser that the documents name has what the scripts and style sheets use."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lnviz.frontend import theme
from lnviz.frontend.static_files import FOLDER
from tests.frontend.browsers import BROWSERS, SCRIPT, STYLE, Feature
from tests.frontend.style_sheets import nested_rules

ROOT = FOLDER.parents[1]
NAMED = re.compile(r"Safari (\d+\.\d), Firefox (\d+), and Chrome or Edge (\d+)")
Found = dict[str, list[str]]


def least() -> dict[str, float]:
    """The versions that the README names."""
    named = NAMED.search((ROOT / "README.md").read_text("utf-8"))
    assert named, "the README names the least versions of browsers"
    return dict(zip(BROWSERS, map(float, named.groups()), strict=True))


def needed(text: str, features: dict[str, Feature]) -> Iterator[str]:
    """The features without which a file does not work."""
    return (name for name, feature in features.items() if feature.unguarded(text))


def uses(ending: str) -> Found:
    """The files of each feature of scripts or style sheets that some file needs."""
    features = {".js": SCRIPT, ".css": STYLE}[ending]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files(ending)}
    if ending == ".css":
        texts["theme"] = theme.style_sheet()
    found: Found = {}
    for path, text in texts.items():
        for name in needed(text, features):
            found.setdefault(name, []).append(path)
        if ending == ".css" and any(re.match(r"[a-z]", rule) for rule in nested_rules(text)):
            found.setdefault("nested rules that begin with a tag", []).append(path)
    return found


def files(ending: str) -> list[Path]:
    return [path for path in sorted(FOLDER.rglob(f"*{ending}")) if path.name != "plotly.min.js"]


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "features"), [(".js", SCRIPT), (".css", STYLE)])
def test_no_file_needs_a_younger_browser_than_the_readme_names(
    ending: str, features: dict[str, Feature]
) -> None:
    oldest = tuple(least().values())
    younger = {
        name: paths
        for name, paths in uses(ending).items()
        if any(own > given for own, given in zip(features[name].since, oldest, strict=True))
    }
    assert younger == {}


@pytest.mark.slow
def test_the_readme_names_the_oldest_browsers_that_have_what_is_needed() -> None:
    since = [SCRIPT[name].since for name in uses(".js")]
    since += [STYLE[name].since for name in uses(".css")]
    assert least() == dict(zip(BROWSERS, map(max, zip(*since, strict=True)), strict=True))


@pytest.mark.parametrize("name", ["Element.checkVisibility", "popovers", "scrollend"])
def test_a_use_is_found_until_there_is_a_way_around_it(name: str) -> None:
    plain = {
        "Element.checkVisibility": "if (node.checkVisibility()) draw();",
        "popovers": "popup.showPopover();",
        "scrollend": 'addEventListener("scrollend", save);',
    }[name]
    around = {
        "Element.checkVisibility": "node.checkVisibility?.() ?? node.offsetParent;",
        "popovers": 'if ("popover" in HTMLElement.prototype) popup.showPopover();',
        "scrollend": f'{plain} if (!("onscrollend" in window)) addEventListener("scroll", save);',
    }[name]
    assert list(needed(plain, SCRIPT)) == [name]
    assert list(needed(around, SCRIPT)) == []
    assert list(needed(f"// {plain}", SCRIPT)) == []


def test_a_nested_rule_that_begins_with_a_tag_is_found() -> None:
    assert list(nested_rules("a { & b {} c:hover {} @media print { d {} } } e { margin: 0 }")) == [
        "& b",
        "c:hover",
        "d",
    ]
