"""The exported book, opened from a disk and from a plain file server."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import BrowserContext, expect

from lnviz.explorable import Slider
from tests.book.exporting import SLUGS, exported
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.figures import built
from tests.browser.tab import Tab


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
def web(folder: Path) -> Iterator[str]:
    """The address of the export on a server, with a slash at its end."""
    with file_server(folder) as address:
        yield address


@pytest.fixture(scope="module")
def traveler(desktop: BrowserContext, folder: Path) -> Iterator[Tab]:
    with conftest.tab(desktop, f"{folder.as_uri()}/") as tab:
        yield tab


@pytest.fixture
def tab(traveler: Tab) -> Iterator[Tab]:
    """At the files on a disk; one for all tests, on a screen and without anything kept."""
    yield traveler
    traveler.page.emulate_media(media="screen")
    traveler.page.evaluate("() => sessionStorage.clear()")
    conftest.part(traveler)


@pytest.fixture
def server_tab(web: str, desktop: BrowserContext) -> Iterator[Tab]:
    """At the same files on a server."""
    with conftest.tab(desktop, web) as tab:
        yield tab


@pytest.fixture(params=["tab", "server_tab"], ids=["from a disk", "from a server"])
def either(request: pytest.FixtureRequest) -> Tab:
    """At the files, wherever they are: what a browser asks for while a page is open."""
    found: Tab = request.getfixturevalue(request.param)
    return found


def slider(slug: str, figure: str, name: str) -> Slider:
    controls = built(slug, figure).controls
    return next(each for each in controls if isinstance(each, Slider) and each.name == name)


def test_a_slider_moves_a_figure_and_the_address(tab: Tab) -> None:
    tab.open("axes.html")
    size = slider("axes", "grid", "batch size")
    before = tab.drawn()
    tab.drag(size, 0.0)
    assert tab.drawn() != before
    tab.address_says(batch_size="1")


def test_an_address_is_the_state_of_a_figure(tab: Tab) -> None:
    tab.open("axes.html?norm=batch&data=digits&hide=batch-size")
    expect(tab.option("BatchNorm")).to_be_checked()
    expect(tab.figure.get_by_label("Data")).to_have_value("digits")
    expect(tab.slider("batch size")).to_have_count(0)


def test_a_parameter_brings_another_payload(either: Tab) -> None:
    either.open("axes.html")
    before = either.drawn()
    either.figure.get_by_label("Data").select_option("digits")
    either.address_says(data="digits")
    either.ready()
    assert either.drawn() != before


def test_a_number_with_few_values_can_be_changed(tab: Tab) -> None:
    tab.open("successors.html")
    field = tab.figure.get_by_label("Case", exact=True)
    field.fill("3")
    field.press("Enter")
    tab.address_says(case="3")


def test_a_value_that_is_not_there_is_said_to_be_missing(tab: Tab) -> None:
    tab.open("rmsnorm.html?weights=5")
    expect(tab.figure.get_by_role("alert")).to_contain_text("do not hold the value of “Seed”")
    tab.address_says()


def test_a_figure_that_has_lost_its_file_says_so(folder: Path, tab: Tab) -> None:
    # No other test asks for this one: the browser would have kept it.
    file = folder / "figures" / "successors" / "curves.case-4.js"
    content = file.read_bytes()
    file.unlink()
    tab.open("successors.html")
    field = tab.figure.get_by_label("Case", exact=True)
    field.fill("4")
    field.press("Enter")
    expect(tab.figure.get_by_role("alert")).to_contain_text("is missing or broken")
    file.write_bytes(content)
    tab.forgive("ERR_FILE_NOT_FOUND", "404")


def test_a_link_in_the_prose_leads_on(tab: Tab) -> None:
    tab.open("rmsnorm.html")
    tab.page.locator("main .prose a[href='cost.html']").click()
    expect(tab.page.locator("h1")).to_have_text("What a norm costs")


def test_a_search_leads_to_another_page(either: Tab) -> None:
    either.open("rmsnorm.html")
    either.page.get_by_label("Search the book").fill("arithmetic, step")
    found = either.page.get_by_role("search").get_by_role("link", name="Two axes").first
    found.click()
    expect(either.page.locator("h1")).to_have_text("Two axes")


def test_the_foot_leads_to_the_next_page_and_back(tab: Tab) -> None:
    tab.open("rmsnorm.html")
    tab.page.locator("a[rel=next]").click()
    expect(tab.page.locator("h1")).to_have_text("What a norm costs")
    tab.page.locator("a[rel=prev]").click()
    expect(tab.page.locator("h1")).to_have_text("Without the mean")


def test_a_link_to_a_figure_shows_it(tab: Tab) -> None:
    tab.open("successors.html#figure-timeline")
    expect(tab.page.locator("#figure-timeline")).to_be_in_viewport()


def test_exercises_are_those_of_the_app(tab: Tab) -> None:
    tab.open("axes.html")
    form = tab.page.locator("#ask-deviation")
    form.get_by_role("textbox").fill("3.5")
    form.get_by_role("button", name="Check").click()
    expect(form).to_contain_text("That is the variance.")
    form.get_by_role("button", name="Show the solution").click()
    expect(form.get_by_role("status")).to_have_text("The answer is 1.87.")


def test_a_lesson_is_presented_and_left_again(either: Tab) -> None:
    either.open("axes.html?norm=batch")
    either.page.get_by_role("link", name="Present this lesson").click()
    told = either.page.locator(".bar .told")
    expect(told).to_contain_text("1 of")
    either.page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("2 of")
    either.page.go_back()
    expect(told).to_contain_text("1 of")
    either.open("present/axes.html?norm=batch&hide=data#figure-grid")
    expect(either.option("BatchNorm")).to_be_checked()
    expect(either.figure.get_by_label("Data")).to_have_count(0)
    either.page.get_by_role("link", name="To the lesson").click()
    expect(either.page.locator("h1")).to_have_text("Two axes")


def test_a_fold_opens(tab: Tab) -> None:
    tab.open("rmsnorm.html")
    fold = tab.page.locator("details.fold").first
    fold.locator("summary").click()
    expect(fold.locator("p").first).to_be_visible()


def test_paper_shows_figures_and_no_contents(tab: Tab) -> None:
    tab.open("axes.html")
    tab.page.emulate_media(media="print")
    expect(tab.page.locator("header")).to_be_hidden()
    expect(tab.figure.locator(".grid").first).to_be_visible()


@pytest.mark.parametrize("name", SLUGS)
def test_a_page_is_accessible_and_fits_the_screen(
    traveler: Tab, phone: BrowserContext, name: str
) -> None:
    with conftest.tab(phone, traveler.base) as narrow:
        for tab, scheme in ((traveler, "light"), (traveler, "dark"), (narrow, "dark")):
            tab.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            if scheme == "light" or tab is narrow:
                tab.page.bring_to_front()
                tab.open(f"{name}.html")
            assert objections(tab.page, seen_before=scheme != "light") == ""
            assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    traveler.page.emulate_media(color_scheme="light")
    conftest.part(traveler)


def test_on_a_phone_the_contents_are_asked_for(phone: BrowserContext, web: str) -> None:
    with conftest.tab(phone, web) as tab:
        tab.open("axes.html")
        contents = tab.page.get_by_role("navigation", name="Contents")
        expect(contents).to_be_hidden()
        tab.page.get_by_text("Contents", exact=True).click()
        expect(contents).to_be_visible()
