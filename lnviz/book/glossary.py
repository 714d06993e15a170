"""The glossary of the reference, word by word, for where a word stands."""

from __future__ import annotations

import re

from lnviz.book.reference import PAGE
from lnviz.book.search import sections

HEADING = "Glossary"
_MORE = re.compile(r"\s*See [^.]+\.$")


def entries() -> dict[str, str]:
    """Return what each word means, by the name of its place on the page, as plain text."""
    parts = list(sections(PAGE))
    first = next(at for at, section in enumerate(parts) if section.heading == HEADING) + 1
    return {part.address.partition("#")[2]: _MORE.sub("", part.text) for part in parts[first:]}
