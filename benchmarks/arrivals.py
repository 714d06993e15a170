"""How long a page takes until its first picture stands: in a fresh browser, and after a click.

A picture stands in the first frame, after its paint, in which the page is shown and a figure of its
first screen has drawn a view; on a page without a figure, in which its title is shown. Beside it,
in the same run, a page of Streamlit's that says "hi".

- fresh: from the navigation of a browser that has been nowhere, for which nothing is kept.
- click: from the click on the page's link in the side bar, from a lesson that is open.

    python -m benchmarks.arrivals
    python -m benchmarks.arrivals --only placement --rounds 5
"""

from __future__ import annotations

import argparse
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.pages import CHROMIUM, EMPTY, page
from benchmarks.tables import table
from lnviz import book
from tests.browser.measures import SCREEN
from tests.service.server import Server, serve

FROM = {"axes": "batch"}
"""Where the click on a page's own link comes from; from /axes for all others."""

WATCH = """
window.stands = (title) => new Promise((done) => {
  const look = () => {
    const main = document.querySelector(".stMainBlockContainer");
    const heading = [...(main?.querySelectorAll("h1, p") ?? [])].find((each) =>
      each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && each.textContent.trim().startsWith(title));
    const figures = [...document.querySelectorAll(".stMain :is(.ln-place, section.ln)")].filter(
      (each) => each.getBoundingClientRect().top < innerHeight && each.checkVisibility());
    const isDrawn = !figures.length || figures.some((each) => each.querySelector(
      ".row :is(table, svg, canvas, img)")?.checkVisibility({ visibilityProperty: true }));
    if (heading && isDrawn && !document.documentElement.dataset.arriving)
      requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    else requestAnimationFrame(look);
  };
  look();
});
"""

CLICK = """([address, title]) => {
  const links = [...document.querySelectorAll("[data-testid=stPageLink-NavLink]")];
  const link = links.find((each) => each.getAttribute("href") === address);
  const from = performance.now();
  link.click();
  return stands(title).then((at) => at - from);
}"""


def fresh(browser: Browser, url: str, title: str) -> float:
    """Seconds from the navigation to the first picture."""
    context = browser.new_context(viewport=SCREEN)
    tab = context.new_page()
    tab.add_init_script(WATCH)
    tab.goto(url, wait_until="commit")
    taken: float = tab.evaluate("(title) => stands(title)", title)
    context.close()
    return taken / 1000


def clicked(tab: Page, server: Server, address: str, title: str) -> float:
    """Seconds from the click on a page's link to its first picture."""
    tab.goto(f"{server.url}/{FROM.get(address, 'axes')}")
    tab.evaluate("stands('')")
    taken: float = tab.evaluate(CLICK, [address, title])
    return taken / 1000


def main() -> None:
    """Open each page in both ways, in rounds, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=[p.slug for p in book.PAGES])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pages = [p for p in book.PAGES if not options.only or p.slug in options.only]
    rows: list[list[object]] = []
    with serve() as server, page(EMPTY) as entry, serve(entry) as bare, sync_playwright() as plays:
        browser = plays.chromium.launch(**CHROMIUM)
        hi = [fresh(browser, bare.url, "hi") for _ in range(options.rounds)]
        rows.append(["empty page", _spread(hi), ""])
        tab = browser.new_context(viewport=SCREEN).new_page()
        tab.add_init_script(WATCH)
        for shown in pages:
            title = _title(browser, f"{server.url}/{shown.address}")
            first = [
                fresh(browser, f"{server.url}/{shown.address}", title)
                for _ in range(options.rounds)
            ]
            then = [clicked(tab, server, shown.address, title) for _ in range(options.rounds)]
            rows.append([shown.slug, _spread(first), _spread(then)])
            print(rows[-1], flush=True)
        browser.close()
    print(table(["page", "fresh s (aim 1.5)", "after a click s (aim 1.0)"], rows))


def _title(browser: Browser, url: str) -> str:
    tab = browser.new_page(viewport=SCREEN)
    tab.goto(url)
    heading = tab.locator(".stMainBlockContainer h1").first
    heading.wait_for(timeout=60_000)
    text = (heading.text_content() or "").strip()
    tab.close()
    return text


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.2f} ({min(seconds):.2f}-{max(seconds):.2f})"


if __name__ == "__main__":
    main()
