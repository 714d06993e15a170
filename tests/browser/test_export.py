"""The exported book, opened from a disk and from a plain file server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, ViewportSize, expect

from tests.book.exporting import SLUGS, exported
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.drawn import assert_draws
from tests.browser.figures import built
from tests.browser.looks import colored
from tests.browser.ruler import wider
from tests.browser.tab import Tab
from tests.lessons.running import control

# How far the page is scrolled, and which of its folds are open.
PLACE = """
() => ({
  top: document.documentElement.scrollTop,
  open: [...document.querySelectorAll(".ln-deeper")].map((fold) => fold.open),
})
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def file_server(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    exported(folder)
    return folder


@pytest.fixture(scope="module")
def traveler(desktop: BrowserContext, folder: Path) -> Iterator[Tab]:
    """At the files on a disk, from page to page."""
    with conftest.tab(desktop, f"{folder.as_uri()}/") as tab:
        yield tab


@pytest.fixture(scope="module")
def axes(desktop: BrowserContext, folder: Path) -> Iterator[Tab]:
    """A lesson that is left open."""
    with conftest.tab(desktop, f"{folder.as_uri()}/") as tab:
        yield tab.open("axes.html")


@pytest.fixture
def tab(axes: Tab) -> Tab:
    """The lesson with its figure back at the start."""
    axes.page.bring_to_front()
    axes.back_to_start()
    return axes


def test_a_slider_moves_a_figure_and_the_address(tab: Tab) -> None:
    size = control(built("axes", "grid"), "batch size")
    before = tab.drawn()
    tab.drag(size, 0.0)
    assert tab.drawn() != before
    tab.address_says(batch_size="1")


def test_a_parameter_brings_another_payload(tab: Tab) -> None:
    bring_digits(tab)


def test_exercises_are_those_of_the_app(tab: Tab) -> None:
    form = tab.page.locator("#ask-deviation")
    form.get_by_role("textbox").fill("3.5")
    form.get_by_role("button", name="Check").click()
    expect(form).to_contain_text("That is the variance.")
    form.get_by_role("button", name="Show the solution").click()
    expect(form.get_by_role("status")).to_have_text("The answer is 1.87.")
    tab.page.reload()
    expect(form.get_by_role("textbox")).to_have_value("3.5")
    expect(form).to_contain_text("That is the variance.")


def test_a_figure_in_a_frame_needs_no_server(
    desktop: BrowserContext, folder: Path, tmp_path: Path
) -> None:
    own = folder / "explorables" / "axes" / "grid.html"
    figure = built("axes", "grid")
    page = tmp_path / "course.html"
    source = f"{own.as_uri()}?norm=batch&theme=dark"
    page.write_text(f'<!doctype html><title>A course</title><iframe src="{source}"></iframe>')
    with conftest.tab(desktop, f"{folder.as_uri()}/") as tab:
        tab.page.goto(page.as_uri())
        frame = tab.page.frame_locator("iframe")
        expect(frame.get_by_role("heading", level=1)).to_have_text(figure.title)
        expect(frame.get_by_role("radio", name="BatchNorm")).to_be_checked()
        tab.open("explorables/axes/grid.html?norm=batch")
        assert_draws(tab.drawn(), figure, figure.state_at(norm="batch"))
        tab.drag(control(figure, "batch size"), 0.0)
        tab.address_says(norm="batch", batch_size="1")


def test_a_lesson_leads_to_its_figures_own_page(tab: Tab) -> None:
    tab.choose("BatchNorm")
    there = re.compile(r"/explorables/axes/grid\.html\?norm=batch$")
    expect(tab.entry("Open on its own page")).to_have_attribute("href", there)


def test_paper_shows_figures_and_no_contents(tab: Tab) -> None:
    tab.page.emulate_media(media="print")
    expect(tab.page.locator("header")).to_be_hidden()
    expect(tab.figure.locator(".grid").first).to_be_visible()
    tab.page.emulate_media(media="screen")


def test_a_page_has_no_fault(tab: Tab) -> None:
    assert objections(tab.page) == ""
    assert wider(tab) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE["viewport"]], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", SLUGS)
def test_every_page_has_no_fault_in_any_look(
    traveler: Tab, name: str, size: ViewportSize, scheme: Literal["light", "dark"]
) -> None:
    traveler.page.set_viewport_size(size)
    colored(traveler.open(f"{name}.html"), scheme)
    assert objections(traveler.page) == ""
    assert wider(traveler) == []


def test_on_a_server_a_parameter_brings_another_payload(
    folder: Path, desktop: BrowserContext
) -> None:
    with file_server(folder) as web, conftest.tab(desktop, web) as tab:
        bring_digits(tab.open("axes.html"))


def bring_digits(tab: Tab) -> None:
    before = tab.drawn()
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    assert tab.ready().drawn() != before


