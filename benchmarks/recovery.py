"""How soon an open page is back when the process that it had is killed, in a real Chromium.

A page is open behind nginx and three processes; the one that has its session is killed. Its figures
need no server and stay as they are. The page is back when another process has a session for it;
afterwards another page is opened in it, which asks that session to run a script. The process is
started again before the next one is killed. Everything stays on this machine.

    python -m benchmarks.recovery
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.pages import CHROMIUM
from benchmarks.tables import table
from tests.service.cluster import Cluster, cluster
from tests.service.server import Server

PAGES = ("axes", "gain-bias")
STATE = "[data-test-connection-state]"
SCRIPT = "data-test-script-state"
PATIENCE_MS = 60_000
REST_MS = 1000  # before a kill, in which the page comes to rest


def back(page: Page, server: Server) -> float:
    """Kill a process, and return the seconds until the page that it had has a session again.

    Args:
        page: That is open.
        server: The process.
    """
    state = page.locator(STATE)
    with page.expect_websocket():
        server.kill()
        began = time.perf_counter()
    expect(state).to_have_attribute(STATE[1:-1], "CONNECTED", timeout=PATIENCE_MS)
    return time.perf_counter() - began


def has(through: Cluster, page: Page) -> Server:
    """Return the process that has a page's visitor."""
    path = f"/search.json?{time.monotonic_ns()}"
    page.evaluate("path => fetch(path).then((answer) => answer.text())", path)
    return through.servers[through.who_answered(path)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder)) as through,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(**CHROMIUM)
        page = browser.new_page()
        seconds = []
        for number in range(options.kills):
            lesson, other = PAGES[number % 2], PAGES[1 - number % 2]
            page.goto(f"{through.url}/{lesson}")
            page.locator(".ln input[type=range]").first.wait_for()
            page.wait_for_timeout(REST_MS)
            killed = has(through, page)
            seconds.append(back(page, killed))
            page.get_by_test_id("stSidebar").locator(f"a[href$={other}]").first.click()
            page.wait_for_url(f"**/{other}*")
            expect(page.locator(STATE)).to_have_attribute(SCRIPT, "notRunning", timeout=PATIENCE_MS)
            killed.launch()
            killed.wait()
        browser.close()
    rows = [(str(len(seconds)), f"{median(seconds):.1f}", f"{max(seconds):.1f}")]
    print(table(("kills", "median s", "at most, s"), rows))


if __name__ == "__main__":
    main()
