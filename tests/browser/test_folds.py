"""What is deeper: closed until it is opened or something in it is named, and open on paper."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from lnviz.book.export import export
from lnviz.book.previews import thumbnail_path
from lnviz.lessons import FigureSpec
from lnviz.web.font import source_sans
from tests.browser import conftest
from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID, place
from tests.browser.tab import Tab

DEPTH = place("placement", "depth")
CORE = sorted(part.name for part in DEPTH.lesson.core if isinstance(part, FigureSpec))
LAST_LAYER = "How does the last layer’s gradient depend on depth?"
ANCHOR = "how-does-the-last-layers-gradient-depend-on-depth"
OPEN = "() => [...document.querySelectorAll('.ln-deeper')].map((fold) => fold.open)"
PLACE = f"""
() => ({{ top: document.querySelector("[data-testid=stMain]").scrollTop, open: ({OPEN})() }})
"""
DEEPER = """Lead.

:::: deeper 3
## How it goes on

It goes on.

::: figure grid
:::
::::
"""


def row(tab: Tab, title: str) -> Locator:
    return tab.page.locator(".ln-deeper > summary").filter(has_text=title)


def fetched(tab: Tab) -> list[str]:
    """The payloads that were asked for, by name: figures of a page do not wait for each other."""
    payloads = (
        re.search(r"/(?:explorables|figures)/\w+/([\w-]+)\.js", url) for url in tab.requests
    )
    return sorted(payload[1] for payload in payloads if payload)


def test_a_figure_is_fetched_when_its_fold_is_opened_and_paper_has_all_open(
    open_tab: Opener,
) -> None:
    tab = open_tab(f"{DEPTH.page}?direction=backward")
    assert fetched(tab) == CORE
    row(tab, LAST_LAYER).press("Enter")
    tab.number = len(CORE)
    assert_draws(tab.ready().drawn(), DEPTH.explorable(), DEPTH.explorable().start_state())
    assert fetched(tab) == sorted([*CORE, "depth"])
    assert tab.page.url == f"{tab.base}{DEPTH.page}?direction=backward#{ANCHOR}"

    before = tab.page.evaluate(OPEN)
    tab.page.evaluate(f"() => addEventListener('beforeprint', () => (window.paper = ({OPEN})()))")
    tab.page.pdf()
    assert tab.page.evaluate("() => window.paper") == [True] * len(before)
    titles = tab.page.locator(".ln-deeper h3").all_text_contents()
    assert tab.page.evaluate(OPEN) == before == [title == LAST_LAYER for title in titles]


def test_what_an_address_names_in_a_fold_opens_it(open_tab: Opener) -> None:
    tab = open_tab(f"{DEPTH.page}?layers=48", len(CORE))
    expect(tab.page.locator("#figure-depth")).to_be_in_viewport()
    explorable = DEPTH.explorable()
    assert_draws(tab.ready().drawn(), explorable, explorable.state_at(layers=48))

    before = fetched(tab)
    blocks = tab.page.locator("#figure-blocks")
    tab.page.locator("a.there[href='#figure-blocks']").click()
    expect(blocks).to_be_in_viewport()
    assert fetched(tab) == sorted([*before, "blocks"])
    tab.page.go_back()
    expect(blocks).to_be_hidden()
    tab.page.go_forward()
    expect(blocks).to_be_in_viewport()


def test_back_leads_to_where_a_reader_was_with_the_folds_as_they_were(open_tab: Opener) -> None:
    tab = open_tab(DEPTH.page)
    row(tab, LAST_LAYER).click()
    link = tab.ready().page.get_by_role("link", name="the stream’s figure")
    link.scroll_into_view_if_needed()
    tab.until(f"() => ({PLACE})().top && ({PLACE})().top === history.state?.place?.top")
    before = tab.page.evaluate(PLACE)
    link.click()
    expect(tab.page.locator("#figure-residual")).to_be_in_viewport()
    contents = tab.page.get_by_test_id("stSidebar")
    for leads_on in (None, contents.get_by_role("link", name=GRID.lesson.title)):
        if leads_on:
            leads_on.click()
            expect(tab.page.get_by_role("heading", level=1)).to_have_text(GRID.lesson.title)
            tab.ready()
        tab.page.go_back()
        tab.until(f"(before) => JSON.stringify(({PLACE})()) === JSON.stringify(before)", before)


@pytest.fixture
def exported(tmp_path: Path, desktop: BrowserContext) -> Iterator[Tab]:
    """Files of a page with something deeper."""
    (tmp_path / "axes").mkdir()
    (tmp_path / "axes" / "text.md").write_text(DEEPER, encoding="utf-8")
    copyfile(thumbnail_path(DEPTH.lesson, "depth"), tmp_path / "axes" / "grid.png")
    lesson = replace(GRID.lesson, parent_dir=tmp_path, text_values=dict)
    export(tmp_path / "site", [lesson], font=source_sans())
    with conftest.tab(desktop, f"{(tmp_path / 'site').as_uri()}/") as tab:
        yield tab


def test_a_fold_of_the_export_opens_as_one_of_the_app(exported: Tab) -> None:
    exported.open("axes.html")
    assert fetched(exported) == []
    picture = exported.page.locator(".ln-deeper img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    row(exported, "How it goes on").click()
    explorable = GRID.explorable()
    assert_draws(exported.ready().drawn(), explorable, explorable.start_state())
    exported.open("axes.html?norm=batch")
    expect(exported.figure).to_be_in_viewport()
    assert_draws(exported.ready().drawn(), explorable, explorable.state_at(norm="batch"))
