"""The command `lnviz new`: a lesson, a figure, or the lists that are made from what is there."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lnviz.new import lesson as new
from lnviz.new.lesson import ScaffoldError

ROOT = Path(__file__).parents[2]
"""The source tree; an installed package has none around it."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        words: The words of the command line, after `lnviz new`.
    """
    parser = argparse.ArgumentParser(
        prog="lnviz new", description="Write into the source tree that the program runs from."
    )
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    contents = commands.add_parser("contents", help="the lists of pages, as they are now")
    contents.set_defaults(make=_contents)
    addresses = commands.add_parser(
        "addresses", help="what an address may name of figures that are closed, as it is now"
    )
    addresses.add_argument("lesson", nargs="?", help="of this one alone, by its address")
    addresses.set_defaults(make=_addresses)
    lesson = commands.add_parser("lesson", help="a lesson with a figure, an exercise and tests")
    lesson.add_argument("name", help="its address, such as gain-bias")
    lesson.add_argument("--title", required=True, help="what the page is called")
    lesson.add_argument("--figure", default="scale", help="the name of its figure")
    lesson.set_defaults(make=_lesson)
    figure = commands.add_parser("figure", help="one more figure of a lesson")
    figure.add_argument("lesson", help="the lesson's address")
    figure.add_argument("name", help="the figure's")
    figure.set_defaults(make=_figure)
    asked = parser.parse_args(words)
    if not (ROOT / "pyproject.toml").exists():
        parser.error(f"{ROOT} is no source tree; run `python -m lnviz new` in a checkout")
    try:
        asked.make(asked)
    except ScaffoldError as error:
        parser.error(str(error))
    return 0


def _lesson(asked: argparse.Namespace) -> None:
    folder = new.create_lesson(ROOT, asked.name, asked.title, asked.figure)
    _rerun("contents")
    _rerun("addresses", asked.name)
    listed = "lnviz/lessons/__init__.py, lnviz/lessons/url_state.json, README.md"
    print(f"Written: {folder.relative_to(ROOT)}, and what is said of it in {listed}.")


def _figure(asked: argparse.Namespace) -> None:
    module = new.create_figure(ROOT, asked.lesson, asked.name)
    _rerun("addresses", asked.lesson)
    print(f"Written: {module.relative_to(ROOT)} and what belongs to it; placed in text.md.")


def _rerun(*words: str) -> None:
    """Runs the command in a process of its own: this one knows the lessons that there were."""
    subprocess.run([sys.executable, "-m", "lnviz", "new", *words], cwd=ROOT, check=True)


def _contents(_: argparse.Namespace) -> None:
    from lnviz.book import PAGES
    from lnviz.lessons.url_state import FILE, renewed
    from lnviz.new.contents import regenerate

    regenerate(ROOT / "README.md")
    FILE.write_text(renewed(PAGES, ()), encoding="utf-8")


def _addresses(asked: argparse.Namespace) -> None:
    from lnviz.book import PAGES
    from lnviz.lessons.url_state import FILE, renewed

    anew = [page for page in PAGES if page.slug == asked.lesson] if asked.lesson else PAGES
    if not anew:
        raise ScaffoldError(f"there is no lesson {asked.lesson!r}")
    FILE.write_text(renewed(PAGES, anew), encoding="utf-8")
