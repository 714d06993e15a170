"""The home page, and the ways from page to page."""

import pytest
from playwright.sync_api import BrowserContext, expect

from lnviz.book import HOME, PAGES
from lnviz.book.home import shift
from lnviz.lessons import LESSONS, Lesson
from tests.browser import conftest
from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import place
from tests.browser.serving import Shared
from tests.browser.tab import Tab

SHIFTED = place("home", "shift")
FIRST, SECOND, THIRD = LESSONS[:3]
LONG = next(page for page in reversed(PAGES) if "On this page:" in str(page.core[0]))


@pytest.fixture
def home(traveler: Tab) -> Tab:
    """In a browser that has shown nothing before."""
    traveler.page.goto(f"{traveler.base}/_stcore/health")  # which shows no page
    traveler.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    return traveler.open("/")


def arrived(tab: Tab, lesson: Lesson) -> Tab:
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(lesson.title)
    assert tab.page.url == f"{tab.base}/{lesson.url_path}"
    return tab.ready()


def follow(tab: Tab, name: str) -> None:
    tab.page.get_by_test_id("stMain").get_by_role("link", name=name, exact=True).first.click()


def test_the_numbers_follow_the_hand_and_an_address_opens_them(home: Tab) -> None:
    home.number = SHIFTED.number
    home.drag(shift.SHIFT, 0.2)
    explorable = SHIFTED.explorable()
    state = explorable.start_state() | {"shift": home.position(shift.SHIFT)}
    assert state != explorable.start_state()
    assert_draws(home.drawn(), explorable, state)
    home.address_names("shift")
    home.page.reload()
    assert_draws(home.ready().drawn(), explorable, state)


def test_the_way_on_leads_to_the_top_of_the_next_lesson_and_back(open_tab: Opener) -> None:
    tab = open_tab(f"/{FIRST.slug}")
    follow(tab, f"Next: {SECOND.title}")
    arrived(tab, SECOND)
    expect(tab.page.get_by_role("heading", level=1)).to_be_in_viewport()
    follow(tab, f"Previous: {FIRST.title}")
    arrived(tab, FIRST)
    expect(tab.page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_what_is_on_a_long_page_is_a_link_away(open_tab: Opener) -> None:
    tab = open_tab(f"/{LONG.slug}")
    for link in tab.page.locator(".stMain p", has_text="On this page:").get_by_role("link").all():
        link.click()
        heading = tab.page.get_by_role("heading", name=link.text_content() or "", exact=True)
        expect(heading).to_be_in_viewport()


def test_the_home_page_offers_the_lesson_that_was_open_last_and_loads_no_page_anew(
    home: Tab,
) -> None:
    home.page.evaluate("() => (window.same = true)")
    start = home.page.locator(".ln-ways .start")
    expect(start).to_contain_text(f"Start {FIRST.title}")
    follow(home, SECOND.title)
    arrived(home, SECOND)
    home.page.go_back()
    arrived(home, HOME)
    expect(start).to_contain_text(f"Continue {SECOND.title}")
    start.get_by_role("link").click()
    arrived(home, SECOND)
    assert home.page.evaluate("() => window.same")


def test_a_browser_that_keeps_nothing_shows_all_the_same(
    server: Shared, desktop: BrowserContext
) -> None:
    refuse = "() => { throw new DOMException('no', 'SecurityError') }"
    with conftest.tab(desktop, server.url) as tab:
        tab.page.add_init_script(
            f"Object.defineProperty(window, 'localStorage', {{ get: {refuse} }})"
        )
        tab.open(f"/{FIRST.slug}")
        follow(tab, f"Previous: {HOME.title}")
        arrived(tab, HOME)


def test_an_address_that_is_no_page_leads_to_one_that_is(open_tab: Opener) -> None:
    tab = open_tab(None)
    answer = tab.page.goto(f"{tab.base}/axis")
    assert answer is not None
    assert answer.status == 404
    tab.forgive("status of 404")
    tab.page.get_by_role("link", name="Which numbers share a mean?", exact=True).click()
    arrived(tab, next(page for page in PAGES if page.slug == "axes"))


def test_the_small_map_opens_the_whole_one_which_leads_to_a_lesson(open_tab: Opener) -> None:
    tab = open_tab("/placement")
    tab.page.get_by_role("button", name="Map of the network. Here: running sum").click()
    whole = tab.page.get_by_role("navigation", name="A network and its norms")
    expect(whole.get_by_role("link", name="running sum")).to_have_attribute("aria-current", "page")
    whole.get_by_role("link", name="which mean?").click()
    arrived(tab, SECOND)


def test_a_lesson_that_is_read_to_its_end_has_a_mark_until_it_is_forgotten(home: Tab) -> None:
    follow(home, SECOND.title)
    arrived(home, SECOND)
    home.page.locator(".ln-end").scroll_into_view_if_needed()
    home.until(
        "() => (localStorage.getItem('lnviz progress') ?? '').includes('\"read\":[\"axes\"]')"
    )
    home.page.go_back()
    arrived(home, HOME)
    expect(home.page.locator(".ln-progress")).to_contain_text(
        f"1 of {len(LESSONS)} lessons finished"
    )
    expect(home.page.locator(".ln-ways .start")).to_contain_text(f"Continue {THIRD.title}")
    contents = home.page.get_by_test_id("stSidebar")
    expect(contents.get_by_role("link", name=f"{SECOND.title} (finished)")).to_be_visible()
    home.page.get_by_role("button", name="Clear my progress").click()
    expect(home.page.locator(".ln-progress")).to_contain_text("0 of")
    expect(home.page.locator(".ln-ways .start")).to_contain_text(f"Start {FIRST.title}")
    assert home.page.evaluate("() => Object.values(localStorage).join().includes('axes')") is False
