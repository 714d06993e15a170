"""The command `lnviz new`, which creates a lesson or figure, or regenerates derived files."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lnviz.new import lesson as new
from lnviz.new.lesson import ScaffoldError

ROOT = Path(__file__).parents[2]
"""The root of the source tree; an installed package has none."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command `lnviz new`; return the exit code.

    Args:
        words: The arguments of the command line after `lnviz new`.
    """
    parser = argparse.ArgumentParser(
        prog="lnviz new", description="Add to, or update, the source tree that lnviz runs from."
    )
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    contents = commands.add_parser("contents", help="update the lists of pages")
    contents.set_defaults(make=_contents)
    addresses = commands.add_parser(
        "addresses",
        help="update lnviz/lessons/url_state.json, the names of controls that "
        "addresses may contain",
    )
    addresses.add_argument("lesson", nargs="?", help="update only this lesson, such as gain-bias")
    addresses.set_defaults(make=_addresses)
    lesson = commands.add_parser("lesson", help="add a lesson with a figure, an exercise and tests")
    lesson.add_argument("name", help="its address, such as gain-bias")
    lesson.add_argument("--title", required=True, help="the title of the page")
    lesson.add_argument("--figure", default="scale", help="the name of its figure")
    lesson.set_defaults(make=_lesson)
    figure = commands.add_parser("figure", help="add a figure to a lesson")
    figure.add_argument("lesson", help="the lesson's address, such as gain-bias")
    figure.add_argument("name", help="the name of the new figure")
    figure.set_defaults(make=_figure)
    options = parser.parse_args(words)
    if not (ROOT / "pyproject.toml").exists():
        parser.error(f"{ROOT} is not a source tree; run `python -m lnviz new` in a checkout")
    try:
        options.make(options)
    except ScaffoldError as error:
        parser.error(str(error))
    return 0


def _lesson(options: argparse.Namespace) -> None:
    folder = new.create_lesson(ROOT, options.name, options.title, options.figure)
    _rerun("contents")
    _rerun("addresses", options.name)
    others = "lnviz/lessons/__init__.py, lnviz/lessons/url_state.json, docs/pages.md"
    print(f"Written: {folder.relative_to(ROOT)}, and its entries in {others}.")


def _figure(options: argparse.Namespace) -> None:
    module = new.create_figure(ROOT, options.lesson, options.name)
    _rerun("addresses", options.lesson)
    print(
        f"Written: {module.relative_to(ROOT)}, with its caption and test; text.md shows the figure."
    )


def _rerun(*words: str) -> None:
    """Run `lnviz new` again in a new process, which imports the changed lessons."""
    subprocess.run([sys.executable, "-m", "lnviz", "new", *words], cwd=ROOT, check=True)


def _contents(_: argparse.Namespace) -> None:
    from lnviz.book import PAGES
    from lnviz.lessons import url_state
    from lnviz.new.contents import regenerate

    regenerate(ROOT / "docs" / "pages.md")
    url_state.FILE.write_text(url_state.regenerate(PAGES, ()), encoding="utf-8")


def _addresses(options: argparse.Namespace) -> None:
    from lnviz.book import PAGES
    from lnviz.lessons.url_state import FILE, regenerate

    selected = [page for page in PAGES if page.slug == options.lesson] if options.lesson else PAGES
    if not selected:
        raise ScaffoldError(f"there is no lesson {options.lesson!r}")
    FILE.write_text(regenerate(PAGES, selected), encoding="utf-8")
