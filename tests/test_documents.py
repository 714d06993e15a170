"""What the documents beside the package say: commands that are there, links that lead somewhere."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import lnviz
from lnviz.__main__ import main

ROOT = Path(__file__).parents[1]
FILES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/*.md")))
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def typed(text: str) -> Iterator[list[str]]:
    """The words of the lines that a reader can type, without what they say behind a `#`.

    Those are the lines of blocks without a language, and what stands between single backticks.
    """
    for token in MarkdownIt().parse(text):
        if token.type == "fence" and not token.info:
            for line in token.content.splitlines():
                yield line.partition(" #")[0].split()
        for part in token.children or ():
            if part.type == "code_inline":
                yield part.content.split()


COMMANDS = sorted(
    {
        tuple(words[start:])
        for file in FILES
        for words in typed(file.read_text(encoding="utf-8"))
        for start in (
            [1] if words[:1] == ["lnviz"] else [3] if words[:3] == ["python", "-m", "lnviz"] else []
        )
        if words[start:]
    }
)


def subcommands(words: tuple[str, ...]) -> list[str]:
    """The words up to the first that is an option, a value or a name to be filled in."""
    depth = 2 if words[0] in ("train", "results", "new") else 1
    return [word for word in words[:depth] if re.fullmatch("[a-z]+", word)]


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_that_a_document_names_is_there(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [] if words[0].startswith("-") else subcommands(words)
    with pytest.raises(SystemExit) as ended:
        main([*asked, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    options = [word for word in words if word.startswith("--") and asked[:1] != ["run"]]
    assert all(option.partition("=")[0] in said for option in options)


def test_the_documents_name_commands() -> None:
    assert {words[0] for words in COMMANDS} >= {"run", "serve", "export", "train", "results"}


@each_file
def test_a_target_of_make_that_a_document_names_is_there(file: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    lines = typed(file.read_text(encoding="utf-8"))
    named = {words[1] for words in lines if words[:1] == ["make"] and len(words) > 1}
    assert named - {"-C"} <= targets


@each_file
def test_a_file_that_a_document_links_to_is_there(file: Path) -> None:
    linked = LINK.findall(file.read_text(encoding="utf-8"))
    assert [name for name in linked if not (file.parent / name).exists()] == []


def test_a_type_that_the_glossary_names_is_there() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    glossary = text.partition("## Glossary\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z][a-z]+[A-Za-z]*)`", glossary))
    types = {
        name
        for file in (ROOT / "lnviz").rglob("*.py")
        for name in re.findall(
            r"^(?:class )?(\w+)(?=[(:\[]| =)", file.read_text("utf-8"), re.MULTILINE
        )
    }
    assert named
    assert named <= types, "rename these in the glossary, too"


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [f for f in FILES if ">>>" in f.read_text("utf-8")], ids=lambda file: file.name
)
def test_the_examples_of_a_document_print_what_it_says(file: Path) -> None:
    fences = MarkdownIt().parse(file.read_text(encoding="utf-8"))
    examples = "\n".join(token.content for token in fences if token.info == "python")
    wanted = doctest.DocTestParser().get_doctest(examples, {}, file.name, str(file), 0)
    ran = doctest.DocTestRunner().run(wanted)
    assert ran.attempted > 0
    assert ran.failed == 0


def test_the_report_in_the_readme_is_what_its_lines_print(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tokens = MarkdownIt().parse((ROOT / "README.md").read_text("utf-8"))
    (lines,) = (token.content for token in tokens if token.info == "python")
    (report,) = (token.content for token in tokens if token.info == "text")
    exec(lines, {})
    printed = capsys.readouterr().out
    assert [line.rstrip() for line in printed.splitlines()] == report.splitlines()


def test_the_newest_changes_are_those_of_the_version_that_is_cited() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+) \((\S+)\)$", changes, re.MULTILINE)
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    assert newest
    assert newest[1] == lnviz.__version__
    assert f"\nversion: {newest[1]}\n" in cited
    assert f"\ndate-released: {newest[2]}\n" in cited
