"""The server dies under an open page, and comes back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, expect

from tests.browser import conftest
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import CASE_SCALE, GRID, LINE, Place
from tests.browser.serving import Server
from tests.browser.tab import Tab

STATE = "?norm=batch&batch-size=2&cell=2.4"
# What Chromium and Streamlit log while nobody answers.
SILENCE = (
    "Connection timed out",
    "ERR_CONNECTION_REFUSED",
    "_stcore/",
    "Is Streamlit still running?",
    "DoInitPings timed out",
)


PLACES = [GRID, LINE, CASE_SCALE]


@pytest.fixture(scope="module")
def orphans(desktop: BrowserContext) -> Iterator[dict[str, Tab]]:
    """Pages whose server has died."""
    with conftest.serving() as server, ExitStack() as stack:
        tabs = {
            address: stack.enter_context(tab(desktop, server)).open(address)
            for address in (*(place.page for place in PLACES), GRID.page + STATE)
        }
        kill(server, *tabs.values())
        yield tabs


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    """A server that tests may kill and start again."""
    with conftest.serving() as server:
        yield server


@pytest.fixture
def widow(mortal: Server, desktop: BrowserContext) -> Iterator[Tab]:
    """A tab on a server that will die."""
    if not mortal.answers():
        mortal.start()
    with tab(desktop, mortal) as opened:
        yield opened


@contextmanager
def tab(context: BrowserContext, server: Server) -> Iterator[Tab]:
    with conftest.tab(context, server.url) as opened:
        yield opened
        # Until it is closed, a page goes on asking for its dead server.
        opened.page.close()
        opened.forgive(*SILENCE)


def kill(server: Server, *tabs: Tab) -> None:
    """Kills a server and waits until Streamlit has given up on it for the first time."""

    def gives_up(message: ConsoleMessage) -> bool:
        return "_stcore/health" in message.text

    with ExitStack() as stack:
        for tab in tabs:
            stack.enter_context(tab.page.expect_console_message(gives_up))
        server.kill()


def come_back(server: Server, tab: Tab) -> None:
    """Starts a server and waits until the page has found it and its script has ended."""
    with tab.page.expect_websocket():
        server.start()
    with tab.page.expect_response(lambda response: response.ok) as answer:
        tab.page.evaluate("() => fetch('/_stcore/health')")
    assert answer.value.ok
    tab.ready()


def seen(orphans: dict[str, Tab], address: str) -> Tab:
    orphans[address].page.bring_to_front()
    return orphans[address]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_figure_still_follows_the_hand(orphans: dict[str, Tab], place: Place) -> None:
    tab = seen(orphans, place.page)
    explorable = place.explorable()
    slider = sliders(explorable)[0]
    for share in (0.35, 0.7):
        tab.drag(slider, share)
        position = tab.position(slider)
        assert abs(position - share * (slider.size - 1)) <= 1
        assert_draws(tab.drawn(), explorable, {**explorable.start(), slider.name: position})


def test_no_dialog_comes_between_the_hand_and_the_figure(orphans: dict[str, Tab]) -> None:
    tab = seen(orphans, GRID.page)
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.button("Reset").click()
    tab.choose("BatchNorm")
    tab.cell(9).click()
    assert_draws(tab.drawn(), GRID.explorable(), GRID.explorable().at(norm="batch", cell=9))


def test_a_parameter_gets_a_sentence_and_leaves_the_figure(orphans: dict[str, Tab]) -> None:
    tab = seen(orphans, GRID.page + STATE)
    before = tab.drawn()
    tab.figure.get_by_label("Data").select_option("digits")
    expect(tab.figure.get_by_role("alert")).to_contain_text("The server did not answer.")
    assert tab.drawn() == before
    expect(tab.figure.get_by_label("Data")).to_have_value("worked")
    tab.address_says(norm="batch", batch_size="2", cell="2.4")


def test_a_parameter_works_again_when_the_server_is_back(mortal: Server, widow: Tab) -> None:
    tab = widow.open(GRID.page)
    kill(mortal, tab)
    tab.figure.get_by_label("Data").select_option("digits")
    expect(tab.figure.get_by_role("alert")).to_be_visible()
    come_back(mortal, tab)
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    explorable = GRID.explorable(data="digits")
    assert_draws(tab.drawn(), explorable, explorable.start())
    expect(tab.figure.get_by_role("alert")).to_be_hidden()


def test_the_page_returns_to_its_state_when_the_server_does(mortal: Server, widow: Tab) -> None:
    tab = widow.open(GRID.page + STATE)
    kill(mortal, tab)
    tab.slider("batch size").press("ArrowRight")
    tab.address_says(norm="batch", batch_size="3", cell="2.4")
    before = tab.drawn()
    come_back(mortal, tab)
    question = tab.page.locator("[class*=st-key-question]").first
    question.get_by_role("radiogroup").locator("label").first.click()
    question.get_by_role("button", name="Check").click()
    expect(question.get_by_role("status")).to_contain_text(": ")
    assert tab.drawn() == before
    tab.address_says(norm="batch", batch_size="3", cell="2.4")


def test_a_link_followed_meanwhile_opens_when_the_server_is_back(
    mortal: Server, widow: Tab
) -> None:
    tab = widow.open(GRID.page)
    kill(mortal, tab)
    sidebar = tab.page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name=LINE.lesson.title, exact=True).click()
    expect(tab.page.locator(".ln-away")).to_have_text(
        f"The server does not answer. “{LINE.lesson.title}” opens when it is back."
    )
    mortal.start()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(LINE.lesson.title)
    assert_draws(tab.ready().drawn(), LINE.explorable(), LINE.explorable().start())
