"""Style sheets read as text: their selectors, with nesting and alternatives written out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lnviz.frontend.static_files import FOLDER

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FUNCTION = re.compile(r":(?:is|where)\(")
_IGNORED = re.compile(r":(?:not|has)\(")
_CREATED = re.compile(
    r'(?:element\("\w+", |div\(|classList\.(?:add|toggle)\(|class: |className = )"([a-z][a-z -]*)"'
)


def selectors(sheet: str) -> Iterator[str]:
    """Yield each selector of a style sheet's text, without commas, nesting, `:is` and `:where`."""
    yield from _nested(_COMMENT.sub("", sheet), [""])


def _nested(text: str, parents: list[str]) -> Iterator[str]:
    start = 0
    while (opening := text.find("{", start)) >= 0:
        end = _closing(text, opening, "{}")
        prelude = text[start:opening].rpartition(";")[2].strip()
        body = text[opening + 1 : end - 1]
        if not prelude.startswith("@"):
            own = [s for each in split(prelude, ",") for s in _joined(each.strip(), parents)]
            yield from own
            yield from _nested(body, own)
        elif prelude.startswith(("@media", "@supports")):
            yield from _nested(body, parents)
        start = end


def nested_rules(sheet: str) -> Iterator[str]:
    """Yield the selectors of rules within rules, as they are written."""
    yield from _within(_COMMENT.sub("", sheet), False)


def _within(text: str, is_nested: bool) -> Iterator[str]:
    start = 0
    while (opening := text.find("{", start)) >= 0:
        end = _closing(text, opening, "{}")
        prelude = text[start:opening].rpartition(";")[2].strip()
        if not prelude.startswith("@keyframes"):
            if is_nested and not prelude.startswith("@"):
                yield prelude
            body = text[opening + 1 : end - 1]
            yield from _within(body, is_nested or not prelude.startswith("@"))
        start = end


def _joined(selector: str, parents: list[str]) -> Iterator[str]:
    for written in alternatives(selector):
        for parent in parents:
            yield written.replace("&", parent) if "&" in written else f"{parent} {written}".strip()


def alternatives(selector: str) -> Iterator[str]:
    """Yield a selector once for each alternative in its `:is` and `:where`.

    `:not` and `:has` are dropped; a selector that excludes the inside of figures is not yielded.
    """
    if ":not(.ln *)" in selector:
        return
    while found := _IGNORED.search(selector):
        end = _closing(selector, found.end() - 1, "()")
        selector = selector[: found.start()] + selector[end:]
    found = _FUNCTION.search(selector)
    if not found:
        yield selector
        return
    end = _closing(selector, found.end() - 1, "()")
    inner = split(selector[found.end() : end - 1], ",")
    for each in inner:
        # A type selector comes before what it is combined with, as in `.a:is(p)`.
        yield from alternatives(f"{selector[: found.start()]}{each.strip()}{selector[end:]}")


def _closing(text: str, opening: int, pair: str) -> int:
    """Return the position after the bracket that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at + 1
    raise ValueError(f"nothing closes the bracket at {opening}")


def split(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators that are outside brackets."""
    parts, depth, last = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == separator and depth == 0:
            parts.append(text[last:at])
            last = at + 1
    return [*parts, text[last:]]


def figure_classes() -> frozenset[str]:
    """Return the classes of a figure's elements, as its scripts and style sheets name them."""
    engine = FOLDER / "engine"
    named: set[str] = set()
    for sheet in engine.glob("*.css"):
        for selector in selectors(sheet.read_text(encoding="utf-8")):
            named.update(re.findall(r"\.([a-z][\w-]*)", selector))
    for script in engine.glob("*.js"):
        for words in _CREATED.findall(script.read_text(encoding="utf-8")):
            named.update(words.split())
    return frozenset(named)


def compounds(selector: str) -> list[tuple[str, frozenset[str]]]:
    """Return a selector's compounds from right to left: the combinator after it, its classes."""
    spaced = re.sub(r"\s*([>+~])\s*(?![^\[]*\])", r" \1", selector.strip())
    found = []
    after = ""
    for part in reversed(spaced.split()):
        sign = part[0] if part[0] in ">+~" else " "
        text = re.sub(r"\[[^\]]*\]", "", part.lstrip(">+~"))
        found.append((after, frozenset(re.findall(r"\.([a-z][\w-]*)", text))))
        after = sign
    return found
