"""A hand on a slider in a real Chromium, and what a page draws while it moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, ElementHandle, Page, ViewportSize

from benchmarks.harness import frame_size

HERE = Path(__file__).parent
MOVES_A_SECOND = 60
AFTER_S = 2.0
VIEWPORT = ViewportSize(width=1280, height=1600)  # the whole figure is on screen, and painted


@dataclass(frozen=True)
class Change:
    """A frame that shows a new picture."""

    at: float
    delay: float
    position: int
    picture: int


@dataclass(frozen=True)
class Drag:
    """What came of one drag: pictures while it lasted and after it, and WebSocket traffic."""

    changes: tuple[Change, ...]
    changes_after: tuple[Change, ...]
    sent: int
    received: int
    bytes_after: int


@dataclass
class Subject:
    """A page that is dragged, with its slider and its WebSocket's traffic.

    Args:
        page: The page.
        devtools: Its DevTools session.
        slider: The slider.
        picture: JavaScript: makes of the slider a function that tells what its figure shows.
        inset: How far the thumb's middle stays from the slider's ends, in CSS pixels.
    """

    page: Page
    devtools: CDPSession
    slider: ElementHandle
    picture: str
    inset: float
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)

    async def last(self) -> int:
        """The highest position of a native slider."""
        steps: float = await self.slider.evaluate("({ min, max, step }) => (max - min) / step")
        return round(steps)

    async def pictures(self, positions: Sequence[int]) -> dict[int, int]:
        """The number of the picture at each position of a native slider."""
        numbers: list[int] = await self.slider.evaluate(
            f"(slider, positions) => picturesAt(slider, positions, ({self.picture})(slider))",
            list(positions),
        )
        return dict(zip(positions, numbers, strict=True))

    async def drag(self, path: Sequence[int], last: int) -> Drag:
        """Drag along positions, of which `last` is the highest.

        Raises:
            RuntimeError: The slider is not where the hand left it.
        """
        await self.page.bring_to_front()
        await self.slider.evaluate('(slider) => slider.scrollIntoView({ block: "start" })')
        box = await self.slider.bounding_box()
        assert box is not None, "the slider is on screen"
        y = box["y"] + box["height"] / 2
        width = box["width"] - 2 * self.inset
        xs = [box["x"] + self.inset + width * position / last for position in path]
        await self._mouse("mousePressed", xs[0], y)
        await self.page.wait_for_timeout(500)
        self.sent.clear()
        self.received.clear()
        await self.slider.evaluate(
            "(slider) => window.recorder = new Recorder("
            f"() => positionOf(slider), ({self.picture})(slider))"
        )
        clock = asyncio.get_running_loop()
        start = clock.time()
        moves = []
        for number, x in enumerate(xs[1:], 1):
            await asyncio.sleep(start + number / MOVES_A_SECOND - clock.time())
            moves.append(asyncio.create_task(self._mouse("mouseMoved", x, y)))
        await asyncio.gather(*moves)
        await self.page.wait_for_timeout(100)
        changes, reached = await self._take(), await self.slider.evaluate("positionOf")
        if reached != path[-1]:
            raise RuntimeError(f"the slider is at position {reached}, the hand at {path[-1]}")
        sent, received = len(self.sent), len(self.received)
        self.sent.clear()
        self.received.clear()
        await self._mouse("mouseReleased", xs[-1], y)
        await self.page.wait_for_timeout(AFTER_S * 1000)
        after = await self._take()
        await self.page.evaluate("recorder.stop()")
        return Drag(changes, after, sent, received, sum(self.sent) + sum(self.received))

    async def _take(self) -> tuple[Change, ...]:
        changes: list[dict[str, Any]] = await self.page.evaluate("recorder.take()")
        return tuple(Change(**change) for change in changes)

    async def _mouse(self, kind: str, x: float, y: float) -> None:
        held = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1}
        await self.devtools.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **held})


async def subject(
    browser: Browser, address: str, slider: str, ready: str, picture: str, inset: float
) -> Subject:
    """Open an address and wait for the slider and the figure.

    Raises:
        RuntimeError: The page's script failed.
    """
    opened = await browser.new_page(viewport=VIEWPORT)
    await opened.add_init_script(path=HERE / "recorder.js")
    devtools = await opened.context.new_cdp_session(opened)
    await devtools.send("Network.enable")
    sent: list[int] = []
    received: list[int] = []
    devtools.on("Network.webSocketFrameSent", lambda event: sent.append(frame_size(event)))
    devtools.on("Network.webSocketFrameReceived", lambda event: received.append(frame_size(event)))
    await opened.goto(address)
    failed = "[data-testid=stException]"
    await opened.wait_for_selector(f"{ready}, {failed}", state="attached")
    if await opened.query_selector(failed):
        raise RuntimeError(f"the script of {address} failed; what the server printed says why")
    handle = await opened.wait_for_selector(slider, state="attached")
    assert handle is not None, "wait_for_selector waits until there is one"
    await opened.wait_for_load_state("networkidle")
    await opened.wait_for_timeout(1000)
    return Subject(opened, devtools, handle, picture, inset, sent, received)
