"""Every lesson begins with its picture, and a reader can finish what is open on it."""

from collections.abc import Iterator

import pytest

from lnviz.lessons import LESSONS, Lesson
from tests.browser.measures import AIMS, SCREEN, measured
from tests.browser.tab import Tab


@pytest.fixture(scope="module")
def reader(traveler: Tab) -> Iterator[Tab]:
    size = traveler.page.viewport_size
    traveler.page.set_viewport_size(SCREEN)
    yield traveler
    if size:
        traveler.page.set_viewport_size(size)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_lesson_keeps_its_measures(lesson: Lesson, reader: Tab) -> None:
    measures = measured(reader.turn_to(lesson).page)
    assert measures.keys() == AIMS.keys()
    beyond = {name: value for name, value in measures.items() if value > AIMS[name]}
    assert beyond == {}
