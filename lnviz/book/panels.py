"""What a page puts between its parts and makes from all lessons, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lnviz.book import network, paths
from lnviz.book.paths import Link

PANELS: Mapping[str, Callable[[Link], str]] = {
    "ways": paths.ways,
    "network": network.whole,
    "lessons": paths.cards,
}
"""The HTML of each panel, by the name that a text gives it; `progress.js` gives life to it."""
