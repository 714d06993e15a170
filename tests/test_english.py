"""All words that are shown: phrases of the house's dialect, and slips of typography.

A net, not the goal: `docs/style.md` says how words are written. It reads the prose of Markdown (not
its code and formulas), the strings of Python and JavaScript that have a space in them, and the
docstrings that `help(lnviz)` shows.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import lnviz

ROOT = Path(__file__).parents[1]

BETTER = {
    r"\banew\b": "again, from scratch",
    r"\b[Ll]ikewise\b": "also",
    r"\bputs? out\b": "outputs",
    r"\bhands? (it )?on\b": "passes on, returns",
    r"\bprogrammed\b": "implemented",
    r"\bread-outs?\b": "unembedding, LM head",
    r"\bsummed inputs?\b": "pre-activation",
    r"\bgoes? on with\b": "continues",
    r"\bgoes on\b": "continues",
    r"\bin the norm.s place\b|\bin place of\b": "instead of",
    r"\bstands? (on(?! its own)|in|at|beside|before|after)\b": "is, sits, comes before",
    r"\b(operations|bytes|nats|images|steps|rows|one) an? "
    r"(byte|character|worker|example|case|row|token)\b": "per",
    r"\b(living|dead) units?\b": "active, inactive units",
    r"\bmakes? of (it|them)\b": "turns it into",
    r"\b(are|is|were|stay|attends to) all alike\b|\bare alike\b": "similar, the same",
    r"\bby (itself|themselves)\b": "on its own",
    r"\b(the|a|its|their|what|whose) shares? of\b": "fraction, percentage",
    r"\b(?<!here )(is|are) no "
    r"(?!(longer|more|less|better|larger|smaller|lower|higher|help|other)\b)[a-z]+\b": "is not a",
    r"\b[Ww]hat whoever\b|\b[Oo]f whoever\b": "anyone who",
    r"\bthe wall\b": "the projector",
    r"\bpretend (students|phones)\b": "simulated",
    r"\bone (hears|wants)\b": "you hear, say who",
    r"\bon (its|their) way(?! (back|out|through|to))\b": "being sent, loading",
    r"\b(all|every|each|which|many|some|other) places?\b": "position",
    r"\d %": "no space before %",
    r"”[.,](?!\.)": "the period and the comma inside the quotation marks",
}
NET = {re.compile(phrase): better for phrase, better in BETTER.items()}
# On pages; documents and messages of Python are read as they are typed.
ON_PAGES = NET | {re.compile(r"[A-Za-z]'(s|t|re|ll|ve)\b"): "a typographic apostrophe: ’"}
PAGES = ("lnviz/lessons/", "lnviz/book/", "lnviz/frontend/")

# Where one of the phrases is right: the file, and what is written there.
RIGHT = (
    ("lnviz/book/record/text.md", "normalizes each gate by itself"),  # the claim's own words
    ("lnviz/book/reference/text.md", "summed input"),  # the word of Ba et al., explained
    ("lnviz/lessons/axes/text.md", "summed input"),
    ("lnviz/lessons/results/exercises.md", "17 ± 1 %"),  # a number and its unit, not yet shown
    ("lnviz/frontend/book/search.js", "matches “x”."),  # what the reader has typed
    ("lnviz/lessons/lesson.py", "’([ts])"),  # a pattern
)

MARKDOWN = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("deploy/*.md"),
    *ROOT.glob("lnviz/**/*.md"),
]
PYTHON = [*ROOT.glob("lnviz/**/*.py")]
SCRIPTS = [*ROOT.glob("lnviz/frontend/**/*.js")]
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
MARK = re.compile(r"\[=[\w-]+\]|\{\{?[^{}]*\}?\}")
TEXT_IN_SCRIPT = re.compile(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, cells and headings with the lines that they begin in."""
    prose = FORMULA.sub(lambda formula: re.sub(r"[^\n]", "x", formula[0]), text)
    for token in MarkdownIt().enable("table").parse(prose):
        if token.type == "inline" and token.map and not token.content.startswith(":::"):
            words = "".join(
                "`code`" if part.type == "code_inline" else part.content or " "
                for part in token.children or ()
            )
            yield token.map[0] + 1, MARK.sub("", words)


def python(text: str) -> Iterator[tuple[int, str]]:
    """Strings with a space in them, those in braces included, without docstrings."""
    tree = ast.parse(text)
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr | ast.JoinedStr)
        for part in ([node.value] if isinstance(node, ast.Expr) else node.values)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "x"
                    for part in node.values
                ),
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in inside
        ):
            yield node.lineno, node.value


def script(text: str) -> Iterator[tuple[int, str]]:
    """Strings with a space in them, without comments."""
    for number, line in enumerate(text.splitlines(), 1):
        if not re.match(r"\s*(//|\*|/\*)", line):
            for double, template in TEXT_IN_SCRIPT.findall(line):
                words = re.sub(r"\$\{[^}]*\}", "x", double or template)
                if " " in words:
                    yield number, words


def slips(file: Path, texts: Iterator[tuple[int, str]]) -> Iterator[str]:
    name = file.relative_to(ROOT).as_posix()
    for line, text in texts:
        for phrase, better in (ON_PAGES if name.startswith(PAGES) else NET).items():
            for slip in phrase.finditer(text):
                around = text[max(0, slip.start() - 40) : slip.end() + 40].replace("\n", " ")
                if not any(name == where and words in around for where, words in RIGHT):
                    yield f"{name}:{line}: “{slip[0]}” in “…{around}…”: {better}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "reading"), [(MARKDOWN, markdown), (PYTHON, python), (SCRIPTS, script)]
)
def test_what_is_shown_is_free_of_the_dialect(
    files: list[Path], reading: Callable[[str], Iterator[tuple[int, str]]]
) -> None:
    found = [
        slip
        for file in sorted(files)
        if "plotly" not in file.name
        for slip in slips(file, reading(file.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


def test_what_help_shows_is_free_of_the_dialect() -> None:
    found = [
        slip
        for name in lnviz.__all__
        for slip in slips(
            ROOT / "lnviz/__init__.py", iter([(0, getattr(lnviz, name).__doc__ or "")])
        )
    ]
    assert not found, "\n".join(found)


def test_the_net_holds_what_it_is_for() -> None:
    text = (
        "The norm puts out 0. With `puts out`, $puts out$ and 82 %.\n\nIt is anew.[=trained-anew]"
    )
    assert [
        slip.partition(": ")[2].partition("”")[0] for slip in slips(ROOT / "a.md", markdown(text))
    ] == [
        "“puts out",
        "“2 %",
        "“anew",
    ]
