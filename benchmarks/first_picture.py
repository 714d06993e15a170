"""How long a page takes until its first picture stands: in a fresh browser, and after a click.

A picture stands once the first frame has been painted in which the page is shown and a figure of
its first screen has drawn a view; on a page without a figure, in which its title is shown. Beside
it, in the same run, a page of Streamlit's that says "hi".

- fresh: from the navigation of a browser that has been nowhere, for which nothing is kept.
- click: from the click on the page's link in the side bar, from a lesson that is open.

    python -m benchmarks.first_picture
    python -m benchmarks.first_picture --only placement --rounds 5
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from statistics import median

from playwright.async_api import Browser, async_playwright

from benchmarks.devtools_tab import Tab
from benchmarks.harness import CHROMIUM, EMPTY, page, table
from lnviz import book
from lnviz.lessons import Lesson
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
    const isSeen = (each) => each.checkVisibility({ visibilityProperty: true });
    const isDrawn = !figures.length || figures.some((each) =>
      [...each.querySelectorAll(".row :is(table, svg, canvas, img)")].some(isSeen));
    if (!heading || !isDrawn || document.documentElement.dataset.arriving)
      return requestAnimationFrame(look);
    // A message comes once the frame has been painted.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
  };
  requestAnimationFrame(look);
});
"""

CLICK = """([address, title]) => {
  const links = [...document.querySelectorAll("[data-testid=stPageLink-NavLink]")];
  const link = links.find((each) => each.getAttribute("href") === address);
  const from = performance.now();
  link.click();
  return stands(title).then((at) => at - from);
}"""


async def fresh(browser: Browser, url: str, title: str) -> float:
    """Seconds from the navigation to the first picture."""
    tab = await _tab(browser)
    await tab.send("Page.navigate", url=url)
    taken: float = await tab.run(f"stands({json.dumps(title)})")
    await tab.close()
    return taken / 1000


async def clicked(tab: Tab, server: Server, address: str, title: str) -> float:
    """Seconds from the click on a page's link to its first picture."""
    await tab.send("Page.navigate", url=f"{server.url}/{FROM.get(address, 'axes')}")
    await tab.run("stands('')")
    taken: float = await tab.run(f"({CLICK})({json.dumps([address, title])})")
    return taken / 1000


async def measure(server: Server, bare: Server, pages: Sequence[Lesson], rounds: int) -> None:
    """Open each page in both ways, in rounds, and print a table."""
    rows: list[list[object]] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**CHROMIUM)
        hi = [await fresh(browser, bare.url, "hi") for _ in range(rounds)]
        rows.append(["empty page", _spread(hi), ""])
        tab = await _tab(browser)
        for shown in pages:
            url = f"{server.url}/{shown.url_path}"
            title = await _title(browser, url)
            first = [await fresh(browser, url, title) for _ in range(rounds)]
            then = [await clicked(tab, server, shown.url_path, title) for _ in range(rounds)]
            rows.append([shown.slug, _spread(first), _spread(then)])
            print(rows[-1], flush=True)
        await browser.close()
    print(table(["page", "fresh s (aim 1.5)", "after a click s (aim 1.0)"], rows))


def main() -> None:
    """Start the servers, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=[p.slug for p in book.PAGES])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pages = [p for p in book.PAGES if not options.only or p.slug in options.only]
    with serve() as server, page(EMPTY) as entry, serve(entry) as bare:
        asyncio.run(measure(server, bare, pages, options.rounds))


async def _tab(browser: Browser) -> Tab:
    tab = await Tab.open(browser, SCREEN["width"], SCREEN["height"])
    await tab.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    return tab


async def _title(browser: Browser, url: str) -> str:
    """The page's title; a server that has not shown the page yet prepares it meanwhile."""
    tab = await browser.new_page(viewport=SCREEN)
    await tab.goto(url)
    heading = tab.locator(".stMainBlockContainer h1").first
    await heading.wait_for(timeout=60_000)
    text = (await heading.text_content() or "").strip()
    await tab.close()
    return text


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.2f} ({min(seconds):.2f}-{max(seconds):.2f})"


if __name__ == "__main__":
    main()
