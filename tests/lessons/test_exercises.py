"""What the exercises say holds: their numbers are computed here, and their goals can be reached."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import torch

from lnviz.book.export.stock import Stock
from lnviz.lessons import LESSONS, Goal, Lesson, Number
from lnviz.lessons.asking import Range
from lnviz.lessons.inputs import cases
from lnviz.norms import normalize
from tests.lessons.running import document

Document = Mapping[str, Any]

CASE = np.array([1.0, 2.0, 3.0, 6.0])

COMPUTED: dict[tuple[str, str], Callable[[], Iterable[float]]] = {
    ("axes", "deviation"): lambda: (
        CASE.std(),
        CASE.var(),
        CASE.std(ddof=1),
        np.sqrt((CASE**2).mean()),
        CASE.mean(),
    ),
}
"""For each number: the right one, then the wrong ones in their order."""

NUMBERS = [
    pytest.param(lesson, each, id=f"{lesson.slug}-{each.name}")
    for lesson in LESSONS
    for each in lesson.exercises
    if isinstance(each, Number)
]
GOALS = [
    pytest.param(lesson, each, id=f"{lesson.slug}-{each.name}")
    for lesson in LESSONS
    for each in lesson.exercises
    if isinstance(each, Goal)
]


def test_every_number_is_computed_and_no_other() -> None:
    named = {(param.values[0].slug, param.values[1].name) for param in NUMBERS}
    assert named == set(COMPUTED)


@pytest.mark.parametrize(("lesson", "asked"), NUMBERS)
def test_a_number_is_what_computing_it_gives(lesson: Lesson, asked: Number) -> None:
    right, *wrong = COMPUTED[lesson.slug, asked.name]()
    digit = 10.0 ** int(Decimal(asked.written.replace("−", "-").replace(",", "")).as_tuple()[2])
    assert abs(right - asked.right) <= digit / 2
    assert len(wrong) == len(asked.wrong)
    for computed, typical in zip(wrong, asked.wrong, strict=True):
        assert abs(computed - typical.value) <= asked.tolerance


@pytest.mark.parametrize(("lesson", "asked"), GOALS)
def test_a_goal_is_not_reached_at_the_start(lesson: Lesson, asked: Goal) -> None:
    found = document(lesson.slug, asked.figure)
    start = {c["slug"]: texts(c)[c["start"]] for c in found["controls"] if c["kind"] != "pointer"}
    start |= {p["name"]: str(p["value"]) for p in found["parameters"]}
    assert not all(
        any(holds(one, start.get(name)) for one in allowed)
        for name, allowed in asked.conditions.items()
    )


@pytest.mark.parametrize(("lesson", "asked"), GOALS)
def test_a_goal_can_be_reached_in_the_app_and_in_the_export(lesson: Lesson, asked: Goal) -> None:
    figure = lesson.figure(asked.figure)
    assert figure is not None
    stored = [each.values for each in Stock(lesson.slug, figure).stored]
    query = {}
    for parameter in figure.parameters:
        for value in asked.conditions.get(parameter.name, ()):
            assert isinstance(value, str)
            query[parameter.name] = value
    values = figure.parse(query)
    assert values in stored
    controls = document(lesson.slug, asked.figure, *query.items())["controls"]
    known = {control["slug"]: control for control in controls}
    assert set(asked.conditions) == {*query, *(set(known) & set(asked.conditions))}
    there = {
        known[n]["name"]: positions(known[n], asked.conditions[n])
        for n in asked.conditions
        if n in known
    }
    assert all(there.values())
    for name in set(known) & set(asked.conditions):
        for other, shown in known[name].get("when", {}).items():
            assert set(there.get(other, shown)) & set(shown), f"{name} cannot be seen there"


def positions(control: Document, allowed: Iterable[str | Range]) -> list[int]:
    """Where a control meets a condition; each value that is named is one of its own."""
    found = [[at for at, text in enumerate(texts(control)) if holds(one, text)] for one in allowed]
    assert all(found), (control["slug"], allowed)
    return [at for each in found for at in each]


def texts(control: Document) -> list[str]:
    """A control's values as an address has them."""
    if control["kind"] == "pointer":
        rows, columns = range(len(control["rows"])), range(len(control["columns"]))
        return [f"{row + 1}.{column + 1}" for row in rows for column in columns]
    return [str(value).removesuffix(".0") for value in control["values"]]


def holds(one: str | Range, text: str | None) -> bool:
    if text is None or isinstance(one, str):
        return text == one
    return one[0] <= float(text) <= one[1]


def test_of_two_cases_batch_norm_makes_1_and_minus_1_whatever_they_were() -> None:
    x = cases("worked", 0, units=6).values[:2]
    made = normalize(x, 0).x_hat
    assert (made.abs() - 1).abs().max() < 0.01
    assert torch.equal(normalize(x, 1).x_hat[0], normalize(x[:1], 1).x_hat[0])


def test_without_the_fourth_case_batch_norm_alone_puts_out_something_else() -> None:
    x = cases("worked", 0, units=6).values
    assert torch.equal(normalize(x, 1).x_hat[:3], normalize(x[:3], 1).x_hat)
    assert (normalize(x, 0).x_hat[:3] - normalize(x[:3], 0).x_hat).abs().max() > 0.1
