"""Times the way from `streamlit run` to the first figure in the browser, beside an empty page.

- Cold: a new server process and a browser profile that has seen nothing. From the start of the
  process to the frame that shows the figure; of it, the part until the server answers. Files that
  the operating system has in memory stay there.
- Warm: the page opened once more, server running, browser cache filled. From the start of the
  navigation to that frame.
- Bytes: what came over the network, compressed, headers included, and what came over the WebSocket.

The pages take turns, each with a server of its own, under the same settings.

    python -m benchmarks.startup
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.pages import CHROMIUM, EMPTY, frame_size, page
from benchmarks.tables import table
from tests.service.server import APP, serve

# The frame after the one that shows the figure begins when that one is painted.
WATCH = """(selector) => {
  const now = () => performance.timeOrigin + performance.now();
  const look = () => {
    if (document.querySelector(selector)) requestAnimationFrame(() => (window.drawn = now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
PAINTED = """async () => {
  while (!window.drawn) await new Promise((done) => setTimeout(done, 16));
}"""


@dataclass(frozen=True)
class Target:
    """A page, and what is in it when its first figure is drawn."""

    name: str
    path: str
    drawn: str

    def entry(self) -> AbstractContextManager[Path]:
        """What is served: the app, or an empty page."""
        return nullcontext(APP) if self.path else page(EMPTY)


EMPTY_PAGE = Target("empty page", "", "[data-testid=stMarkdownContainer] p")
TARGETS = (
    EMPTY_PAGE,
    Target("/axes", "axes", ".ln .grid tbody td"),
    Target("/gain-bias", "gain-bias", ".ln .scatterlayer .trace"),
)


@dataclass(frozen=True)
class Visit:
    """One visit: when the navigation began and the figure was drawn (seconds), and bytes."""

    began: float
    drawn: float
    size: int


@dataclass(frozen=True)
class Start:
    """One cold start and the visit after it, in seconds."""

    until_answer: float
    cold: float
    cold_size: int
    warm: float
    warm_size: int


def visit(context: BrowserContext, address: str, drawn: str) -> Visit:
    """Open an address in a new tab."""
    tab = context.new_page()
    devtools = context.new_cdp_session(tab)
    devtools.send("Network.enable")
    sizes: list[int] = []

    def loaded(event: dict[str, Any]) -> None:
        sizes.append(round(event["encodedDataLength"]))

    devtools.on("Network.loadingFinished", loaded)
    devtools.on("Network.webSocketFrameReceived", lambda event: sizes.append(frame_size(event)))
    tab.add_init_script(f"({WATCH})({drawn!r})")
    tab.goto(address)
    tab.evaluate(PAINTED)
    tab.wait_for_load_state("networkidle")
    began, seen = tab.evaluate("[performance.timeOrigin, window.drawn]")
    tab.close()
    return Visit(began / 1000, seen / 1000, sum(sizes))


def start(browser: Browser, target: Target) -> Start:
    """Start a server and visit it twice with a fresh profile."""
    with target.entry() as entry, serve(entry) as server:
        context = browser.new_context()
        first, second = (
            visit(context, f"{server.url}/{target.path}", target.drawn) for _ in range(2)
        )
        context.close()
        return Start(
            until_answer=server.answered - server.launched,
            cold=first.drawn - server.launched,
            cold_size=first.size,
            warm=second.drawn - second.began,
            warm_size=second.size,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**CHROMIUM)
        rounds = [
            {target: start(browser, target) for target in TARGETS} for _ in range(options.rounds)
        ]
        print(f"Chromium {browser.version}; medians of {options.rounds} rounds.\n")
        browser.close()
    starts = {target: [one[target] for one in rounds] for target in TARGETS}
    print(table(HEAD, [_row(target.name, of, starts[EMPTY_PAGE]) for target, of in starts.items()]))


HEAD = (
    "page",
    "server answers, s",
    "cold, s",
    "ratio",
    "cold MB",
    "warm, s",
    "ratio",
    "warm KB",
)


def _row(name: str, starts: Sequence[Start], empty: Sequence[Start]) -> tuple[str, ...]:
    pairs = list(zip(starts, empty, strict=True))
    return (
        name,
        f"{median(one.until_answer for one in starts):.2f}",
        f"{median(one.cold for one in starts):.2f}",
        f"{median(one.cold / other.cold for one, other in pairs):.2f}",
        f"{median(one.cold_size for one in starts) / 1e6:.2f}",
        f"{median(one.warm for one in starts):.2f}",
        f"{median(one.warm / other.warm for one, other in pairs):.2f}",
        f"{median(one.warm_size for one in starts) / 1e3:.1f}",
    )


if __name__ == "__main__":
    main()
