"""A new lesson, figure and norm in a copy of the source tree: all laws must hold there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lnviz.new import lesson as new
from lnviz.new.lesson import ScaffoldError

ROOT = Path(__file__).parents[2]
LEFT = ("*.png", ".*_cache", ".git", ".hypothesis", ".venv", "node_modules")

# Laws: of these files, what they say of the new ones.
LAWS = (
    "lnviz/lessons/tiny",
    "tests/lessons/test_claims.py",
    "tests/lessons/test_exercises.py",
    "tests/lessons/test_laws.py",
    "tests/lessons/test_lesson.py",
    "tests/lessons/test_programs.py",
    "tests/book",
    "tests/web/test_pages.py",
    "tests/norms/test_catalogue.py",
    "tests/frontend/test_theme.py",
    "tests/topics/invariance/test_by_hand.py",
    "tests/new/test_contents.py",
    "tests/topics/successors/test_curves.py",
    "tests/lessons/successors/test_curves.py",
)
# And what some of them say of all pages or norms together.
NAMED = "tiny or wave or softsign or test_home or test_paths or test_contents or test_curves"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the source tree, with what Python has compiled of it."""
    copy = tmp_path / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT), symlinks=True)
    return copy


def run(tree: Path, *words: str) -> str:
    """What a program of the copy says; it must succeed."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def entry() -> str:
    """The norm of the recipe."""
    recipe = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## A norm")[2]
    found = re.search(r"^```python\n(.*?)^```", recipe, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@pytest.mark.slow
def test_a_lesson_a_figure_and_a_norm_keep_all_laws_and_go_without_a_trace(tree: Path) -> None:
    names = ("lnviz/lessons/__init__.py", "lnviz/lessons/url_state.json", "README.md")
    before = {name: (tree / name).read_text(encoding="utf-8") for name in names}
    run(tree, "lnviz", "new", "lesson", "tiny", "--title", "Tiny")
    run(tree, "lnviz", "new", "figure", "tiny", "wave")
    catalogue = tree / "lnviz/norms/catalogue.py"
    text = catalogue.read_text(encoding="utf-8")
    written = text.replace(
        "            *(INSTANCE,", f"            {entry().strip()},\n            *(INSTANCE,"
    )
    assert written != text
    catalogue.write_text(written, encoding="utf-8")
    run(tree, "ruff", "check", "lnviz/lessons", "README.md")
    run(tree, "ruff", "format", "--check", "lnviz/lessons")
    run(tree, "pytest", "-qxp", "no:cacheprovider", "-m", "not slow", "-k", NAMED, *LAWS)

    shutil.rmtree(tree / "lnviz/lessons/tiny")
    listed = tree / "lnviz/lessons/__init__.py"
    with_line = listed.read_text(encoding="utf-8")
    assert with_line != before["lnviz/lessons/__init__.py"]
    listed.write_text(with_line.replace('    "tiny",\n', ""), encoding="utf-8")
    run(tree, "lnviz", "new", "contents")  # as `make checks` does
    assert {name: (tree / name).read_text(encoding="utf-8") for name in names} == before


@pytest.mark.parametrize(
    ("slug", "title", "figure", "message"),
    [
        ("Tiny", "Tiny", "scale", "in small letters, with dashes between words; got 'Tiny'"),
        ("tiny", "", "scale", "a title has 1 to 60 letters"),
        ("tiny", 'A "tiny" one', "scale", "a title has 1 to 60 letters"),
        ("tiny", "Tiny", "text", "a figure cannot be called 'text'"),
        ("class", "Class", "scale", "a lesson cannot be called 'class'"),
        ("axes", "Axes", "scale", "'axes' is there already"),
        ("charts", "Charts", "scale", "'charts' is there already"),
        ("teach", "Teach", "scale", "'teach' is there already"),
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
    with pytest.raises(ScaffoldError, match="is there already; choose another name"):
        new.create_figure(ROOT, "axes", "grid")
    with pytest.raises(ScaffoldError, match="got 'Wave'"):
        new.create_figure(ROOT, "axes", "Wave")
