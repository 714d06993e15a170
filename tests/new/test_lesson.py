"""The recipes of CONTRIBUTING.md, run in a copy of the source tree."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lnviz.new import lesson as new
from lnviz.new.lesson import ScaffoldError

ROOT = Path(__file__).parents[2]
IGNORED = (
    ".*_cache",
    ".git",
    ".hypothesis",
    ".venv*",
    "node_modules",
    "__pycache__",
    "screenshots",
)
INSTALLED = (f"{sys.prefix}/.app", f"{sys.prefix}/.dev", "node_modules/.package-lock.json")
"""What `make` would install; the copy uses what this tree has."""
CATALOGUE = "lnviz/norms/catalogue.py"


def recipe(heading: str) -> str:
    """A section of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def block(heading: str, language: str = "") -> str:
    """The first block of code of a section, in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", recipe(heading), re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    copy = tmp_path / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*IGNORED), symlinks=True)
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    return copy


def run(tree: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-9000:] + done.stderr[-3000:]


def make(tree: Path, *words: str) -> None:
    run(tree, "make", f"VENV={sys.prefix}", *(f"--old-file={file}" for file in INSTALLED), *words)


def digests(tree: Path) -> dict[str, str]:
    """The files of a tree that git would know, with what they hold."""
    files = (
        path
        for folder, folders, names in os.walk(tree)
        for path in (Path(folder) / name for name in names)
        if not any(map(re.compile(r"__pycache__|/\.|node_modules").search, [str(path)]))
    )
    return {
        str(file.relative_to(tree)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def follow(tree: Path, heading: str) -> None:
    """Run the command of a recipe, and check that it touches only files that the recipe names."""
    before = digests(tree)
    make(tree, *shlex.split(block(heading))[1:])
    named = set(re.findall(r"`([^`\n]+)`", recipe(heading)))
    for name in changed(before, digests(tree)):
        inside = name.removeprefix("lnviz/lessons/tiny/")
        folder = {f"{parent}/" for parent in Path(name).parents}
        assert named & {name, inside, *folder}, f"the recipe “{heading}” does not name {name}"


def add_norm(tree: Path) -> None:
    """Paste the norm of the recipe into the catalogue as it stands."""
    assert f"`{CATALOGUE}`" in recipe("A norm")
    text = (tree / CATALOGUE).read_text(encoding="utf-8")
    entry = f"            {block('A norm', 'python').strip()},\n            *(INSTANCE,"
    pasted = text.replace("            *(INSTANCE,", entry)
    assert pasted != text
    (tree / CATALOGUE).write_text(pasted, encoding="utf-8")


@pytest.mark.long
def test_a_new_lesson_touches_what_is_named_and_goes_without_a_trace(tree: Path) -> None:
    before = digests(tree)
    follow(tree, "A lesson")
    follow(tree, "A figure")

    shutil.rmtree(tree / "lnviz/lessons/tiny")
    registry = tree / "lnviz/lessons/__init__.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace('    "tiny",\n', ""), encoding="utf-8")
    run(tree, sys.executable, "-m", "lnviz", "new", "contents")  # as `make checks` does
    assert changed(before, digests(tree)) == set()


@pytest.mark.long
def test_a_new_lesson_keeps_all_laws_and_the_suite_passes_after_all_recipes(tree: Path) -> None:
    follow(tree, "A lesson")
    follow(tree, "A figure")
    make(tree, "check", "lesson=tiny")
    add_norm(tree)
    run(tree, f"{sys.prefix}/bin/ruff", "format", CATALOGUE)
    make(tree, "checks", "quick-tests")


@pytest.mark.parametrize(
    ("slug", "title", "figure", "message"),
    [
        ("Tiny", "Tiny", "scale", "lowercase letters, with dashes between words, but got 'Tiny'"),
        ("tiny", "", "scale", "a title must have 1 to 60 characters"),
        ("tiny", 'A "tiny" one', "scale", "a title must have 1 to 60 characters"),
        ("tiny", "Tiny", "text", "a figure cannot be called 'text'"),
        ("class", "Class", "scale", "a lesson cannot be called 'class'"),
        ("axes", "Axes", "scale", "'axes' already exists"),
        ("charts", "Charts", "scale", "'charts' already exists"),
        ("teach", "Teach", "scale", "'teach' already exists"),
    ],
)
def test_a_name_that_cannot_be_an_address_or_is_taken_is_refused(
    slug: str, title: str, figure: str, message: str, tmp_path: Path
) -> None:
    # The names alone, in a folder of its own: a mistake must not write into the source tree.
    for file in (*(ROOT / "lnviz/lessons").iterdir(), *(ROOT / "lnviz/book").iterdir()):
        (tmp_path / file.relative_to(ROOT)).mkdir(parents=True)
    with pytest.raises(ScaffoldError, match=re.escape(message)):
        new.create_lesson(tmp_path, slug, title, figure)


def test_a_figure_is_of_a_lesson_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match="there is no lesson 'none'"):
        new.create_figure(ROOT, "none", "wave")
    with pytest.raises(ScaffoldError, match="already exists; choose another name"):
        new.create_figure(ROOT, "axes", "grid")
    with pytest.raises(ScaffoldError, match="got 'Wave'"):
        new.create_figure(ROOT, "axes", "Wave")
