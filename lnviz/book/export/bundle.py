"""Modules as one classic script: from a disk, browsers load no others.

Our modules are simple: named imports from relative addresses at the top, named exports where things
are declared. Each becomes a function that is called once, in the order of the imports.
"""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundle(entry: Path) -> str:
    """A script that does what a module and all that it imports do.

    Raises:
        ValueError: A module imports or exports in another way, or imports go in a circle.
    """
    order: dict[Path, str] = {}
    _collect(entry.resolve(), order, ())
    numbers = {path: number for number, path in enumerate(order)}
    functions = "".join(_function(path, text, numbers) for path, text in order.items())
    # A module knows its own address; all of them have that of the script now.
    return (
        f'"use strict";\n(() => {{\nconst here = document.currentScript.src;\n{functions}}})();\n'
    )


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

    def taken(found: re.Match[str]) -> str:
        names = " ".join(found[1].split()).replace(" as ", ": ")
        return f"const {{ {names} }} = module{numbers[(path.parent / found[2]).resolve()]};\n"

    exports = _EXPORT.findall(text)
    code = _EXPORT.sub("", _IMPORT.sub(taken, text)).replace("import.meta.url", "here")
    left = _LEFT.search(code)
    if left:
        raise ValueError(
            f"{path.name}: a module imports and exports by name, at the beginning of a line and "
            f"with the declaration; got {left[0]!r}"
        )
    name = f"module{numbers[path]}"
    return f"const {name} = (() => {{\n{code}\nreturn {{ {', '.join(exports)} }};\n}})();\n"
