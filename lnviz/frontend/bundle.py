"""Modules as one: from a disk, browsers load a classic script alone, and notebooks one module.

A page of the app loads one, too: a hundred requests take longer than what they bring.

Our modules are simple: named imports from relative addresses at the top, named exports where things
are declared. Each becomes a function that is called once, in the order of the imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def script(entry: Path) -> str:
    """Return a classic script that does what a module and all that it imports do.

    Raises:
        ValueError: A module imports or exports in another way, or imports go in a circle.
    """
    # A module knows its own address; all of them have that of the script now.
    functions = "".join(_functions(entry)).replace("import.meta.url", "here")
    return (
        f'"use strict";\n(() => {{\nconst here = document.currentScript.src;\n{functions}}})();\n'
    )


def module(entry: Path) -> str:
    """Return one module that does what a module and all its imports do.

    It exports what that module does, and all of this as its default, for whoever asks for that.

    Raises:
        ValueError: A module imports or exports in another way, or imports go in a circle.
    """
    functions = _functions(entry)
    last = f"module{len(functions) - 1}"
    names = ", ".join(_EXPORT.findall(entry.read_text(encoding="utf-8")))
    named = f"export const {{ {names} }} = {last};\n" if names else ""
    return f"{''.join(functions)}{named}export default {last};\n"


def together(entries: Mapping[str, Path]) -> str:
    """Return one module that does what several do; its `modules` has their exports, by name.

    Whatever more than one of them imports is there once. A relative address in it counts from where
    this module lies.

    Raises:
        ValueError: A module imports or exports in another way, or imports go in a circle.
    """
    order: dict[Path, str] = {}
    for entry in entries.values():
        _collect(entry.resolve(), order, ())
    numbers = {path: number for number, path in enumerate(order)}
    named = ", ".join(
        f'"{name}": module{numbers[entry.resolve()]}' for name, entry in entries.items()
    )
    functions = "".join(_function(path, text, numbers) for path, text in order.items())
    return f"{functions}export const modules = {{ {named} }};\n"


def _functions(entry: Path) -> list[str]:
    """The modules as functions, what is imported first; the last is the one that began."""
    order: dict[Path, str] = {}
    _collect(entry.resolve(), order, ())
    numbers = {path: number for number, path in enumerate(order)}
    return [_function(path, text, numbers) for path, text in order.items()]


def _collect(path: Path, order: dict[Path, str], way: tuple[Path, ...]) -> None:
    if path in way:
        circle = " -> ".join(each.name for each in (*way, path))
        raise ValueError(f"modules must not import each other in a circle: {circle}")
    if path in order:
        return
    text = path.read_text(encoding="utf-8")
    for _, source in _IMPORT.findall(text):
        _collect((path.parent / source).resolve(), order, (*way, path))
    order[path] = text


def _function(path: Path, text: str, numbers: dict[Path, int]) -> str:
    """A constant with the module's exports, made by a function around the module's code."""

    def taken(match: re.Match[str]) -> str:
        names = " ".join(match[1].split()).replace(" as ", ": ")
        return f"const {{ {names} }} = module{numbers[(path.parent / match[2]).resolve()]};\n"

    exports = _EXPORT.findall(text)
    code = _EXPORT.sub("", _IMPORT.sub(taken, text))
    left = _LEFT.search(code)
    if left:
        raise ValueError(
            f"{path.name}: a module imports and exports by name, at the beginning of a line and "
            f"with the declaration; got {left[0]!r}"
        )
    name = f"module{numbers[path]}"
    return f"const {name} = (() => {{\n{code}\nreturn {{ {', '.join(exports)} }};\n}})();\n"
