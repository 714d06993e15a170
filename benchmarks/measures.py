"""How a lesson arrives: what a reader sees before the first click, at 1366 x 768.

- first: pixels from the top of the page to its first figure.
- before: words above that figure.
- words: all that are visible in the page's own text, figures, captions and questions included, and
  not what is folded away or stands below "Go deeper" and "Exercises".
- figures: those that are open there.
- caption: the words of the longest sentence or note of one of them.
- span: pixels from a figure's first control to the end of its last view, the largest of them.
- shift: how much of the page has moved while it loaded, as browsers count it (layout shift).

    python -m benchmarks.measures
    python -m benchmarks.measures --only placement
"""

from __future__ import annotations

import argparse
from typing import Any

from playwright.sync_api import ViewportSize, sync_playwright

from benchmarks.pages import CHROMIUM
from benchmarks.tables import table
from lnviz.lessons import LESSONS
from tests.service.server import serve

SCREEN = ViewportSize(width=1366, height=768)
AIMS = {
    "first": "240",
    "before": "60",
    "words": "600",
    "figures": "3",
    "caption": "45",
    "span": "560",
    "shift": "0.05",
}

WATCH = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
MEASURE = """
() => {
  const main = document.querySelector(".stMainBlockContainer");
  const visible = (node) => node.checkVisibility({ visibilityProperty: true });
  const words = (text) => (text.match(/[\\p{L}\\p{N}][^\\s]*/gu) ?? []).length;
  const heads = [...main.querySelectorAll("h2")];
  const end = heads.find((head) => /^(Go deeper|Exercises)/.test(head.textContent.trim()));
  const before = (node) =>
    !end || Boolean(node.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING);
  const spoken = (node) => node.closest(".spoken, .heard, svg, script, style, pre, table, .menu");
  const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const figures = [...main.querySelectorAll("section.ln")].filter((f) => visible(f) && before(f));
  const top = figures[0]?.getBoundingClientRect().top ?? Infinity;
  let [all, above] = [0, 0];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!visible(parent) || spoken(parent) || !before(parent)) continue;
    all += words(node.data);
    if (parent.getBoundingClientRect().bottom <= top) above += words(node.data);
  }
  const captions = figures.flatMap((f) => [...f.querySelectorAll(".row > p")].filter(visible));
  const spans = figures.map((figure) => {
    const views = [...figure.querySelectorAll(".row:not(.words)")].filter(visible);
    const bar = figure.querySelector(".toolbar") ?? figure;
    const bottom = Math.max(0, ...views.map((view) => view.getBoundingClientRect().bottom));
    return bottom - bar.getBoundingClientRect().top;
  });
  return {
    first: Math.round(top + document.querySelector(".stMain").scrollTop),
    before: above,
    words: all,
    figures: figures.length,
    caption: Math.max(0, ...captions.map((caption) => words(caption.textContent))),
    span: Math.round(Math.max(0, ...spans)),
    shift: shifted.toFixed(2),
  };
}
"""


def main() -> None:
    """Open each lesson once in a browser that has seen none, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=[lesson.slug for lesson in LESSONS])
    only = parser.parse_args().only
    measured: dict[str, dict[str, Any]] = {}
    with serve() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**CHROMIUM)
        for lesson in LESSONS:
            if only and lesson.slug not in only:
                continue
            context = browser.new_context(viewport=SCREEN)
            page = context.new_page()
            page.add_init_script(WATCH)
            page.goto(f"{server.url}/{lesson.slug}")
            page.locator("section.ln .row").first.wait_for(timeout=60_000)
            page.wait_for_load_state("networkidle")
            measured[lesson.slug] = page.evaluate(MEASURE)
            context.close()
        browser.close()
    rows = [[slug, *measures.values()] for slug, measures in measured.items()]
    print(table(["lesson", *AIMS], [["aim, at most", *AIMS.values()], *rows]))


if __name__ == "__main__":
    main()
