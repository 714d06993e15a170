"""Of which kinds views, controls, panels and charts are, and the few things that have them all.

A kind is computed from what is declared: a new sort of view, and a trace bound in a new way, is a
kind of its own.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from lnviz.explorable import Chart
from lnviz.lessons import Lesson
from tests.browser.drawn import sliders
from tests.browser.figures import PLACES, Place

T = TypeVar("T")


ELSEWHERE = {"Cube", "Diagram", "Photos", "Pictures", "Scene"}
"""Sorts of views whose sliders a test of their own moves (`test_cube` and so on; `test_drag`)."""


def of_slides(place: Place) -> set[str]:
    """The sorts of views that sliders move in a figure, and what its charts draw."""
    if not sliders(place.explorable()):
        return set()
    views = _views(place)
    charts = [view for view in views if isinstance(view, Chart)]
    return (_sorts(views) - ELSEWHERE) | {kind for chart in charts for kind in _drawn(chart)}


def of_page(page: Lesson) -> set[str]:
    """The sorts of views, controls, parameters, questions, panels and tables that a page has."""
    places = [place for place in PLACES if place.lesson is page]
    return _sorts([*page.parts, *page.core, *page.optional_sections]).union(
        *(_sorts([*_views(p), *p.explorable().controls, *p.figure.parameters]) for p in places)
    )


def cover(things: Iterable[T], kinds: Callable[[T], set[str]]) -> list[T]:
    """Things that have together each kind that any of them has: always the one with most new."""
    having = [(thing, kinds(thing)) for thing in things]
    left = set[str]().union(*(kinds for _, kinds in having))
    chosen = []
    while left:
        thing, has = max(having, key=lambda pair: len(pair[1] & left))
        chosen.append(thing)
        left -= has
    return chosen


def _views(place: Place) -> list[Any]:
    return [view for row in place.explorable().views for view in row]


def _sorts(things: Iterable[Any]) -> set[str]:
    return {type(thing).__name__ for thing in things}


def _drawn(chart: Chart) -> set[str]:
    """Its traces, by what they draw and which of their values follow the controls, and its axes."""
    traces = {
        f"{trace.type} of {trace.mode if 'mode' in trace else 'its own'}"
        f" bound by {', '.join(sorted(chart.bind.get(number, {})))}"
        for number, trace in enumerate(chart.figure.data)
    }
    axes = {f"{name[0]} axis {chart.figure.layout[name].type}" for name in ("xaxis", "yaxis")}
    return traces | axes
