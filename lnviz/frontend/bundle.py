"""Bundler of JavaScript modules: merges a module and its imports into one script.

Pages on disk can load only classic scripts, notebooks can load only one module, and a hundred
requests for a page of the app would be slow.

The modules use a subset of the syntax: named imports from relative paths at the top, and named
exports at declarations. Each module becomes a function, which is called once, after its imports.
Comments that have lines of their own are left out: they are a third of a phone's scripts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)


def bundle_script(entry: Path) -> str:
    """Return a JavaScript module and all its imports as one classic (non-module) script.

    Raises:
        ValueError: A module uses other import or export syntax, or the imports are circular.
    """
    # `import.meta.url` of every module becomes the URL of the script.
    functions = "".join(_module_functions(entry)).replace("import.meta.url", "here")
    return (
        f'"use strict";\n(() => {{\nconst here = document.currentScript.src;\n{functions}}})();\n'
    )


def bundle_module(entry: Path) -> str:
    """Return a JavaScript module and all its imports as one JavaScript module.

    The module has the same named exports; its default export is an object with all of them.

    Raises:
        ValueError: A module uses other import or export syntax, or the imports are circular.
    """
    functions = _module_functions(entry)
    last = f"module{len(functions) - 1}"
    names = ", ".join(_EXPORT.findall(entry.read_text(encoding="utf-8")))
    named = f"export const {{ {names} }} = {last};\n" if names else ""
    return f"{''.join(functions)}{named}export default {last};\n"


def bundle_many(entries: Mapping[str, Path]) -> str:
    """Return one JavaScript module that exports several modules' export objects, by name.

    Shared imports are included once. Relative URLs are resolved against the bundle.

    Raises:
        ValueError: A module uses other import or export syntax, or the imports are circular.
    """
    order: dict[Path, str] = {}
    for entry in entries.values():
        _collect_imports(entry.resolve(), order, ())
    numbers = {path: number for number, path in enumerate(order)}
    named = ", ".join(
        f'"{name}": module{numbers[entry.resolve()]}' for name, entry in entries.items()
    )
    functions = "".join(_module_function(path, text, numbers) for path, text in order.items())
    return f"{functions}export const modules = {{ {named} }};\n"


def without_comments(text: str) -> str:
    """Return JavaScript without the comments that have lines of their own."""
    return COMMENT.sub("", text)


def _module_functions(entry: Path) -> list[str]:
    """Return the JavaScript code of all modules to bundle; imports come first."""
    order: dict[Path, str] = {}
    _collect_imports(entry.resolve(), order, ())
    numbers = {path: number for number, path in enumerate(order)}
    return [_module_function(path, text, numbers) for path, text in order.items()]


def _collect_imports(path: Path, order: dict[Path, str], importers: tuple[Path, ...]) -> None:
    if path in importers:
        circle = " -> ".join(each.name for each in (*importers, path))
        raise ValueError(f"modules must not import each other in a circle: {circle}")
    if path in order:
        return
    text = without_comments(path.read_text(encoding="utf-8"))
    for _, source in _IMPORT.findall(text):
        _collect_imports((path.parent / source).resolve(), order, (*importers, path))
    order[path] = text


def _module_function(path: Path, text: str, numbers: dict[Path, int]) -> str:
    """Return JavaScript: a constant with a module's exports, computed by a wrapper function."""

    def destructured(match: re.Match[str]) -> str:
        names = " ".join(match[1].split()).replace(" as ", ": ")
        return f"const {{ {names} }} = module{numbers[(path.parent / match[2]).resolve()]};\n"

    exports = _EXPORT.findall(text)
    code = _EXPORT.sub("", _IMPORT.sub(destructured, text))
    unsupported = _OTHER.search(code)
    if unsupported:
        raise ValueError(
            f"{path.name}: a module imports and exports by name, at the beginning of a line and "
            f"with the declaration; got {unsupported[0]!r}"
        )
    name = f"module{numbers[path]}"
    return f"const {name} = (() => {{\n{code}\nreturn {{ {', '.join(exports)} }};\n}})();\n"
