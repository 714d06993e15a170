"""Replies of a test in the server's place. `page.route` would turn the browser's cache off."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from playwright.sync_api import Page

# The page's `fetch` asks the test first. `heard` holds the addresses of what the test has answered.
STANDS_IN = """
(() => {
  const real = window.fetch;
  const held = new Map();
  window.heard = [];
  window.letGo = (number, reply) => held.get(number)(reply);
  window.fetch = async (address, request = {}) => {
    const { href } = new URL(address, location.href);
    const { method = "GET", body, signal } = request;
    const text = typeof body === "string" ? body : "";
    let reply = JSON.parse(await window.replyOfTheTest(href, method, text));
    if (!reply) return real(address, request);
    if (reply.held) reply = await new Promise((done) => held.set(reply.held, done));
    window.heard.push(href);
    signal?.throwIfAborted();
    if (!reply.status) throw new TypeError("Nobody answers.");
    return new Response(reply.text, { status: reply.status, headers: reply.headers });
  };
})();
"""


@dataclass(frozen=True)
class Asked:
    """What the page has asked for; a number tells it from all else."""

    number: int
    address: str
    method: str
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """An answer; without a status it is a server that does not answer."""

    json: Any = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    is_held: bool = False

    def document(self, number: int) -> dict[str, Any]:
        text = None if self.json is None else json.dumps(self.json)
        return {
            "status": self.status,
            "headers": list(self.headers),
            "text": text,
            "held": number if self.is_held else 0,
        }


SILENCE = Reply(status=0)
HELD = Reply(is_held=True)
"""Until the test lets it go."""

Answering = Callable[[Asked], Reply]


class Replies:
    """What a page's `fetch` is answered, by patterns of addresses: the latest that fits counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[Asked] = []
        self._answering: list[tuple[str, Answering]] = []
        page.expose_function("replyOfTheTest", self._reply)
        page.add_init_script(STANDS_IN)

    def to(self, pattern: str, answering: Answering | Reply) -> None:
        """Answers an address of this pattern from now on."""
        if isinstance(answering, Reply):
            reply = answering
            self._answering.append((pattern, lambda _: reply))
        else:
            self._answering.append((pattern, answering))

    def once(self, pattern: str, reply: Reply) -> None:
        """Answers an address of this pattern once; the next time as before."""

        def answer(_: Asked) -> Reply:
            self._answering.remove((pattern, answer))
            return reply

        self._answering.append((pattern, answer))

    def let_go(self, asked: Asked, reply: Reply) -> None:
        """Answers what was held."""
        given = [asked.number, reply.document(asked.number)]
        self.page.evaluate("([number, reply]) => letGo(number, reply)", given)

    def forget(self) -> None:
        """Answers nothing any more, and knows nothing of what was asked."""
        self.asked, self._answering = [], []

    def _reply(self, address: str, method: str, body: str) -> str:
        asked = Asked(len(self.asked) + 1, address, method, body)
        self.asked.append(asked)
        for pattern, answering in reversed(self._answering):
            if fnmatch(address, pattern):
                return json.dumps(answering(asked).document(asked.number))
        return "null"
