"""One student who attacks the rooms of a class from the class's own address.

Reads port and address as JSON from its one argument, and goes on until it is ended: it takes the
names that the address gets, and one more each half second; rooms, which it holds open; figures of
sentences that nobody has asked for before, four at once; and in each room whose code it reads from
its input, seats and votes. It says when it has the names, and at its end how often it got what.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from collections import Counter, deque

from benchmarks.classroom import Browser

TRIES = 420  # for names: more than an address gets at once
STREAMS = 4


class Classmate:
    """One student.

    Args:
        port: Of the server.
        address: From where.

    Attributes:
        got: How often it got what.
    """

    def __init__(self, port: int, address: str) -> None:
        self.got: Counter[str] = Counter()
        self._port, self._address = port, address
        self._names: deque[str] = deque(maxlen=TRIES)
        self._streams: list[asyncio.Task[None]] = []

    async def attack(self) -> None:
        """Do all of it at once, without end."""
        await asyncio.gather(
            self._take_names(),
            self._enter(),
            self._take_rooms(),
            *(self._ask_for_figures() for _ in range(STREAMS)),
        )

    async def _enter(self) -> None:
        while code := (await asyncio.to_thread(sys.stdin.readline)).strip():
            self._streams.append(asyncio.create_task(self._take_seats(code)))

    def _browser(self, cookie: str = "") -> Browser:
        return Browser(self._port, cookie, self._address)

    async def _take_names(self) -> None:
        taken = 0
        while True:
            browser = self._browser()
            await browser.ask("GET", "/join")
            browser.leave()
            self.got["names"] += bool(browser.cookie)
            self._names.append(browser.cookie)
            taken += 1
            if taken == TRIES:
                print("begun", flush=True)
            await asyncio.sleep(0 if taken < TRIES else 0.5)

    async def _take_seats(self, code: str) -> None:
        room = f"/rooms/{code}"
        while True:
            browser = self._browser(self._names.popleft() if self._names else "")
            status, seat = await browser.ask("POST", f"{room}/seat", {})
            self.got["seats"] += status == 200
            poll = seat["state"]["poll"] if status == 200 else None
            if poll:
                answer = {"value": 0, "attempt": 1}
                at = f"{room}/polls/{poll['id']}/{poll['round']}"
                self.got["votes"] += (await browser.ask("PUT", at, answer))[0] == 200
            browser.leave()
            await asyncio.sleep(0.01)

    async def _take_rooms(self) -> None:
        opened = {"lesson": "axes", "screen": "shared"}
        while True:
            browser = self._browser(self._names[-1] if self._names else "")
            status, room = await browser.ask("POST", "/rooms", opened)
            if status == 201:
                self.got["rooms"] += 1
                events = f"/rooms/{room['code']}/events?as=remote"
                self._streams.append(asyncio.create_task(browser.listen(events)))
            await asyncio.sleep(0.1)

    async def _ask_for_figures(self) -> None:
        while True:
            browser = self._browser(self._names[-1] if self._names else "")
            at = f"/explorables/inside/yours.json?text={secrets.token_hex(40)}"
            self.got["figures"] += (await browser.ask("GET", at))[0] == 200
            browser.leave()
            await asyncio.sleep(0.01)


async def main(port: int, address: str) -> None:
    """Attack until the process is told to end, and print what was got."""
    classmate = Classmate(port, address)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    attack = asyncio.create_task(classmate.attack())
    await asyncio.wait({attack, asyncio.create_task(ended.wait())}, return_when="FIRST_COMPLETED")
    print(dict(classmate.got), flush=True)
    os._exit(0)  # a thread still waits for the next code


if __name__ == "__main__":
    os.nice(19)
    told = json.loads(sys.argv[1])
    asyncio.run(main(told["port"], told["address"]))
