"""The glossary of the reference page as data, for pop-up definitions of terms in texts."""

from __future__ import annotations

import re

from lnviz.book.reference import PAGE
from lnviz.book.search import sections

HEADING = "Glossary"
_MORE = re.compile(r"\s*See [^.]+\.$")


def entries() -> dict[str, str]:
    """Return the glossary's definitions as plain text, by the anchor of each term on the page."""
    parts = list(sections(PAGE))
    first = next(at for at, section in enumerate(parts) if section.heading == HEADING) + 1
    return {part.address.partition("#")[2]: _MORE.sub("", part.text) for part in parts[first:]}