def test_on_a_phone_by_night_a_page_has_no_fault_and_opens_its_contents(traveler: Tab) -> None:
    traveler.page.set_viewport_size(PHONE["viewport"])
    colored(traveler.open("axes.html"), "dark")
    assert objections(traveler.page) == ""
    assert wider(traveler) == []
    contents = traveler.page.get_by_role("navigation", name="Contents")
    expect(contents).to_be_hidden()
    traveler.page.get_by_text("Contents", exact=True).click()
    expect(contents).to_be_visible()
    colored(traveler, "light")
    traveler.page.set_viewport_size(DESKTOP)


def test_an_address_is_the_state_of_a_figure(traveler: Tab) -> None:
    traveler.open("axes.html?norm=batch&data=digits&hide=batch-size")
    expect(traveler.option("BatchNorm")).to_be_checked()
    expect(traveler.figure.get_by_label("Data")).to_have_value("digits")
    expect(traveler.slider("batch size")).to_have_count(0)


def test_a_lesson_is_presented_and_left_again(traveler: Tab) -> None:
    traveler.open("axes.html")
    traveler.page.get_by_role("link", name="Present this lesson").click()
    told = traveler.page.locator(".navigation .told")
    expect(told).to_contain_text("1 of")
    traveler.page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("2 of")
    traveler.page.go_back()
    expect(told).to_contain_text("1 of")
    traveler.open("present/axes.html?norm=batch&hide=data#figure-grid")
    expect(traveler.option("BatchNorm")).to_be_checked()
    expect(traveler.figure.get_by_label("Data")).to_have_count(0)
    traveler.page.keyboard.press("o")
    traveler.page.get_by_role("link", name="To the lesson").click()
    traveler.page.wait_for_url("**/axes.html?norm=batch&hide=data#figure-grid")
    expect(traveler.page.locator("h1")).to_have_text("Which numbers share a mean?")


def test_a_value_that_is_not_there_is_said_to_be_missing(traveler: Tab) -> None:
    traveler.open("rmsnorm.html?weights=5")
    expect(traveler.figure.get_by_role("alert")).to_contain_text("do not include the value")
    traveler.address_says()


def test_links_in_the_prose_and_at_the_foot_lead_on_and_back(traveler: Tab) -> None:
    traveler.page.set_viewport_size(DESKTOP)
    traveler.open("rmsnorm.html").page.evaluate("() => localStorage.clear()")
    traveler.open("rmsnorm.html")
    heading = traveler.page.locator("h1")
    traveler.page.locator(".ln-deeper > summary").first.click()
    link = traveler.page.locator("main .prose a[href='cost.html']")
    link.scroll_into_view_if_needed()
    traveler.until(f"() => ({PLACE})().top && ({PLACE})().top === history.state?.place?.top")
    before = traveler.page.evaluate(PLACE)
    link.click()
    expect(heading).to_have_text("What does a norm cost?")
    traveler.page.go_back()
    traveler.until(f"(before) => JSON.stringify(({PLACE})()) === JSON.stringify(before)", before)
    begun = traveler.page.evaluate("() => JSON.parse(localStorage.getItem('lnviz progress')).begun")
    assert begun[-2:] == ["rmsnorm", "cost"]
    traveler.page.locator("main .prose a[href='cost.html']").click()
    traveler.page.locator("a[rel=prev]").click()
    expect(heading).to_have_text("Is the mean needed?")
    traveler.page.locator("a[rel=next]:visible").click()
    expect(heading).to_have_text("What does a norm cost?")
    traveler.page.get_by_label("Search the book").fill("arithmetic, step")
    traveler.page.get_by_role("search").get_by_role(
        "link", name="Which numbers share a mean?"
    ).first.click()
    expect(heading).to_have_text("Which numbers share a mean?")


def test_what_is_typed_before_the_script_runs_is_searched_for(
    folder: Path, desktop: BrowserContext
) -> None:
    with conftest.tab(desktop, f"{folder.as_uri()}/") as tab:
        tab.page.add_init_script(
            """
            new MutationObserver((_, observer) => {
              const field = document.querySelector(".ln-search input");
              if (!field) return;
              field.focus();
              field.value = "arithmetic";
              observer.disconnect();
            }).observe(document, { childList: true, subtree: true });
            """
        )
        tab.open("cost.html")
        expect(tab.page.get_by_role("search").get_by_role("listitem")).not_to_have_count(0)


def test_a_link_to_a_figure_shows_it(traveler: Tab) -> None:
    traveler.open("successors.html#figure-timeline")
    expect(traveler.page.locator("#figure-timeline")).to_be_in_viewport()


def test_a_number_with_few_values_can_be_changed_while_its_file_is_there(
    folder: Path, traveler: Tab
) -> None:
    traveler.open("successors.html")
    field = traveler.figure.get_by_label("Example", exact=True)
    field.fill("3")
    field.press("Enter")
    traveler.address_says(case="3")
    (folder / "figures" / "successors" / "curves.case-4.js").unlink()
    field.fill("4")
    field.press("Enter")
    expect(traveler.figure.get_by_role("alert")).to_contain_text("is missing or damaged")
    traveler.forgive("ERR_FILE_NOT_FOUND", "404")
