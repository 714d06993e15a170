"""Of which kinds views, controls, panels and charts are, and the few things that have them all.

A kind is computed from what is declared: a new sort of view, and a field of one that no figure has
set before, is a kind of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from lnviz.explorable import Chart
from lnviz.lessons import Lesson
from tests.browser.figures import PLACES, Place

T = TypeVar("T")


def of_figure(place: Place) -> set[str]:
    """What a figure's views, controls and parameters are and set, and what its charts draw."""
    declared = _declared(place)
    charts = [view for view in declared if isinstance(view, Chart)]
    return {kind for thing in declared for kind in _set(thing)} | {
        kind for chart in charts for kind in _drawn(chart)
    }


def of_page(page: Lesson) -> set[str]:
    """The sorts of views, controls, parameters, questions, panels and tables that a page has."""
    sorts = {type(part).__name__ for part in (*page.parts, *page.core, *page.deeper)}
    for place in PLACES:
        if place.lesson is page:
            sorts |= {type(thing).__name__ for thing in _declared(place)}
    return sorts


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


def _declared(place: Place) -> list[Any]:
    explorable = place.explorable()
    views = [view for row in explorable.views for view in row]
    return [*views, *explorable.controls, *place.figure.parameters]


def _set(thing: Any) -> set[str]:
    """What it is, and which of its fields are not as they are when nobody says anything."""
    name = type(thing).__name__
    said = [field for field in fields(thing) if repr(getattr(thing, field.name)) != _unsaid(field)]
    return {name, *(f"{name} with {field.name}" for field in said)}


def _unsaid(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return repr(field.default_factory())
    return repr(field.default)


def _drawn(chart: Chart) -> set[str]:
    """Its traces, by what they draw and which of their values follow the controls, and its axes."""
    traces = {
        f"{trace.type} of {trace.mode if 'mode' in trace else 'its own'}"
        f" bound by {', '.join(sorted(chart.bind.get(number, {})))}"
        for number, trace in enumerate(chart.figure.data)
    }
    axes = {f"{name[0]} axis {chart.figure.layout[name].type}" for name in ("xaxis", "yaxis")}
    return traces | axes
