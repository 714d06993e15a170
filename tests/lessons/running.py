from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from torch import Tensor

from lnviz.book import find_figure, find_page
from lnviz.explorable import EnumParameter, Explorable, Margin, Readout, RunParameter, View
from lnviz.explorable.parameters import parse_query
from lnviz.lessons import ChoiceExercise, FigureSpec, Lesson
from lnviz.lessons.data_parameters import SEED
from tests.sharing import once

V = TypeVar("V")


@cache
def built(slug: str, name: str, *query: tuple[str, str]) -> Explorable:
    """A figure at the parameters of an address; one test process builds it for all."""
    figure = find_figure(slug, name)
    assert figure is not None
    values = parse_query(figure.parameters, dict(query))
    return once(f"{slug}-{name}-{sorted(values.items())}", lambda: figure.build(**values))


@cache
def document(slug: str, name: str, *query: tuple[str, str]) -> dict[str, Any]:
    """Its payload at the parameters of an address."""
    figure = find_figure(slug, name)
    assert figure is not None
    shared = replace(figure, build=lambda **_: built(slug, name, *query))
    return once(f"{slug}-{name}-{query}.json", lambda: shared.payload(shared.parse(dict(query))))


def whole(slug: str) -> tuple[Lesson, str]:
    """A lesson, and all its text: that of its questions too, with every answer."""
    lesson = find_page(slug)
    assert lesson is not None
    texts = (
        "\n".join([part.text, part.explanation, *(a.text + a.feedback for a in part.answers)])
        if isinstance(part, ChoiceExercise)
        else str(part)
        for part in lesson.parts
    )
    return lesson, "\n".join(texts)


def printed(explorable: Explorable, state: Mapping[str, int]) -> list[Tensor]:
    """What the figure's code prints at a state, run as it stands."""
    results: list[Any] = []
    exec(explorable.code_at(state), {"print": lambda *values: results.extend(values)})
    return [result.detach() for result in results]


def not_finite(explorable: Explorable) -> set[str]:
    """The tensors that hold NaN or infinity somewhere."""
    return {name for name, s in explorable.tensors.items() if not bool(s.values.isfinite().all())}


def presets(figure: FigureSpec) -> Iterator[dict[str, str]]:
    """The start; the last option of every parameter with the largest seed; every other option."""
    picks = [p for p in figure.parameters if isinstance(p, EnumParameter | RunParameter)]
    last = {p.name: p.options[-1].value for p in picks}
    seeds = {p.name: str(p.high) for p in figure.parameters if p.name == SEED.name}
    yield {}
    if last | seeds:
        yield last | seeds
    for pick in picks:
        for option in pick.options:
            alone = {pick.name: option.value}
            if option.value != pick.start and alone != last | seeds:
                yield alone


def views(explorable: Explorable, kind: type[V]) -> list[V]:
    """A figure's views of a kind, from top to bottom."""
    return [view for row in explorable.views for view in row if isinstance(view, kind)]


def control(explorable: Explorable, name: str) -> Any:
    """The control of a figure that has this name."""
    (found,) = (control for control in explorable.controls if control.name == name)
    return found


def shows(explorable: Explorable, view: View | Margin, state: Mapping[str, int]) -> bool:
    """Whether a view is shown at a state."""

    def is_missing(tensor: str) -> bool:
        return bool(explorable.lookup(tensor, state).isnan())

    finite, missing = getattr(view, "if_finite", ""), getattr(view, "if_nan", "")
    here = all(
        state[name] in [control(explorable, name).index(value) for value in allowed]
        for name, allowed in view.when.items()
    )
    return (
        here and not (finite and is_missing(finite)) and not (missing and not is_missing(missing))
    )


def said(explorable: Explorable, state: Mapping[str, int]) -> list[Readout]:
    """The sentences that are shown at a state."""
    return [view for view in views(explorable, Readout) if shows(explorable, view, state)]


def texts(explorable: Explorable) -> str:
    """All that a figure's readouts say, their fields as they are written."""
    return " ".join(view.text for view in views(explorable, Readout))
