"""What a page puts between its parts and makes from all lessons, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lnviz.book import paths
from lnviz.book.paths import Link

PANELS: Mapping[str, Callable[[Link], str]] = {
    "ways": paths.ways,
    "lessons": paths.cards,
}
"""The HTML of each panel, by the name that a text gives it; `progress.js` gives life to it."""
