"""The claims of a page: what its prose says, sentence by sentence, and how each is known.

A sentence with a number, or with a word such as *never* or *faster*, has a mark behind it,
`[=name]`. What the name stands for is either one of the words of `NOTHING`, which say why the
sentence claims nothing, or has an entry in the `claims.toml` beside the text, where many sentences
share one:

    [tests."tests/lessons/recurrence/test_text_values.py"]
    bits = { test = "test_numbers_are_written_with_as_many_bits_as_is_said", holds = "16 and 32" }

    [sources.ba2016layer]
    ba-equation-4 = "equation 4"

A test `holds` the numbers and the words of order, in any words around them, of the sentences that
it proves: one of them cannot be changed without looking at the test. A source is the key in the
bibliography, or the address of a page that the text links to; its entry is the place in it.

The texts are read as they are written: a placeholder is a number that is known by what fills it.
So are the words of a page's figures, which stand in files of their own.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lnviz.book.bibliography import SOURCES
from lnviz.book.citations import ARXIV, YEAR
from lnviz.lessons.captions import read
from lnviz.lessons.citation_marks import marks, unmarked
from lnviz.lessons.exercises import Asked, Number, Order, Question
from lnviz.lessons.interpolation import PLACEHOLDER
from lnviz.lessons.text import Deeper, Fold, Outer, Remember, parts

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "lnviz" / "lessons"

NOTHING = {
    "supposed": "a premise, of a question or an example",
    "defined": "a word, a sign or a unit is introduced or chosen",
    "to-do": "the reader is told what to do",
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
        text: it.
        proofs: the names in its marks.
    """

    text: str
    proofs: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The numbers and words that make it a claim; a question claims nothing."""
        return () if self.text.endswith("?") else said(unclaimed(self.text))


def said(text: str) -> tuple[str, ...]:
    """The numbers and words of order in a text, each once.

    >>> said("More than 5 of 6, and more than half")
    ('more than', '5', '6', 'half')
    """
    digits = re.sub(r"(?<=\d)\\,(?=\d)", ",", text)  # as LaTeX parts thousands
    return tuple(dict.fromkeys(claim.lower() for claim in CLAIM.findall(digits)))


def unclaimed(text: str) -> str:
    """The text with spaces over all that has a number and claims nothing.

    Code, placeholders, names, years, numbers on arXiv, places in a source, and formulas with no
    number but 0, 1 and 2, which are part of their notation.
    """
    for pattern in (re.compile(r"`[^`]*`"), FILLED, ARXIV, YEAR, PLACES, NAMES):
        text = pattern.sub(_blank, text)
    return FORMULA.sub(lambda found: _blank(found) if _is_notation(found[1]) else found[0], text)


def _is_notation(formula: str) -> bool:
    return not re.search(r"\d", SMALL.sub("", re.sub(r"\\[a-z]?frac\d\d", "", formula)))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of Markdown with our directives, in reading order.

    Of a question's options, and of numbers, the right one is said, the others are offered.
    """
    for part in parts(text):
        for prose in _prose(part):
            for block in _blocks(prose):
                yield from (Sentence(unmarked(cut), marks(cut)) for cut in _split(block))


def _prose(part: Outer) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Remember):
        yield from part.sentences
    elif isinstance(part, Deeper):
        for inside in part.flat:
            yield from _prose(inside)
    elif isinstance(part, Fold):
        yield part.title
        for inside in parts(part.text):
            yield from _prose(inside)
    elif isinstance(part, Asked):
        yield part.text
        if isinstance(part, Question):
            for answer in part.answers:
                if answer.is_right:
                    yield answer.text
                yield answer.reply
        if isinstance(part, Number):
            yield f"{part.written} {part.unit}".strip()
            yield from (wrong.reply for wrong in part.wrong)
        if isinstance(part, Order):
            for item in part.items:
                yield item.text
                yield item.reply
        yield part.why


def _blocks(prose: str) -> Iterator[str]:
    """Paragraphs, items, headings and rows of tables, each on one line."""
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
class Held:
    """A test that proves sentences.

    Attributes:
        test: such as `tests/lessons/why/test_depth.py::test_the_code_prints_it`.
        holds: the numbers and words of order that it holds, in any words.
    """

    test: str
    holds: str = ""


@dataclass(frozen=True)
class Cited:
    """Who says so, and in which place: a key of the bibliography, or a link of the text."""

    source: str
    where: str


Proof = Held | Cited


