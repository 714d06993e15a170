"""A handle is dragged in a lesson: the figure follows the hand, and the server hears nothing."""

from dataclasses import dataclass
from typing import Any

import pytest

from lnviz.explorable import Explorable, Slider, slug
from tests.browser import drawn
from tests.browser.conftest import part
from tests.browser.figures import DEPTH, GRID, KINDS, Place
from tests.browser.tab import Tab

SHARES = (0.1, 0.55, 1.0, 0.35)
PICTURE = "root => [...root.querySelectorAll('.main-svg')].map((svg) => svg.innerHTML).join()"


@dataclass(frozen=True)
class Way:
    """A figure whose sliders are dragged."""

    place: Place
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def explorable(self) -> Explorable:
        return self.place.explorable(**dict(self.parameters))

    def __str__(self) -> str:
        return "-".join([str(self.place), *(value for _, value in self.parameters)])


@dataclass(frozen=True)
class Moment:
    """A stop on the way: where the hand was, where the handle, and what was drawn."""

    share: float
    position: int
    drawn: list[dict[str, Any] | None]


@dataclass(frozen=True)
class Drag:
    """A slider taken past all the stops, what that asked of the server, and what came of it."""

    slider: Slider
    moments: list[Moment]
    frames: list[str | bytes]
    requests: list[str]
    picture_before: str
    picture_after: str
    query: dict[str, str]


WAYS = [*map(Way, [*KINDS, DEPTH]), Way(GRID, (("data", "digits"),))]


@pytest.fixture(scope="module", params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Way:
    return request.param


@pytest.fixture(scope="module")
def drags(way: Way, traveler: Tab) -> list[Drag]:
    tab = traveler.open(way.place.page, way.place.number)
    dragged = []
    for slider in drawn.sliders(way.explorable):
        if dragged:
            tab.back_to_start()
        dragged.append(drag(way, slider, tab))
    part(tab)
    return dragged


def drag(way: Way, slider: Slider, tab: Tab) -> Drag:
    for name, value in way.parameters:
        tab.figure.get_by_label(name).select_option(value)
        tab.address_says(**{name: value})
        tab.ready()
    frames, requests = len(tab.frames), len(tab.asked())
    before = tab.figure.evaluate(PICTURE)
    moments = []
    with tab.grip(slider):
        for share in SHARES:
            tab.page.mouse.move(*tab.place(slider, share), steps=4)
            # In this order: `drawn` lets the frame of the last move pass.
            seen = tab.drawn()
            moments.append(Moment(share, tab.position(slider), seen))
    tab.address_names(slug(slider.url_name or slider.name))
    return Drag(
        slider,
        moments,
        tab.frames[frames:],
        tab.asked()[requests:],
        before,
        tab.figure.evaluate(PICTURE),
        tab.query,
    )


def test_every_move_draws_what_python_computed_for_it(way: Way, drags: list[Drag]) -> None:
    for drag in drags:
        for moment in drag.moments:
            state = {**way.explorable.start_state(), drag.slider.name: moment.position}
            drawn.assert_draws(moment.drawn, way.explorable, state)


def test_the_handle_is_where_the_hand_is(drags: list[Drag]) -> None:
    for drag in drags:
        away = [abs(m.position - m.share * (drag.slider.size - 1)) for m in drag.moments]
        assert max(away) <= 1, drag.slider.name


def test_a_drag_changes_the_picture_of_a_chart(way: Way, drags: list[Drag]) -> None:
    for drag in drags:
        changed = drag.picture_before != drag.picture_after
        assert changed is way.place.has_chart, drag.slider.name


def test_a_drag_sends_and_receives_nothing_over_the_websocket(drags: list[Drag]) -> None:
    assert [drag.frames for drag in drags] == [[] for _ in drags]


def test_a_drag_requests_nothing(drags: list[Drag]) -> None:
    assert [drag.requests for drag in drags] == [[] for _ in drags]


def test_the_address_names_the_value_where_the_hand_let_go(way: Way, drags: list[Drag]) -> None:
    for drag in drags:
        name, query = slug(drag.slider.url_name or drag.slider.name), dict(drag.query)
        assert float(query.pop(name)) == drag.slider.values[drag.moments[-1].position]
        assert query == dict(way.parameters)
