"""The glossary of the reference, word by word, for where a word stands."""

from __future__ import annotations

import re

from lnviz.book import find
from lnviz.book.search import sections

HEADING = "Glossary"
_MORE = re.compile(r"\s*See [^.]+\.$")


def entries() -> dict[str, str]:
    """Return what each word means, by the name of its place on the page, as plain text."""
    reference = find("reference")
    assert reference is not None
    found = list(sections(reference))
    first = next(at for at, section in enumerate(found) if section.heading == HEADING) + 1
    return {each.address.partition("#")[2]: _MORE.sub("", each.text) for each in found[first:]}
