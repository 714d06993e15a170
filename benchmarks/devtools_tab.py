"""A tab as readers have it, which nobody debugs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from playwright.async_api import Browser, CDPSession

PATIENCE_S = 90.0


class Tab:
    """A tab of a browser's profile of its own, with a window of its own size.

    Playwright's tabs listen to the console. V8 then notes the stack of every error that a script
    throws, also where it is caught, and parses the functions on it anew to tell the lines: all of
    Plotly's script several times, which doubles what it takes to start. This one is told what to do
    and answers; nothing else of it is listened to.

    Args:
        session: The browser's DevTools session.
        profile: What the tab keeps, by the browser's name for it.
        name: The browser's name for the connection to the tab.
    """

    def __init__(self, session: CDPSession, profile: str, name: str) -> None:
        self.session, self.profile, self.name = session, profile, name
        self.asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        session.on("Target.receivedMessageFromTarget", self._take)

    @classmethod
    async def open(cls, browser: Browser, width: int, height: int) -> Tab:
        """Open one that has been nowhere.

        Args:
            browser: The browser.
            width: The width of its window, in CSS pixels.
            height: The height of its window.
        """
        session = await browser.new_browser_cdp_session()
        profile = (await session.send("Target.createBrowserContext"))["browserContextId"]
        blank = {"url": "about:blank", "browserContextId": profile}
        target = (await session.send("Target.createTarget", blank))["targetId"]
        attached = await session.send(
            "Target.attachToTarget", {"targetId": target, "flatten": False}
        )
        tab = cls(session, profile, attached["sessionId"])
        await tab.send("Page.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await tab.send("Emulation.setDeviceMetricsOverride", **size)
        return tab

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Have the tab do something, and return its answer.

        Raises:
            RuntimeError: It says that it cannot.
            TimeoutError: It does not answer.
        """
        number = len(self.asked)
        self.asked[number] = asyncio.get_running_loop().create_future()
        message = json.dumps({"id": number, "method": method, "params": parameters})
        await self.session.send(
            "Target.sendMessageToTarget", {"sessionId": self.name, "message": message}
        )
        answer = await asyncio.wait_for(self.asked[number], PATIENCE_S)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    async def run(self, expression: str) -> Any:
        """Return what an expression comes to in the page, or the promise that it makes.

        Raises:
            RuntimeError: It fails.
        """
        told = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        came = await self.send("Runtime.evaluate", **told)
        if "exceptionDetails" in came:
            raise RuntimeError(f"{expression}: {came['exceptionDetails']['text']}")
        return came["result"].get("value")

    async def close(self) -> None:
        """Close it; what it has kept is gone."""
        await self.session.send("Target.disposeBrowserContext", {"browserContextId": self.profile})
        await self.session.detach()

    def _take(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if event["sessionId"] == self.name and "id" in message:
            self.asked[message["id"]].set_result(message)
