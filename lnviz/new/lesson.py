"""Scaffolding of lessons and figures: creates working files to edit."""

from __future__ import annotations

import ast
import builtins
import re
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from string import Template

NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TEMPLATES = files("lnviz.new") / "templates"
RESERVED_NAMES = frozenset(
    (
        *("text", "exercises", "claims", "tests"),  # files and a folder of the lesson
        *("figure", "example", "captions", "before", "after", "torch", "x", "y"),  # in templates
    )
)
"""Names that a figure cannot have, because they name something else beside it."""
MAX_TITLE_LENGTH = 60


class ScaffoldError(ValueError):
    """A lesson or figure cannot be created; the message says why and what to do."""


def create_lesson(root: Path, slug: str, title: str, figure: str) -> Path:
    """Create the source files of a lesson with one figure, and register it in `FOLDERS`.

    Args:
        root: The root of the source tree.
        slug: The slug of the lesson.
        title: The title of the page.
        figure: The name of the figure.

    Returns:
        The lesson's folder.

    Raises:
        ScaffoldError: A name is taken, reserved, or not a valid part of a URL.
    """
    # Validate first: a half-written lesson would occupy the name for the next attempt.
    _check("lesson", slug)
    _check("figure", figure)
    _check_title(title)
    folder = root / "lnviz" / "lessons" / _module(slug)
    taken = [folder, folder.with_suffix(".py"), root / "lnviz" / "book" / _module(slug)]
    if any(path.exists() for path in taken):
        raise ScaffoldError(f"{slug!r} already exists; choose another name")
    values = {"slug": slug, "module": _module(slug), "title": title, "figure": figure}
    values |= {"figure_module": _module(figure), "section": _last_section()}
    registry = root / "lnviz" / "lessons" / "__init__.py"
    for name in ("__init__.py", "text.md", "exercises.md", "claims.toml"):
        _write(folder / name, f"lesson/{name}.txt", values)
    _write_figure(folder, slug, figure, title)
    text = registry.read_text(encoding="utf-8")
    registry.write_text(_register_lesson(text, _module(slug)), encoding="utf-8")
    return folder


def create_figure(root: Path, slug: str, name: str) -> Path:
    """Create a figure's source files, declare it in its lesson, and append it to the lesson's core.

    The figure comes before the takeaways (`::: remember`), or last if there are none.

    Args:
        root: The root of the source tree.
        slug: The slug of the lesson.
        name: The name of the figure.

    Returns:
        The figure's module.

    Raises:
        ScaffoldError: There is no such lesson, or the name is taken, reserved, or not a valid part
            of a URL.
    """
    _check("figure", name)
    folder = root / "lnviz" / "lessons" / _module(slug)
    if not (folder / "text.md").exists():
        raise ScaffoldError(f"there is no lesson {slug!r} in {folder.parent}")
    declaration = folder / "__init__.py"
    # Declare first: what fails here has written nothing.
    text = _declare_figure(declaration.read_text(encoding="utf-8"), _module(slug), _module(name))
    _write_figure(folder, slug, name, name.replace("-", " ").capitalize())
    declaration.write_text(text, encoding="utf-8")
    core, takeaways, rest = (folder / "text.md").read_text("utf-8").partition("::: remember\n")
    core = f"{core.rstrip()}\n\n::: figure {name}\n:::\n"
    end = f"\n{takeaways}{rest}" if takeaways else ""
    (folder / "text.md").write_text(core + end, encoding="utf-8")
    return folder / f"{_module(name)}.py"


def _write_figure(folder: Path, slug: str, name: str, title: str) -> None:
    module = _module(name)
    values = {"module": _module(slug), "figure": name, "figure_module": module, "title": title}
    # The control is named as the figure is: names of controls are unique within a lesson.
    values |= {"control": name.replace("-", " "), "constant": module.upper()}
    for file, template in (
        (f"{module}.py", "figure.py"),
        (f"{module}.md", "words.md"),
        (f"{module}_code.py", "program_code.py"),
        (f"tests/test_{module}.py", "test_figure.py"),
    ):
        _write(folder / file, f"figure/{template}.txt", values)


def _write(file: Path, template: str, values: dict[str, str]) -> None:
    if file.exists():
        raise ScaffoldError(f"{file} already exists; choose another name")
    file.parent.mkdir(parents=True, exist_ok=True)
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    file.write_text(Template(text).substitute(values), encoding="utf-8")


def _check(kind: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise ScaffoldError(
            f"the name of a {kind} must have lowercase letters, with dashes between words, but "
            f"got {name!r}"
        )
    is_reserved = name in RESERVED_NAMES or hasattr(builtins, _module(name))
    if iskeyword(_module(name)) or (kind == "figure" and is_reserved):
        raise ScaffoldError(
            f"a {kind} cannot be called {name!r}, since this name already means something else"
        )


def _check_title(title: str) -> None:
    if not title.strip() or len(title) > MAX_TITLE_LENGTH or set(title) & set('"\\\n{}$'):
        raise ScaffoldError(
            f'a title must have 1 to {MAX_TITLE_LENGTH} characters, without " \\ $ and braces, '
            f"but got {title!r}"
        )


def _module(name: str) -> str:
    return name.replace("-", "_")


def _last_section() -> str:
    from lnviz.lessons import LESSONS

    return LESSONS[-1].section


def _register_lesson(text: str, module: str) -> str:
    """Return the source of `lnviz.lessons` with a lesson added at the end of `FOLDERS`."""
    return re.sub(r"(FOLDERS = \(\n(?:    \".*\",\n)*)\)", rf'\1    "{module}",\n)', text, count=1)


def _declare_figure(text: str, lesson: str, module: str) -> str:
    r"""Return the source of a lesson's `__init__.py` with another figure imported and declared.

    >>> text = "from lnviz.lessons.a import b\nLESSON = Lesson(figures=(b.FIGURE,))\n"
    >>> "".join(_declare_figure(text, "a", "c").split())
    'fromlnviz.lessons.aimport(b,c,)LESSON=Lesson(figures=(b.FIGURE,c.FIGURE,))'
    """
    tree = ast.parse(text)
    imports = next(
        node
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == f"lnviz.lessons.{lesson}"
    )
    figures = next(
        keyword.value
        for node in ast.walk(tree)
        for keyword in (node.keywords if isinstance(node, ast.Call) else ())
        if keyword.arg == "figures"
    )
    assert isinstance(figures, ast.Tuple)
    names = sorted({*(alias.name for alias in imports.names), module})
    elements = [*(ast.unparse(element) for element in figures.elts), f"{module}.FIGURE"]
    lines = "".join(f"        {element},\n" for element in elements)
    text = _replace_node(text, figures, f"(\n{lines}    )")
    lines = "".join(f"    {name},\n" for name in names)
    return _replace_node(text, imports, f"from lnviz.lessons.{lesson} import (\n{lines})")


def _replace_node(text: str, node: ast.expr | ast.stmt, code: str) -> str:
    """Return a module's source with one node of its syntax tree replaced by other code."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset :] + "".join(lines[node.end_lineno :])
    return before + code + after
