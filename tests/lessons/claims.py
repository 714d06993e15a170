"""The claims of a page: its sentences with numbers, and the proof that each of them names.

A sentence with a number, or with a word such as *never* or *faster*, has a mark behind it,
`[=name]`. The name is one of the words of `NOTHING`, which say why the sentence claims nothing, or
an entry of the `claims.toml` beside the text, which many sentences may share:

    [tests."tests/lessons/recurrence/test_text_values.py"]
    bits = "test_numbers_are_written_with_as_many_bits_as_is_said"

    [sources.ba2016layer]
    ba-equation-4 = "equation 4"

A test is named by its file and its function. A source is a key of the bibliography, or the URL of a
page that the text links to; its entry is the section, equation or table in it.

The texts are read as they are written: a placeholder is a number that is known by what fills it.
The captions of a page's figures, which have files of their own, are read as well.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lnviz.book.bibliography import PUBLICATIONS
from lnviz.book.citations import ARXIV, YEAR
from lnviz.lessons.captions import parse_captions
from lnviz.lessons.citation_marks import find_marks, strip_marks
from lnviz.lessons.exercises import ChoiceExercise, Exercise, NumberExercise, OrderExercise
from lnviz.lessons.interpolation import PLACEHOLDER
from lnviz.lessons.text import Details, OptionalSection, Takeaways, TextBlock, parse_text

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "lnviz" / "lessons"

NOTHING = {
    "supposed": "a premise, of a question or an example",
    "defined": "a word, a sign or a unit is introduced or chosen",
    "to-do": "the reader is told what to do",
    "to-find": "the reader is told what state of the figure to find",
    "named": "a number that is a label",
    "wrong": "a mistake, whole or half, that some make, which the words beside it correct",
    "elsewhere": "it announces or repeats what is said, and listed, in another place",
}

WORDS = (
    r"never|always|invarian\w+|fast(?:er|est)|slow(?:er|est)|better|best|worse|worst|ahead|"
    r"(?:larg|small|long|short|low|high|few)(?:er|est)|least|"
    r"most|(?:more|less) than|nearly all|equally|exact(?:ly)?|steadier|rarely|hardly|"
    r"half|halved|quarters?|twice|third|(?:ten|hundred|thousand)ths?|double[ds]?|doubling|"
    r"three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty(?:-\w+)?|thirty|fifty|"
    r"hundreds?|thousands?|millions?|times as|percent"
)
CLAIM = re.compile(rf"(?<![\w.])\d[\d.,]*(?<![.,])|\b(?:{WORDS})\b", re.IGNORECASE)
"""What makes a sentence a claim: a number, in digits or from three on in words, and some words."""

PLACES = re.compile(
    r"\b(?:equations?|sections?|tables?|figures?|lemma) \(?\d[\w.]*(?:(?:,| to| and) \d[\w.]*)*",
    re.IGNORECASE,
)
NAMES = re.compile(
    r"\b(?:OLMo|Gemma|PyTorch) \d[\d.]*"  # the second word is a number
    r"|\b[A-Za-z]+-?\d\w*"  # GPT-2, float16
    r"|\bR@\w+"
    r"|\bhalf true\b"  # a verdict
    r"|\b(?:no|as) long(?:er)?\b|\bat (?:least|best)\b",
    re.IGNORECASE,
)
LIVE = re.compile(r"\{(?:[^{}]|\{\})*\}")
FILLED = re.compile(PLACEHOLDER.pattern + r"(?: (?:times as|percent)\b)?")
SMALL = re.compile(r"(?<![\d.,])[012](?![\d.,])")
LINK = re.compile(r"\]\((https://[^)]+)\)")
FORMULA = re.compile(r"\$(.+?)\$", re.DOTALL)
END = re.compile(r"(?<=[.!?])([\"”)*]*)((?: ?\[=[a-z0-9-]+\])*)\s+(?=[\[(*“$`{]*[A-Z0-9$`{])")
UNENDED = re.compile(r"(?:\bet al|\be\.g|\bi\.e|\bvs)\.$")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page, without the signs of Markdown.

    Attributes:
        text: the sentence without its marks.
        marks: the names in its marks.
    """

    text: str
    marks: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The numbers and words that make it a claim; a question claims nothing."""
        return () if self.text.endswith("?") else find_claims(blank_names(self.text))


def find_claims(text: str) -> tuple[str, ...]:
    """Return the numbers and words of order in a text, each once.

    >>> find_claims("More than 5 of 6, and more than half")
    ('more than', '5', '6', 'half')
    """
    digits = re.sub(r"(?<=\d)\\,(?=\d)", ",", text)  # as LaTeX parts thousands
    return tuple(dict.fromkeys(claim.lower() for claim in CLAIM.findall(digits)))


def blank_names(text: str) -> str:
    """Return the text with spaces in place of everything with a number that claims nothing.

    These are code, placeholders, names, years, arXiv numbers, references to equations and tables,
    and formulas whose only numbers are 0, 1 and 2, which are part of their notation.
    """
    for pattern in (re.compile(r"`[^`]*`"), FILLED, ARXIV, YEAR, PLACES, NAMES):
        text = pattern.sub(_blank, text)
    return FORMULA.sub(lambda found: _blank(found) if _is_notation(found[1]) else found[0], text)


def _is_notation(formula: str) -> bool:
    return not re.search(r"\d", SMALL.sub("", re.sub(r"\\[a-z]?frac\d\d", "", formula)))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of Markdown with our directives, in reading order.

    Of an exercise's answers, only the right one is a sentence; the others claim nothing.
    """
    for part in parse_text(text):
        for prose in _prose(part):
            for block in _blocks(prose):
                yield from (Sentence(strip_marks(cut), find_marks(cut)) for cut in _split(block))


