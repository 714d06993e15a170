"""The table of all statements on the page /record, with the verdict and the kind of evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lnviz.lessons.citation_marks import strip_marks
from lnviz.lessons.text import anchor

_ENTRY = re.compile(
    r"^### (?P<heading>“(?P<statement>.+)”)\n\n\*\*(?P<verdict>[^*]+)\.\*\*.*\n\n"
    r"\*How we know:\* (?P<evidence>.+?) \*See it:\*",
    re.MULTILINE,
)
_KINDS = ("measured", "derived", "tested", "cited")
"""Words of the evidence by which a reader tells its kind, in the order of the table."""


def verdicts() -> str:
    """Return a Markdown table with one row for each statement, numbered and linked."""
    rows = [
        f"| {number} | {link} | {verdict} | {evidence} |"
        for number, (link, verdict, evidence) in enumerate(_rows(), 1)
    ]
    return "\n".join(("| | Statement | Verdict | Evidence |", "|--:|---|---|---|", *rows))


def _rows() -> Iterator[tuple[str, str, str]]:
    text = strip_marks(Path(__file__).with_name("text.md").read_text(encoding="utf-8"))
    for entry in _ENTRY.finditer(text):
        evidence = entry["evidence"].lower()
        kinds = [kind for kind in _KINDS if re.search(rf"\b{kind}( here|:|,| and)", evidence)]
        link = f"[{entry['statement']}](#{anchor(entry['heading'])})"
        yield link, entry["verdict"], ", ".join(kinds)
