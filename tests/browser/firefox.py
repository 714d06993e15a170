"""Firefox, over WebDriver BiDi, which it speaks itself: Playwright drives only its own build."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.browser.tab import DRAWN, PATIENCE, PLOTTED, READY, UNTIL

PATH = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """A tab of Firefox, with what it complained of: `complaints`."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._last = 0
        self.complaints: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        tree = self._send("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]

    def open(self, url: str) -> "Firefox":
        """Opens a page, and waits until its figures are drawn."""
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")
        self.until(READY)
        return self

    def evaluate(self, function: str, given: Any = None) -> Any:
        """Returns what a function of JavaScript returns, of what it is given."""
        answer = self._send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({function})({json.dumps(given)})))()",
            target={"context": self._context},
            awaitPromise=True,
        )
        if answer["type"] != "success":
            raise AssertionError(f"{answer['exceptionDetails']['text']}\n{self.complaints}")
        return json.loads(answer["result"].get("value", "null"))

    def until(self, condition: str, given: Any = None) -> None:
        """Waits until a function of JavaScript holds, of what it is given."""
        self.evaluate(UNTIL.format(condition, PATIENCE), given)

    def drag(self, *places: tuple[float, float]) -> None:
        """Takes the mouse past places of the window with its button down."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 50} for x, y in places
        ]
        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        mouse = {"type": "pointer", "id": "mouse", "actions": [moves[0], down, *moves[1:], up]}
        self._send("input.performActions", context=self._context, actions=[mouse])
        self.evaluate(DRAWN)
        self.until(PLOTTED)

    def picture(self) -> str:
        """The window as it looks: a PNG, in base 64."""
        return str(self._send("browsingContext.captureScreenshot", context=self._context)["data"])

    def _send(self, method: str, **parameters: Any) -> Any:
        self._last += 1
        self._connection.send(
            json.dumps({"id": self._last, "method": method, "params": parameters})
        )
        while True:
            message = json.loads(self._connection.recv(timeout=2 * PATIENCE / 1000))
            if message["type"] == "event":
                self._hear(message["params"])
            elif message.get("id") == self._last:
                if message["type"] == "error":
                    raise AssertionError(f"{method}: {message['message']}\n{self.complaints}")
                return message["result"]

    def _hear(self, entry: dict[str, Any]) -> None:
        # Streamlit tries WebAssembly, which the app's pages forbid; nothing is missing without it.
        if entry["level"] == "error" and "WebAssembly" not in entry["text"]:
            self.complaints.append(f"{entry['type']}: {entry['text']}")


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A Firefox with an empty profile."""
    assert PATH is not None
    command = [PATH, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile]
    window = {"MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "900"}
    process = subprocess.Popen(
        command,
        env=os.environ | {"HOME": str(profile)} | window,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := LISTENS.search(line):
                break
        else:
            raise RuntimeError(f"Firefox did not start:\n{''.join(lines)}")
        with connect(f"{found[1]}/session", max_size=None, compression=None) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.communicate()