def _prose(part: TextBlock) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Takeaways):
        yield from part.sentences
    elif isinstance(part, OptionalSection):
        for inside in part.flattened:
            yield from _prose(inside)
    elif isinstance(part, Details):
        yield part.title
        for inside in parse_text(part.text):
            yield from _prose(inside)
    elif isinstance(part, Exercise):
        yield part.text
        if isinstance(part, ChoiceExercise):
            for answer in part.answers:
                if answer.is_right:
                    yield answer.text
                yield answer.feedback
        if isinstance(part, NumberExercise):
            yield f"{part.right_text} {part.unit}".strip()
            yield from (wrong.feedback for wrong in part.mistakes)
        if isinstance(part, OrderExercise):
            for item in part.items:
                yield item.text
                yield item.feedback
        yield part.explanation


def _blocks(prose: str) -> Iterator[str]:
    """Yield paragraphs, items, headings and rows of tables, each on one line."""
    prose = re.sub(r"^```.*?^```|^\$\$.*?\$\$$", "\n", prose, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^( *(?:[-*] |#+ |\|))", r"\n\1", prose, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n", prose):
        block = re.sub(r"^(?:[-*]|#+) ", "", " ".join(block.split()))
        block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
        if block and not re.fullmatch(r"[|\s-]+", block):
            yield re.sub(r"\*+(?=\S)|(?<=\S)\*+", "", block)


def _split(block: str) -> Iterator[str]:
    start = 0
    for end in END.finditer(block):
        if not UNENDED.search(block[: end.start()]):
            yield block[start : end.end()].strip()
            start = end.end()
    yield block[start:].strip()


@dataclass(frozen=True)
class TestedBy:
    """The test that proves a sentence: `tests/lessons/why/test_depth.py::test_the_code_prints_it`.

    Attributes:
        test: its file and its function.
    """

    __test__ = False  # for pytest, whose own classes are called so

    test: str


@dataclass(frozen=True)
class CitedFrom:
    """The source of a sentence.

    Attributes:
        source: a key of the bibliography, or a link of the text.
        where: the section, equation or table.
    """

    source: str
    where: str


Proof = TestedBy | CitedFrom


def parse_ledger(toml: str) -> dict[str, Proof]:
    """Return the entries of a `claims.toml`, by their names.

    Raises:
        ValueError: two entries have one name, an entry is not a string, or a section is neither of
            tests nor of sources.
    """
    entries: dict[str, Proof] = {}
    for kind, sections in tomllib.loads(toml).items():
        if kind not in ("tests", "sources"):
            raise ValueError(f"a section is [tests.FILE] or [sources.KEY], got [{kind}]")
        for key, section in sections.items():
            for name, entry in section.items():
                if name in entries or name in NOTHING:
                    raise ValueError(f"two entries are called {name!r}")
                if not isinstance(entry, str):
                    raise ValueError(f"the entry {name!r} of {key} is one string, got {entry}")
                is_test = kind == "tests"
                entries[name] = TestedBy(f"{key}::{entry}") if is_test else CitedFrom(key, entry)
    return entries


def is_test(address: str) -> bool:
    """Return whether the test `tests/a.py::test_b` exists."""
    file, _, name = address.partition("::")
    return name.startswith("test_") and name in _functions(ROOT / file)


@cache
def _functions(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    body = ast.parse(file.read_text(encoding="utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def page_text(folder: Path) -> str:
    """Return the prose of a page: its text, its exercises and the captions of its figures."""
    texts = ("text.md", "exercises.md")
    written = [(folder / name).read_text(encoding="utf-8") for name in _there(folder, texts)]
    figures = sorted(file for file in folder.glob("*.md") if file.name not in texts)
    return "\n\n".join([*written, *map(_figure_prose, figures)])


def _there(folder: Path, files: tuple[str, ...]) -> list[str]:
    return [name for name in files if (folder / name).exists()]


def _figure_prose(file: Path) -> str:
    """Return the captions of a figure, a paragraph each, with placeholders for live numbers."""
    words = parse_captions(file.read_text(encoding="utf-8"), file.name)
    said = [words.title, *(paragraph.text for paragraph in words.paragraphs)]
    return "\n\n".join(LIVE.sub("{{live}}", PLACEHOLDER.sub("{}", text)) for text in said)


def page_contains(page: str, words: str) -> bool:
    """Return whether a sentence of a lesson contains these words."""
    return any(words in sentence.text for sentence in sentences(page_text(LESSONS / page)))


def find_faults(text: str, entries: Mapping[str, Proof]) -> Iterator[str]:
    """Yield what has to be mended until every claim has a proof and every entry a sentence."""
    marked = {name for sentence in sentences(text) for name in sentence.marks}
    for name, entry in entries.items():
        yield from (f"{name}: {fault}" for fault in _entry_faults(entry, text))
        if name not in marked:
            yield f"{name}: no sentence has the mark [={name}]; delete the entry"
    for sentence in sentences(text):
        yield from _sentence_faults(sentence, entries)


def _entry_faults(entry: Proof, text: str) -> Iterator[str]:
    if isinstance(entry, TestedBy):
        if not is_test(entry.test):
            yield f"there is no test {entry.test}"
        return
    if entry.source not in {source.key for source in PUBLICATIONS} | set(LINK.findall(text)):
        yield (f"{entry.source!r} is no key of lnviz/book/bibliography.py and no link of the text")
    if not entry.where:
        yield "has no place in the source"


def _sentence_faults(sentence: Sentence, entries: Mapping[str, Proof]) -> Iterator[str]:
    unknown = [name for name in sentence.marks if name not in entries and name not in NOTHING]
    if unknown:
        yield (
            f"{sentence.text!r}: claims.toml has no entry {', '.join(unknown)}, which is none of "
            f"{', '.join(NOTHING)} either"
        )
    elif sentence.claims and not sentence.marks:
        yield (
            f"{sentence.text!r}: how is this known ({', '.join(sentence.claims)})? Write behind it "
            "[=name] of an entry in claims.toml, or {{name}} for what we compute."
        )
