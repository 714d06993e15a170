"""The claims of a page: what its prose says, sentence by sentence, and how each is known.

Beside a page's `text.md` stands `claims.toml`. It has a `[[claim]]` for every sentence with a
number, or with a word such as *never* or *faster*; its `words` are the sentence or a part of it,
and one more key says how it is known:

- `test`: a test that holds it, or a list of them, such as
  `tests/lessons/why/test_depth.py::test_the_text_is_right_about_every_draw_of_weights`;
- `source` and `where`: who says so, by the key in the bibliography or by the address of a page
  that the text links to, and in which place;
- `nothing`: why it claims nothing, in one of the words of `NOTHING`.

The texts are read as they are written: a placeholder is a number that is known by what fills it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lnviz.book.bibliography import SOURCES
from lnviz.book.citations import ARXIV, YEAR
from lnviz.lessons.asking import Asked, Number, Order, Question
from lnviz.lessons.filling import PLACEHOLDER
from lnviz.lessons.text import Fold, Part, parts

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "lnviz" / "lessons"

NOTHING = {
    "supposed": "a premise, of a question or an example",
    "defined": "a word, a sign or a unit is introduced or chosen",
    "to do": "the reader is told what to do",
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
FILLED = re.compile(PLACEHOLDER.pattern + r"(?: (?:times as|percent)\b)?")
SMALL = re.compile(r"(?<![\d.,])[012](?![\d.,])")
LINK = re.compile(r"\]\((https://[^)]+)\)")
FORMULA = re.compile(r"\$(.+?)\$", re.DOTALL)
END = re.compile(r"(?<=[.!?])([\"”)*]*)\s+(?=[\[(*“$`{]*[A-Z0-9$`{])")
UNENDED = re.compile(r"(?:\bet al|\be\.g|\bi\.e|\bvs)\.$")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page, without the signs of Markdown."""

    text: str

    @property
    def marks(self) -> list[tuple[int, int]]:
        """Where in it are the numbers and words that make it a claim; a question claims nothing."""
        if self.text.endswith("?"):
            return []
        return [found.span() for found in CLAIM.finditer(unclaimed(self.text))]


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
            yield from (Sentence(each) for block in _blocks(prose) for each in _split(block))


def _prose(part: Part) -> Iterator[str]:
    if isinstance(part, str):
        yield part
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
class Claim:
    """An entry of `claims.toml`."""

    words: str
    test: tuple[str, ...] = ()
    source: str = ""
    where: str = ""
    nothing: str = ""

    def faults(self, text: str) -> Iterator[str]:
        """What keeps the entry from saying how its words, which are in this text, are known."""
        ways = [bool(self.test), bool(self.source), bool(self.nothing)]
        if sum(ways) != 1:
            yield "has one of test, source and nothing"
        if bool(self.source) != bool(self.where):
            yield "has source and where together: the key, and the place in it"
        known = {source.key for source in SOURCES} | set(LINK.findall(text))
        if self.source and self.source not in known:
            yield f"{self.source!r} is no key of lnviz/book/bibliography.py and no link of the text"
        if self.nothing and self.nothing not in NOTHING:
            yield f"nothing is one of {', '.join(NOTHING)}; got {self.nothing!r}"
        yield from (f"there is no test {test}" for test in self.test if not is_test(test))


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
    """The prose of a page: its text, and its exercises where it has some."""
    files = (folder / "text.md", folder / "exercises.md")
    return "\n\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def says(page: str, words: str) -> bool:
    """Whether a lesson has a sentence with these words, which a test then holds."""
    text = text_of(LESSONS / page)
    return any(words in sentence.text for sentence in sentences(text))


def claims(written: str) -> list[Claim]:
    """The entries of a `claims.toml`."""
    return [_claim(entry) for entry in tomllib.loads(written).get("claim", [])]


def _claim(entry: Mapping[str, Any]) -> Claim:
    test = entry.get("test", ())
    return Claim(**{**entry, "test": (test,) if isinstance(test, str) else tuple(test)})


def faults(text: str, listed: list[Claim]) -> Iterator[str]:
    """What an author has to mend so that every claim of a text is listed, and nothing else."""
    said = tuple(dict.fromkeys(sentences(text)))
    covered: dict[Sentence, list[range]] = {sentence: [] for sentence in said}
    for claim in listed:
        yield from (f"the entry for {claim.words!r}: {fault}" for fault in claim.faults(text))
        holding = _holding(claim.words, said)
        if not holding:
            yield f"no sentence has the words {claim.words!r}: mend them, or delete the entry"
        if len(holding) > 1:
            yield f"{len(holding)} sentences have the words {claim.words!r}: take more of one"
        for sentence in holding:
            start = sentence.text.index(claim.words)
            covered[sentence].append(range(start, start + len(claim.words)))
    for sentence, spans in covered.items():
        left = [
            sentence.text[start:end]
            for start, end in sentence.marks
            if not any(start in span and end - 1 in span for span in spans)
        ]
        if left:
            yield (
                f"{', '.join(left)}: how is this known? Add an entry, with test, source or "
                f"nothing, or write {{{{name}}}} for what we compute:\n\n"
                f"[[claim]]\nwords = '''{sentence.text}'''\n"
            )


def _holding(words: str, said: tuple[Sentence, ...]) -> list[Sentence]:
    """The sentence with these words; of several the one that has no others, if there is one."""
    alone = [sentence for sentence in said if sentence.text == words]
    return alone or [sentence for sentence in said if words in sentence.text]
