"""The server dies under an open page, and comes back."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, expect

from tests.browser import conftest
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import EXAMPLES, GRID, LINE, Place
from tests.browser.serving import serving
from tests.browser.tab import Tab
from tests.service.server import Server

STATE = "?norm=batch&batch-size=2&cell=2.4"
# What Chromium and Streamlit log while nobody answers.
SILENCE = (
    "Connection timed out",
    "net::ERR_",
    "_stcore/",
    "Is Streamlit still running?",
    "DoInitPings timed out",
)


PLACES = [GRID, EXAMPLES]


class Widowed:
    """Tabs by the address they were opened at. Their server has died, and may come back."""

    def __init__(self, server: Server, tabs: dict[str, Tab]) -> None:
        self.server, self.tabs = server, tabs
        with ExitStack() as stack:
            for tab in tabs.values():  # until Streamlit has given up on it for the first time
                stack.enter_context(tab.page.expect_console_message(gives_up))
            server.kill()

    def at(self, address: str) -> Tab:
        self.tabs[address].page.bring_to_front()
        return self.tabs[address]


def gives_up(message: ConsoleMessage) -> bool:
    return "_stcore/health" in message.text


@contextmanager
def tab(context: BrowserContext, server: Server) -> Iterator[Tab]:
    with conftest.tab(context, server.url) as opened:
        yield opened
        # Until it is closed, a page goes on asking for its dead server.
        opened.page.close()
        opened.forgive(*SILENCE)


@pytest.fixture(scope="module")
def orphans(desktop: BrowserContext) -> Iterator[Widowed]:
    """Pages whose server has died."""
    addresses = (GRID.page, GRID.page + STATE, LINE.page)
    with serving() as server, ExitStack() as stack:
        tabs = {at: stack.enter_context(tab(desktop, server)).open(at) for at in addresses}
        yield Widowed(server, tabs)


@pytest.fixture(scope="module")
def returned(orphans: Widowed) -> Widowed:
    """The same, used while their server was dead. It is back, and they have found it."""
    refused = orphans.at(GRID.page)
    refused.button("Reset").click()
    refused.figure.get_by_label("Data").select_option("digits")
    expect(refused.figure.get_by_role("alert")).to_be_visible()

    moved = orphans.at(GRID.page + STATE)
    moved.slider("batch size").press("ArrowRight")
    moved.address_says(norm="batch", batch_size="3", cell="2.4")

    away = orphans.at(LINE.page)
    sidebar = away.page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name=GRID.lesson.title).click()
    expect(away.page.locator(".ln-away")).to_have_text(
        f"The server is not responding. “{GRID.lesson.title}” opens when it is back."
    )

    with ExitStack() as stack:
        for each in (refused, moved):
            stack.enter_context(each.page.expect_websocket())
        orphans.server.launch()
        orphans.server.wait()
    return orphans


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_figure_still_follows_the_hand(orphans: Widowed, place: Place) -> None:
    tab = orphans.at(place.page)
    explorable = place.explorable()
    slider = sliders(explorable)[0]
    for share in (0.35, 0.7):
        tab.drag(slider, share)
        position = tab.position(slider)
        assert abs(position - share * (slider.size - 1)) <= 1
        assert_draws(tab.drawn(), explorable, {**explorable.start_state(), slider.name: position})


def test_no_dialog_comes_between_the_hand_and_the_figure(orphans: Widowed) -> None:
    tab = orphans.at(GRID.page)
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.button("Reset").click()
    tab.choose("BatchNorm")
    tab.cell(9).click()
    assert_draws(tab.drawn(), GRID.explorable(), GRID.explorable().state_at(norm="batch", cell=9))


def test_a_parameter_gets_a_sentence_and_leaves_the_figure(orphans: Widowed) -> None:
    tab = orphans.at(GRID.page + STATE)
    before = tab.drawn()
    tab.figure.get_by_label("Data").select_option("digits")
    expect(tab.figure.get_by_role("alert")).to_contain_text("The server did not respond.")
    assert tab.drawn() == before
    expect(tab.figure.get_by_label("Data")).to_have_value("worked")
    tab.address_says(norm="batch", batch_size="2", cell="2.4")


def test_a_parameter_works_again_when_the_server_is_back(returned: Widowed) -> None:
    tab = returned.at(GRID.page).ready()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    explorable = GRID.explorable(data="digits")
    assert_draws(tab.drawn(), explorable, explorable.start_state())
    expect(tab.figure.get_by_role("alert")).to_be_hidden()


def test_the_page_returns_to_its_state_when_the_server_does(returned: Widowed) -> None:
    tab = returned.at(GRID.page + STATE).ready()
    question = tab.page.locator(".ln-ask").first
    option = question.locator(".options button").first
    option.click()
    expect(option).to_have_attribute("data-mark", re.compile("right|wrong"))
    explorable = GRID.explorable()
    state = explorable.state_at(norm="batch", batch_size=3, cell=9)
    assert_draws(tab.drawn(), explorable, state)
    tab.address_says(norm="batch", batch_size="3", cell="2.4")


def test_a_link_followed_meanwhile_opens_when_the_server_is_back(returned: Widowed) -> None:
    tab = returned.at(LINE.page)
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(GRID.lesson.title)
    assert_draws(tab.ready().drawn(), GRID.explorable(), GRID.explorable().start_state())
