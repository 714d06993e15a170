"""Fingerprints of source code: hashes of modules and their imports, to detect changes."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
"""The folder that contains the package."""


class ModuleCode(NamedTuple):
    """Hash of one module's source code, and the modules that it imports.

    Attributes:
        digest: Hash of the module's statements.
        imports: Modules of this package that the module imports, at any level of nesting.
    """

    digest: str
    imports: frozenset[str]


def fingerprint(
    *modules: str, companions: Iterable[str] = (), exclude: Collection[str] = ()
) -> str:
    """Return a hash of the source code of modules and of all modules they import from the package.

    Comments, docstrings, formatting and data files are ignored. The `__init__` of a package is
    included only if something is imported from it. Imports by a computed name are not detected.

    Args:
        modules: Dotted names of the modules.
        companions: Suffixes of further files to include, appended to the name of each module:
            `_code.py` includes `grid_code.py` next to `grid.py`.
        exclude: Packages and modules to ignore, with all modules that only they import.

    Returns:
        16 hexadecimal digits, the same on every machine and version of Python.

    Raises:
        ModuleNotFoundError: A name is not a module of this package.

    >>> fingerprint("lnviz.norms.norm") == fingerprint("lnviz.norms.normalize")
    False
    """
    digest = hashlib.sha256()
    for module in sorted(transitive_imports(*modules, exclude=exclude)):
        digest.update(f"{module} {_module_code(module).digest}\n".encode())
        for ending in companions:
            file = ROOT.joinpath(*module.split(".")).with_name(module.rpartition(".")[2] + ending)
            if file.is_file():
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def transitive_imports(*modules: str, exclude: Collection[str] = ()) -> set[str]:
    """Return modules together with those they import from the package, directly or indirectly.

    Args:
        modules: Dotted names of the modules.
        exclude: Packages and modules to ignore, with all modules that only they import.

    Raises:
        ModuleNotFoundError: A name is not a module of this package.
    """
    visited: set[str] = set()
    pending = set(modules)
    while pending:
        module = pending.pop()
        visited.add(module)
        pending |= {
            name for name in _module_code(module).imports - visited if not _is_within(name, exclude)
        }
    return visited


def _is_within(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


@cache
def _module_code(module: str) -> ModuleCode:
    file = _file(module)
    if file is None:
        raise ModuleNotFoundError(f"there is no module {module!r} in {ROOT}", name=module)
    tree = ast.parse(file.read_bytes())
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    statements = "".join(_statements(tree)).encode()
    return ModuleCode(hashlib.sha256(statements).hexdigest(), frozenset(_imports(tree, package)))


def _file(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _statements(value: Any) -> Iterator[str]:
    """Yield the statements of a syntax tree as text for hashing, without docstrings.

    It replaces `ast.dump`, whose output includes empty fields and so differs between versions of
    Python.
    """
    if isinstance(value, ast.AST):
        yield f"{type(value).__name__}("
        for name, field in ast.iter_fields(value):
            # The context (load or store) follows from the position in the tree.
            if field is not None and field != [] and name != "ctx":
                yield f"{name}="
                yield from _statements(field)
        yield ")"
    elif isinstance(value, list):
        for item in value:
            if not _is_docstring(item):
                yield from _statements(item)
                yield ","
    else:
        yield repr(value)


def _is_docstring(node: ast.AST) -> bool:
    """Return whether a statement consists only of a string, as a docstring does."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the modules of this package that a module's syntax tree imports."""
    root = package.partition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: 1 - node.level or None] if node.level else []
            source = ".".join([*parents, *filter(None, [node.module])])
            candidates = (f"{source}.{alias.name}" for alias in node.names)
            names = [name if _file(name) else source for name in candidates]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == root)
