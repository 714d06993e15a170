"""A reader of the app without a browser: it asks as the pages do, and keeps a session."""

from __future__ import annotations

import json
import threading
import time
from contextlib import ExitStack
from random import Random
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection

from lnviz.lessons import LESSONS
from tests.service.client import Answer, Client, run

PAGES = {lesson.slug: lesson for lesson in LESSONS}
SEEDED = "/explorables/axes/grid.json"
JSON = "application/json"
RUNS = {
    "experiment": "digits",
    "norms": ["none", "layer"],
    "batch_sizes": [32],
    "rates": [0.001],
    "seeds": [0, 1],
    "steps": 200,
}
OVER = ("done", "failed", "stopped")
TRIES = 20
TRAINING_S = 600.0  # that a training may take, with its turns
AGAIN_S = 1.0  # after which Streamlit opens a session anew that has ended


class Lost(Exception):
    """What was there is not there any more."""


class Reader:
    """One of many, in a thread of its own.

    Args:
        port: Of nginx.
        random: Decides what the reader does next.
        pause: Seconds between two actions, at most.
    """

    def __init__(self, port: int, random: Random, pause: float) -> None:
        self.lost: list[str] = []
        self.failed: list[str] = []
        self.jobs: list[str] = []
        self.trained = 0
        self.back: list[float] = []
        self.client = Client(port)
        self._random, self._pause = random, pause
        self._page = "axes"
        self._tables: list[str] = []
        self._sessions = ExitStack()
        self._session: ClientConnection | None = None

    def read(self, over: threading.Event) -> None:
        """Read until it is over."""
        deeds = (
            *((self._navigate, 16), (self._figure, 24), (self._answer, 16), (self._drag, 16)),
            *((self._bring, 4), (self._look_back, 8), (self._train, 1)),
        )
        doing = [deed for deed, weight in deeds for _ in range(weight)]
        with self.client, self._sessions:
            self._try(self._navigate)
            while not over.wait(self._random.uniform(0, self._pause)):
                self._try(self._random.choice(doing))
            self._try(self._look_back)
            self._try(self._wait_for_trainings)

    def _try(self, deed: Any) -> None:
        try:
            deed()
        except Lost as error:
            self.lost.append(str(error))
        # Whatever it is: a reader who ends without a word is one fewer, and nothing else is seen.
        except Exception as error:
            self.failed.append(f"{deed.__name__.strip('_')}: {error!r}")
            self.client.close()

    def _navigate(self) -> None:
        """Open a page: itself, its session, and its figures."""
        self._page = self._random.choice(list(PAGES))
        self._ask(f"/{self._page}")
        self._open()
        for figure in PAGES[self._page].figures:
            self._expect(f"/explorables/{self._page}/{figure.name}.json")

    def _figure(self) -> None:
        """Choose another seed of a figure."""
        seed = self._random.randrange(1000)
        self._expect(f"{SEEDED}?data=digits&seed={seed}")

    def _drag(self) -> None:
        """Move within what has been computed: the server hears nothing of it."""

    def _answer(self) -> None:
        """Do something that runs the page's script again, in the session that there is."""
        try:
            self._run()
        except ConnectionClosed:
            ended = time.monotonic()
            time.sleep(AGAIN_S)
            self._open()
            self.back.append(time.monotonic() - ended)

    def _bring(self) -> None:
        """Bring a table that is too large for the address, and look at it."""
        rows = [",".join(f"{self._random.gauss(0, 1):.4f}" for _ in range(30)) for _ in range(60)]
        sent = self._expect("/uploads?name=own.csv", "\n".join(rows).encode())
        self._tables.append(sent["data"])
        self._expect(f"{SEEDED}?{urlencode({'data': sent['data']})}")

    def _train(self) -> None:
        """Ask for a training, where this reader has none under way."""
        if self.jobs and self._expect(f"/jobs/{self.jobs[-1]}")["state"] not in OVER:
            return
        begun = self._expect("/jobs", json.dumps(RUNS).encode(), known=409)
        # A server that died with its answer on the way may have begun it.
        self.jobs.append(begun["id"])

    def _look_back(self) -> None:
        """Look whether all that is this reader's own is there."""
        for data in self._tables[-2:]:
            self._expect(f"{SEEDED}?{urlencode({'data': data})}")
        for job in self.jobs:
            self._expect(f"/jobs/{job}")

    def _wait_for_trainings(self) -> None:
        """See all of them end well."""
        ends = time.monotonic() + TRAINING_S
        for job in self.jobs:
            while self._expect(f"/jobs/{job}")["state"] not in OVER:
                if time.monotonic() > ends:
                    raise ValueError(f"training {job} does not end")
                time.sleep(AGAIN_S)
            self.trained += self._expect(f"/jobs/{job}")["state"] == "done"

    def _open(self) -> None:
        """Open a session, which shows the page; ask again where the server starts."""
        for left in range(TRIES, -1, -1):
            self._sessions.close()
            try:
                self._session = self._sessions.enter_context(self.client.session())
                self._run()
            except (ConnectionClosed, InvalidHandshake):
                if left == 0:
                    raise
                time.sleep(AGAIN_S)
            else:
                return

    def _run(self) -> None:
        assert self._session is not None
        began = time.perf_counter()
        run(self._session, self.client.port, self._page)
        self.client.note(200, "page", began)

    def _expect(self, path: str, body: bytes | None = None, known: int = 0) -> Any:
        answer = self._ask(path, body)
        if answer.status in (404, 410):
            raise Lost(f"{path}: {answer.status}")
        return (answer if answer.status == known else answer.granted()).json

    def _ask(self, path: str, body: bytes | None = None) -> Answer:
        """One request; who is refused for a while asks again."""
        for left in range(TRIES, -1, -1):
            answer = self.client.ask(
                path, method="POST" if body else "GET", body=body, content_type=JSON
            )
            if cookie := answer.headers.get("set-cookie"):
                self.client.cookie = cookie.partition(";")[0]
            wait = answer.headers.get("retry-after")
            if answer.status not in (429, 503) or wait is None or left == 0:
                break
            time.sleep(float(wait))
        return answer