def ledger(written: str) -> dict[str, Proof]:
    """The entries of a `claims.toml`, by their names.

    Raises:
        ValueError: two have one name, an entry has other fields than its kind, or there is a
            section that is of neither kind.
    """
    document = tomllib.loads(written)
    entries: dict[str, Proof] = {}
    for kind, sections in document.items():
        if kind not in ("tests", "sources"):
            raise ValueError(f"a section is [tests.FILE] or [sources.KEY], got [{kind}]")
        for of, section in sections.items():
            for name, entry in section.items():
                if name in entries or name in NOTHING:
                    raise ValueError(f"two entries are called {name!r}")
                entries[name] = _held(of, entry) if kind == "tests" else Cited(of, entry)
    return entries


def _held(file: str, entry: str | Mapping[str, str]) -> Held:
    if isinstance(entry, str):
        return Held(f"{file}::{entry}")
    if entry.keys() != {"test", "holds"}:
        raise ValueError(f"an entry of {file} has a test and what it holds, got {dict(entry)}")
    return Held(f"{file}::{entry['test']}", entry["holds"])


def is_test(address: str) -> bool:
    """Whether a test of this address, `tests/a.py::test_b`, is there."""
    file, _, name = address.partition("::")
    return name.startswith("test_") and name in _functions(ROOT / file)


@cache
def _functions(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    body = ast.parse(file.read_text(encoding="utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def text_of(folder: Path) -> str:
    """The prose of a page: its text, its exercises, and what its figures say."""
    texts = ("text.md", "exercises.md")
    written = [(folder / name).read_text(encoding="utf-8") for name in _there(folder, texts)]
    figures = sorted(file for file in folder.glob("*.md") if file.name not in texts)
    return "\n\n".join([*written, *map(_figure_prose, figures)])


def _there(folder: Path, files: tuple[str, ...]) -> list[str]:
    return [name for name in files if (folder / name).exists()]


def _figure_prose(file: Path) -> str:
    """What a figure says, a paragraph each, its live numbers as placeholders."""
    words = read(file.read_text(encoding="utf-8"), file.name)
    said = [words.title, *(paragraph.text for paragraph in words.paragraphs)]
    return "\n\n".join(LIVE.sub("{{live}}", PLACEHOLDER.sub("{}", text)) for text in said)


def says(page: str, words: str) -> bool:
    """Whether a lesson has a sentence with these words, which a test then holds."""
    text = text_of(LESSONS / page)
    return any(words in sentence.text for sentence in sentences(text))


def faults(text: str, entries: Mapping[str, Proof]) -> Iterator[str]:
    """What an author has to mend so that every claim of a text is known, and nothing is left."""
    every = tuple(sentences(text))
    for name, entry in entries.items():
        yield from (f"{name}: {fault}" for fault in _entry_faults(entry, text))
        proved = [sentence for sentence in every if name in sentence.proofs]
        if not proved:
            yield f"{name}: no sentence has the mark [={name}]; delete the entry"
        elif isinstance(entry, Held):
            claimed = {claim for sentence in proved for claim in sentence.claims}
            left = [claim for claim in said(entry.holds) if claim not in claimed]
            if left:
                yield f"{name}: holds {', '.join(left)}, which no sentence with its mark says"
    for sentence in every:
        yield from _sentence_faults(sentence, entries)


def _entry_faults(entry: Proof, text: str) -> Iterator[str]:
    if isinstance(entry, Held):
        if not is_test(entry.test):
            yield f"there is no test {entry.test}"
        return
    if entry.source not in {source.key for source in SOURCES} | set(LINK.findall(text)):
        yield (f"{entry.source!r} is no key of lnviz/book/bibliography.py and no link of the text")
    if not entry.where:
        yield "has no place in the source"


def _sentence_faults(sentence: Sentence, entries: Mapping[str, Proof]) -> Iterator[str]:
    unknown = [name for name in sentence.proofs if name not in entries and name not in NOTHING]
    if unknown:
        yield (
            f"{sentence.text!r}: claims.toml has no entry {', '.join(unknown)}, which is none of "
            f"{', '.join(NOTHING)} either"
        )
    elif sentence.claims and not sentence.proofs:
        yield (
            f"{sentence.text!r}: how is this known ({', '.join(sentence.claims)})? Write behind it "
            "[=name] of an entry in claims.toml, or {{name}} for what we compute."
        )
    else:
        proofs = [entries.get(name) for name in sentence.proofs]
        tests = [proof for proof in proofs if isinstance(proof, Held)]
        held = {claim for test in tests for claim in said(test.holds)}
        left = [claim for claim in sentence.claims if claim not in held]
        if left and len(tests) == len(proofs):
            yield (
                f"{sentence.text!r}: {', '.join(sentence.proofs)} does not hold {', '.join(left)}. "
                "Look whether the test does, and say so in its entry."
            )
