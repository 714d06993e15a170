"""Panels of the home page that show all lessons, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lnviz.book import learning_paths, network
from lnviz.book.learning_paths import Link

PANELS: Mapping[str, Callable[[Link], str]] = {
    "ways": learning_paths.starting_points,
    "network": network.full_map,
    "lessons": learning_paths.lesson_cards,
}
"""Functions that return each panel's HTML, by its name in texts; `progress.js` adds behavior."""
