"""A lesson or a figure that works as it is written, for its author to change line by line."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from string import Template

NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TEMPLATES = files("lnviz.new") / "templates"
RESERVED_NAMES = ("text", "exercises", "claims")
"""What stands beside a figure's own texts, by the names of the files."""
LONGEST_TITLE = 60


class ScaffoldError(ValueError):
    """What was asked for cannot be written; the message says why, and what can."""


def create_lesson(root: Path, slug: str, title: str, figure: str) -> Path:
    """Write a lesson with one figure, and its line into the list of lessons.

    Args:
        root: The folder of the source tree.
        slug: The lesson's address.
        title: What the page is called.
        figure: The name of its figure.

    Returns:
        Its folder.

    Raises:
        NewError: A name is not written as addresses are, or is taken.
    """
    # Before anything is written: half a lesson would keep the next try from its name.
    _check("lesson", slug)
    _check("figure", figure)
    _check_title(title)
    folder = root / "lnviz" / "lessons" / _module(slug)
    taken = [folder, folder.with_suffix(".py"), root / "lnviz" / "book" / _module(slug)]
    if any(there.exists() for there in taken):
        raise ScaffoldError(f"{slug!r} is there already; choose another name")
    values = {"slug": slug, "module": _module(slug), "title": title, "figure": figure}
    values |= {"figure_module": _module(figure), "section": _last_section()}
    listed = root / "lnviz" / "lessons" / "__init__.py"
    for name in ("__init__.py", "text.md", "exercises.md", "claims.toml"):
        _write(folder / name, f"lesson/{name}.txt", values)
    _write_figure(folder, slug, figure, title)
    text = listed.read_text(encoding="utf-8")
    listed.write_text(_register_lesson(text, _module(slug)), encoding="utf-8")
    return folder


def create_figure(root: Path, slug: str, name: str) -> Path:
    """Write one more figure of a lesson, declare it there, and place it at the core's end.

    The core ends with what is to be remembered, or where there is nothing of that, with the text.

    Args:
        root: The folder of the source tree.
        slug: The lesson's address.
        name: The figure's.

    Returns:
        Its module.

    Raises:
        NewError: There is no such lesson, or the name is not written as addresses are or is taken.
    """
    _check("figure", name)
    folder = root / "lnviz" / "lessons" / _module(slug)
    if not (folder / "text.md").exists():
        raise ScaffoldError(f"there is no lesson {slug!r} in {folder.parent}")
    declared = folder / "__init__.py"
    # Before anything is written: what cannot be declared is not begun.
    text = _declare_figure(declared.read_text(encoding="utf-8"), _module(slug), _module(name))
    _write_figure(folder, slug, name, name.replace("-", " ").capitalize())
    declared.write_text(text, encoding="utf-8")
    before, remember, after = (folder / "text.md").read_text("utf-8").partition("::: remember\n")
    placed = f"{before.rstrip()}\n\n::: figure {name}\n:::\n"
    rest = f"\n{remember}{after}" if remember else ""
    (folder / "text.md").write_text(placed + rest, encoding="utf-8")
    return folder / f"{_module(name)}.py"


def _write_figure(folder: Path, slug: str, name: str, title: str) -> None:
    module = _module(name)
    values = {"module": _module(slug), "figure": name, "figure_module": module, "title": title}
    values["control"] = name.replace("-", " ")  # a lesson's controls have names of their own
    for file, template in (
        (f"{module}.py", "figure.py"),
        (f"{module}.md", "words.md"),
        (f"{module}_code.py", "program_code.py"),
        (f"tests/test_{module}.py", "test_figure.py"),
    ):
        _write(folder / file, f"figure/{template}.txt", values)


def _write(file: Path, template: str, values: dict[str, str]) -> None:
    if file.exists():
        raise ScaffoldError(f"{file} is there already; choose another name")
    file.parent.mkdir(parents=True, exist_ok=True)
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    file.write_text(Template(text).substitute(values), encoding="utf-8")


def _check(what: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise ScaffoldError(
            f"a {what} is named in small letters, with dashes between words; got {name!r}"
        )
    if iskeyword(_module(name)) or (what == "figure" and name in RESERVED_NAMES):
        raise ScaffoldError(f"a {what} cannot be called {name!r}, which names something else there")


def _check_title(title: str) -> None:
    if not title.strip() or len(title) > LONGEST_TITLE or set(title) & set('"\\\n{}$'):
        raise ScaffoldError(
            f'a title has 1 to {LONGEST_TITLE} letters and none of " \\ $ and braces, which the '
            f"lesson's code could not hold; got {title!r}"
        )


def _module(name: str) -> str:
    return name.replace("-", "_")


def _last_section() -> str:
    from lnviz.lessons import LESSONS

    return LESSONS[-1].section


def _register_lesson(text: str, module: str) -> str:
    """The list of lessons with one more, at its end."""
    return re.sub(r"(FOLDERS = \(\n(?:    \".*\",\n)*)\)", rf'\1    "{module}",\n)', text, count=1)


def _declare_figure(text: str, lesson: str, module: str) -> str:
    r"""A lesson's declaration with one more figure.

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
    drawn = [*(ast.unparse(each) for each in figures.elts), f"{module}.FIGURE"]
    listed = "".join(f"        {each},\n" for each in drawn)
    text = _replace_node(text, figures, f"(\n{listed}    )")
    imported = "".join(f"    {name},\n" for name in names)
    return _replace_node(text, imports, f"from lnviz.lessons.{lesson} import (\n{imported})")


def _replace_node(text: str, node: ast.expr | ast.stmt, written: str) -> str:
    """The text with something else in place of a node."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset :] + "".join(lines[node.end_lineno :])
    return before + written + after
