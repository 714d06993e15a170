"""The map of a whole network."""

import re
from math import dist

import pytest

from lnviz.book.network import DEPTH, LENGTH, NODES, full_map, mini_map
from lnviz.lessons import LESSONS, Lesson

SLUGS = [place.slug for place in NODES if place.slug]
KNOWN = [lesson for lesson in LESSONS if lesson.slug in SLUGS]
each_lesson = pytest.mark.parametrize("lesson", KNOWN, ids=lambda lesson: lesson.slug)


def test_every_place_of_the_map_leads_to_a_lesson_of_its_own() -> None:
    assert sorted(SLUGS) == sorted(lesson.slug for lesson in KNOWN)
    assert re.findall(r'href="([^"]+)"', full_map(str)) == SLUGS


def test_places_lie_on_the_map_and_apart() -> None:
    for number, place in enumerate(NODES):
        along, across = place.position
        assert 0 < along < LENGTH
        assert 0 < across < DEPTH
        assert all(dist(place.position, other.position) > 55 for other in NODES[:number])
    # Where the map runs downwards, boxes beside each other leave room for their words.
    downward = [(place.down or place.position[0], place.position[1]) for place in NODES]
    for number, (along, across) in enumerate(downward):
        others = downward[:number]
        assert all(abs(along - a) >= 60 or abs(across - b) >= 60 for a, b in others)


@each_lesson
def test_the_small_map_has_the_place_of_its_lesson_lit_and_opens_the_whole(lesson: Lesson) -> None:
    small, opened = mini_map(lesson, str).split("popover>")
    (part,) = (place.label for place in NODES if place.slug == lesson.slug)
    assert f'popovertarget="ln-map" aria-label="Map of the network. Here: {part}"' in small
    assert small.count("aria-current") == opened.count("aria-current") == 1
    assert f'href="{lesson.slug}" aria-current="page">{part}' in opened


def test_a_lesson_that_is_not_on_the_map_has_no_small_one() -> None:
    assert mini_map(Lesson("a", "A", "S", "what moves", ()), str) == ""


def test_an_address_is_written_as_it_is_where_the_page_stands() -> None:
    assert 'href="axes.html"' in full_map(lambda address: f"{address}.html")
