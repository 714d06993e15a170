"""A short name for the code that computes something, by which one knows whether it has changed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
"""The folder of the package."""


class Code(NamedTuple):
    """What one module says.

    Attributes:
        digest: the digest of its statements.
        imports: the modules of this package that it imports, anywhere in it.
    """

    digest: str
    imports: frozenset[str]


def fingerprint(*modules: str, beside: Iterable[str] = (), without: Collection[str] = ()) -> str:
    """Return a name for the code of some modules and of all that they import within the package.

    Comments, docstrings and the layout of lines do not count; neither do data files. A package's
    own `__init__` counts where something is imported from it, not where it only stands above.
    Modules that are imported by a name that is put together while the program runs are not seen.

    Args:
        modules: their dotted names.
        beside: endings of files that count, too, where they stand beside a module and begin with
            its name: `_code.py` for `grid_code.py` beside `grid.py`.
        without: packages and modules that do not count, nor what only they import.

    Returns:
        16 letters: the same for the same code, on every machine and every version of Python.

    Raises:
        ModuleNotFoundError: a name is of no module of this package.

    >>> fingerprint("lnviz.norms.norm") == fingerprint("lnviz.norms.normalize")
    False
    """
    digest = hashlib.sha256()
    for module in sorted(reach(*modules, without=without)):
        digest.update(f"{module} {_code(module).digest}\n".encode())
        for ending in beside:
            file = ROOT.joinpath(*module.split(".")).with_name(module.rpartition(".")[2] + ending)
            if file.is_file():
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def reach(*modules: str, without: Collection[str] = ()) -> set[str]:
    """Return some modules and all that they import within the package, through any number of steps.

    Args:
        modules: their dotted names.
        without: packages and modules that are passed over, with what only they import.

    Raises:
        ModuleNotFoundError: a name is of no module of this package.
    """
    reached: set[str] = set()
    ahead = set(modules)
    while ahead:
        module = ahead.pop()
        reached.add(module)
        ahead |= {name for name in _code(module).imports - reached if not _inside(name, without)}
    return reached


def _inside(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


@cache
def _code(module: str) -> Code:
    file = _file(module)
    if file is None:
        raise ModuleNotFoundError(f"there is no module {module!r} in {ROOT}", name=module)
    tree = ast.parse(file.read_bytes())
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    statements = "".join(_statements(tree)).encode()
    return Code(hashlib.sha256(statements).hexdigest(), frozenset(_imports(tree, package)))


def _file(module: str) -> Path | None:
    place = ROOT.joinpath(*module.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _statements(value: Any) -> Iterator[str]:
    """Yield a tree as text, without what does nothing.

    `ast.dump` would name empty fields, which differ between versions of Python.
    """
    if isinstance(value, ast.AST):
        yield f"{type(value).__name__}("
        for name, field in ast.iter_fields(value):
            # Whether a name is read or written follows from where it stands.
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
    """Whether a statement is text alone: of a module, a class, a function or a constant."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the modules of this package that a module of `package` imports."""
    own = package.partition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            inside = (f"{source}.{alias.name}" for alias in node.names)
            named = [name if _file(name) else source for name in inside]
        else:
            continue
        yield from (name for name in named if name.partition(".")[0] == own)
