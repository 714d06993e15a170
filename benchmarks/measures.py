"""How lessons arrive, by the measures of `tests.browser.measures`, and how much of them moves.

- shift: how much of the page has moved while it loaded, as browsers count it (layout shift).

    python -m benchmarks.measures
    python -m benchmarks.measures --only placement
"""

from __future__ import annotations

import argparse
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.pages import CHROMIUM
from benchmarks.tables import table
from lnviz.lessons import LESSONS
from tests.browser.measures import AIMS, SCREEN, measured
from tests.service.server import serve

SHIFT = {"shift": 0.05}

WATCH = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def main() -> None:
    """Open each lesson once in a browser that has seen none, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=[lesson.slug for lesson in LESSONS])
    only = parser.parse_args().only
    rows: list[list[Any]] = [["aim, at most", *AIMS.values(), *SHIFT.values()]]
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
            shift = round(page.evaluate("shifted"), 2)
            rows.append([lesson.slug, *measured(page).values(), shift])
            context.close()
        browser.close()
    print(table(["lesson", *AIMS, *SHIFT], rows))


if __name__ == "__main__":
    main()
