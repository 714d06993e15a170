"""A figure on its way: how far it is, when it is withdrawn, and what becomes of a broken answer."""

import json
from typing import Any

import plotly.graph_objects as go
import pytest
import torch
from playwright.sync_api import Request, Route, expect

from lnviz.explorable import Chart, Explorable, Readout, Slider, SweptTensor
from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import FACTOR, GRID, LINE
from tests.browser.tab import Tab

PAYLOAD = "**/line.json*"
PROGRESS = "**/line.progress*"


@pytest.fixture
def blank(open_tab: Opener) -> Tab:
    """A tab whose requests are answered by the test."""
    return open_tab(None)


def go_to(tab: Tab, address: str) -> None:
    """Opens an address whose figure may never come."""
    tab.page.goto(tab.base + address)


def hold(tab: Tab) -> list[Route]:
    """The requests for the payload, which are answered when the test wants."""
    held: list[Route] = []
    tab.page.route(PAYLOAD, lambda route: held.append(route))
    return held


def answer(tab: Tab, document: dict[str, Any]) -> None:
    """Has the next request for the payload answered with a document."""
    body = json.dumps(document)
    tab.page.route(PAYLOAD, lambda route: route.fulfill(body=body), times=1)


def test_the_reader_hears_how_far_a_slow_figure_is(blank: Tab) -> None:
    held = hold(blank)
    unknown, known = {"status": 204}, {"json": {"ahead": 0, "done": 0.404}}
    blank.page.route(PROGRESS, lambda route: route.fulfill(**unknown))
    with blank.page.expect_response(PROGRESS):
        go_to(blank, LINE.standalone)
    expect(blank.figure.get_by_text("Loading the figure.")).to_be_visible()
    blank.page.route(PROGRESS, lambda route: route.fulfill(**known))
    computed = blank.figure.get_by_text("The figure is being computed: 40 percent.", exact=True)
    expect(computed).to_be_visible()
    held[0].continue_()
    blank.ready()
    expect(computed).to_have_count(0)
    assert_draws(blank.drawn(), LINE.explorable(), LINE.explorable().start_state())


def test_a_busy_server_is_asked_again_when_it_wants_to_be(blank: Tab) -> None:
    busy = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"detail": "All are busy."}}
    blank.page.route(PAYLOAD, lambda route: route.fulfill(**busy), times=1)
    go_to(blank, LINE.standalone)
    expect(blank.figure.get_by_text("All are busy.")).to_be_visible()
    blank.ready()
    blank.forgive("status of 503")
    expect(blank.figure.get_by_text("All are busy.")).to_have_count(0)


def test_another_change_withdraws_the_request_before(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone)
    tab.page.route("**/grid.json?data=digits", lambda route: None, times=1)
    with tab.page.expect_request("**/grid.json?data=digits"):
        tab.figure.get_by_label("Data").select_option("digits")
    with tab.page.expect_event("requestfailed", is_digits):
        tab.figure.get_by_label("Data").select_option("worked")
    tab.ready()
    assert_draws(tab.drawn(), GRID.explorable(), GRID.explorable().start_state())


def is_digits(request: Request) -> bool:
    return request.url.endswith("grid.json?data=digits")


def test_leaving_a_lesson_withdraws_what_is_on_its_way(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.page.route("**/grid.json?data=digits", lambda route: None, times=1)
    with tab.page.expect_request("**/grid.json?data=digits"):
        tab.figure.get_by_label("Data").select_option("digits")
    with tab.page.expect_event("requestfailed", is_digits):
        tab.page.get_by_test_id("stSidebar").get_by_role(
            "link", name="What are gain and bias for?"
        ).click()


def broken_tensor(document: dict[str, Any]) -> None:
    next(iter(document["tensors"].values()))["data"] = "bm90IHppcHBlZA=="


def unknown_tensor(document: dict[str, Any]) -> None:
    document["views"].append([Readout("{gone:2}").payload()])


def test_a_payload_that_cannot_be_shown_says_so_and_can_be_tried_again(blank: Tab) -> None:
    alert = blank.figure.get_by_role("alert")
    for damage in (broken_tensor, unknown_tensor):  # later routes are asked first
        document = {**LINE.explorable().payload(), "parameters": []}
        damage(document)
        answer(blank, document)
    go_to(blank, LINE.standalone)
    expect(alert).to_contain_text("The figure arrived but can’t be shown")
    blank.button("Try again").click()
    expect(alert).to_contain_text("The figure arrived but can’t be read")
    blank.complaints.clear()  # the console names the errors
    blank.button("Try again").click()
    blank.ready()
    expect(alert).to_be_hidden()
    assert_draws(blank.drawn(), LINE.explorable(), LINE.explorable().start_state())


def test_a_broken_answer_to_a_parameter_leaves_the_figure(open_tab: Opener) -> None:
    tab = open_tab(GRID.standalone)
    before = tab.drawn()
    document = {**GRID.explorable().payload(), "parameters": []}
    broken_tensor(document)
    tab.page.route("**/grid.json?*", lambda route: route.fulfill(body=json.dumps(document)))
    tab.figure.get_by_label("Data").select_option("digits")
    expect(tab.figure.get_by_role("alert")).to_contain_text("can’t be read")
    tab.complaints.clear()
    assert tab.drawn() == before
    expect(tab.figure.get_by_label("Data")).to_have_value("worked")


def test_a_chart_without_axes_is_drawn_by_plotly(blank: Tab) -> None:
    share = Slider("share", (0.25, 0.5), 0.25)
    halves = torch.tensor([[1.0, 3.0], [1.0, 1.0]])
    pie = Chart("t", go.Figure(go.Pie(labels=["a", "b"])), {0: {"values": "halves"}}, "shares")
    tensors = {"halves": SweptTensor(("share",), halves, 1)}
    document = {**Explorable("A pie", (share,), tensors, ((pie,),)).payload(), "parameters": []}
    answer(blank, document)
    blank.open(LINE.standalone)
    slices = blank.figure.locator(".slice text")
    expect(slices).to_have_text(["75%", "25%"])
    blank.slider("share").press("End")
    expect(slices).to_have_text(["50%", "50%"])


def test_a_chart_whose_library_does_not_come_tries_again(blank: Tab) -> None:
    blank.page.route("**/plotly.min.js", lambda route: route.abort(), times=1)
    go_to(blank, FACTOR.standalone)
    expect(blank.figure.get_by_text("The chart could not be drawn.")).to_be_visible()
    blank.ready()
    blank.complaints.clear()
    assert_draws(blank.drawn(), FACTOR.explorable(), FACTOR.explorable().start_state())


def test_a_page_of_its_own_is_called_what_its_figure_is_called(open_tab: Opener) -> None:
    tab = open_tab(LINE.standalone)
    title = LINE.explorable().title
    expect(tab.page).to_have_title(f"{title} - lnviz")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(title)
