"""One student who attacks the rooms of a class from the class's own address.

Reads port, address and the rooms' codes as JSON from its one argument, and goes on until it is
ended: it takes the names that the address gets, and one more each half second; seats and votes by
each of these names, and by names of every seat that a room gives; rooms, which it holds open; and
figures of sentences that nobody has asked for before, four at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections import deque

from benchmarks.classroom import Browser

TRIES = 420  # for names: more than an address gets at once
STREAMS = 4


class Classmate:
    """One student.

    Args:
        port: Of the server.
        address: From where.
        codes: Of the rooms.
    """

    def __init__(self, port: int, address: str, codes: list[str]) -> None:
        self._port, self._address, self._codes = port, address, codes
        self._names: deque[str] = deque(maxlen=TRIES)
        self._streams: list[asyncio.Task[None]] = []

    async def attack(self) -> None:
        """Do all of it at once, without end."""
        await asyncio.gather(
            self._take_names(),
            *(self._take_seats(code) for code in self._codes),
            self._take_rooms(),
            *(self._ask_for_figures() for _ in range(STREAMS)),
        )

    def _browser(self, cookie: str = "") -> Browser:
        return Browser(self._port, cookie, self._address)

    async def _take_names(self) -> None:
        taken = 0
        while True:
            browser = self._browser()
            await browser.ask("GET", "/join")
            browser.leave()
            self._names.append(browser.cookie)
            taken += 1
            await asyncio.sleep(0 if taken < TRIES else 0.5)

    async def _take_seats(self, code: str) -> None:
        room = f"/rooms/{code}"
        while True:
            browser = self._browser(self._names.popleft() if self._names else "")
            status, seat = await browser.ask("POST", f"{room}/seat", {})
            poll = seat["state"]["poll"] if status == 200 else None
            if poll:
                answer = {"value": 0, "attempt": 1}
                await browser.ask("PUT", f"{room}/polls/{poll['id']}/{poll['round']}", answer)
            browser.leave()
            await asyncio.sleep(0.01)

    async def _take_rooms(self) -> None:
        opened = {"lesson": "axes", "screen": "shared"}
        while True:
            browser = self._browser(self._names[-1] if self._names else "")
            status, room = await browser.ask("POST", "/rooms", opened)
            if status == 201:
                events = f"/rooms/{room['code']}/events?as=remote"
                self._streams.append(asyncio.create_task(browser.listen(events)))
            await asyncio.sleep(0.1)

    async def _ask_for_figures(self) -> None:
        while True:
            browser = self._browser(self._names[-1] if self._names else "")
            at = f"/explorables/inside/yours.json?text={secrets.token_hex(40)}"
            await browser.ask("GET", at)
            browser.leave()
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    os.nice(19)
    told = json.loads(sys.argv[1])
    asyncio.run(Classmate(told["port"], told["address"], told["codes"]).attack())
