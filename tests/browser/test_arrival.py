"""How a page arrives: nothing that is shown moves, and what never arrives is shown in the end."""

from playwright.sync_api import expect

from lnviz.lessons import LESSONS
from tests.browser.conftest import PHONE, Opener

WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    shifts.push([value, ...sources.map(({ node }) => node?.textContent.slice(0, 60))]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
AIM = 0.05
NEXT = next(lesson for lesson in LESSONS if lesson.slug == "gain-bias")


def test_nothing_moves_while_a_page_arrives(open_tab: Opener) -> None:
    tab = open_tab(None)
    tab.page.add_init_script(WATCH)
    tab.open("/axes")
    sidebar = tab.page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name=NEXT.title).click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(NEXT.title)
    tab.ready()
    shifts = tab.page.evaluate("shifts")
    assert sum(value for value, *_ in shifts) <= AIM, shifts


def test_a_page_whose_scripts_do_not_come_is_shown_all_the_same(open_tab: Opener) -> None:
    tab = open_tab(None)
    tab.page.route("**/page/app.js", lambda route: route.abort())
    # The time after which the page is shown stands still, however long the machine takes.
    clock = tab.page.context.new_cdp_session(tab.page)
    clock.send("Animation.enable")
    clock.send("Animation.setPlaybackRate", {"playbackRate": 0})
    tab.page.goto(tab.base + "/axes")
    heading = tab.page.locator("h1")
    expect(heading).to_have_count(1)
    expect(heading).to_be_hidden()
    late = "() => document.getAnimations().find((a) => a.animationName === 'ln-late').finish()"
    tab.page.evaluate(late)
    expect(heading).to_be_visible()
    clock.send("Animation.setPlaybackRate", {"playbackRate": 1})
    tab.page.goto("about:blank")  # after which nothing more is said of the page
    tab.complaints.clear()


def test_on_a_phone_the_contents_give_way_to_the_page_that_was_chosen(open_tab: Opener) -> None:
    tab = open_tab(None)
    tab.page.set_viewport_size(PHONE["viewport"])
    tab.open("/axes")
    tab.page.get_by_role("button", name="Open the contents").click()
    contents = tab.page.get_by_role("region", name="Contents")
    contents.get_by_role("link", name=NEXT.title).click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(NEXT.title)
    expect(contents).not_to_be_in_viewport()
