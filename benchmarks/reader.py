"""A reader of the app without a browser: it asks as the pages do, and keeps a session."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import ExitStack, closing
from random import Random
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from lnviz.lessons import LESSONS

PAGES = {lesson.slug: lesson for lesson in LESSONS}
SEEDED = "/explorables/axes/grid.json"
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
PATIENCE_S = 120.0
TRAINING_S = 600.0  # that a training may take, with its turns
AGAIN_S = 1.0  # after which Streamlit opens a session anew that has ended


class Lost(Exception):
    """What was there is not there any more."""


class Reader:
    """One of many, in a thread of its own.

    Args:
        port: Of nginx.
        random: Decides what the reader does next.
        start: When the run began.
        pause: Seconds between two actions, at most.
    """

    def __init__(self, port: int, random: Random, start: float, pause: float) -> None:
        self.asked: list[tuple[float, float, int]] = []
        self.lost: list[str] = []
        self.failed: list[str] = []
        self.jobs: list[str] = []
        self.trained = 0
        self.back: list[float] = []
        self._port, self._random, self._start, self._pause = port, random, start, pause
        self._cookie = ""
        self._page = "axes"
        self._tables: list[str] = []
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._sessions = ExitStack()
        self._session: ClientConnection | None = None

    def read(self, over: threading.Event) -> None:
        """Read until it is over."""
        deeds = (
            *((self._navigate, 16), (self._figure, 24), (self._answer, 16), (self._drag, 16)),
            *((self._bring, 4), (self._look_back, 8), (self._train, 1)),
        )
        doing = [deed for deed, weight in deeds for _ in range(weight)]
        with closing(self._http), self._sessions:
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
            self._http.close()

    def _navigate(self) -> None:
        """Open a page: itself, its session, and its figures."""
        self._page = self._random.choice(list(PAGES))
        self._ask("GET", f"/{self._page}")
        self._open()
        for figure in PAGES[self._page].figures:
            self._expect("GET", f"/explorables/{self._page}/{figure.name}.json")

    def _figure(self) -> None:
        """Choose another seed of a figure."""
        seed = self._random.randrange(1000)
        self._expect("GET", f"{SEEDED}?data=digits&seed={seed}")

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
        sent = self._expect("POST", "/uploads?name=own.csv", "\n".join(rows).encode())
        self._tables.append(sent["data"])
        self._expect("GET", f"{SEEDED}?{urlencode({'data': sent['data']})}")

    def _train(self) -> None:
        """Ask for a training, where this reader has none under way."""
        if self.jobs and self._expect("GET", f"/jobs/{self.jobs[-1]}")["state"] not in OVER:
            return
        begun = self._expect("POST", "/jobs", json.dumps(RUNS).encode(), known=(409,))
        # A server that died with its answer on the way may have begun it.
        self.jobs.append(begun["id"])

    def _look_back(self) -> None:
        """Look whether all that is this reader's own is there."""
        for data in self._tables[-2:]:
            self._expect("GET", f"{SEEDED}?{urlencode({'data': data})}")
        for job in self.jobs:
            self._expect("GET", f"/jobs/{job}")

    def _wait_for_trainings(self) -> None:
        """See all of them end well."""
        ends = time.monotonic() + TRAINING_S
        for job in self.jobs:
            while self._expect("GET", f"/jobs/{job}")["state"] not in OVER:
                if time.monotonic() > ends:
                    raise ValueError(f"training {job} does not end")
                time.sleep(AGAIN_S)
            self.trained += self._expect("GET", f"/jobs/{job}")["state"] == "done"

    def _open(self) -> None:
        """Open a session, which shows the page; ask again where the server starts."""
        for left in range(TRIES, -1, -1):
            self._sessions.close()
            opening = connect(
                f"ws://127.0.0.1:{self._port}/_stcore/stream",
                subprotocols=[Subprotocol("streamlit")],
                additional_headers={"Cookie": self._cookie},
                open_timeout=PATIENCE_S,
                max_size=None,
            )
            try:
                self._session = self._sessions.enter_context(opening)
                self._run()
            except (ConnectionClosed, InvalidHandshake):
                if left == 0:
                    raise
                time.sleep(AGAIN_S)
            else:
                return

    def _run(self) -> None:
        assert self._session is not None
        began = time.monotonic()
        request = BackMsg()
        request.rerun_script.page_name = self._page
        address = f"http://127.0.0.1:{self._port}/{self._page}"
        request.rerun_script.context_info.url = address
        self._session.send(request.SerializeToString())
        while True:
            data = self._session.recv(PATIENCE_S)
            message = ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())
            if message.WhichOneof("type") == "script_finished":
                if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                    raise ValueError(f"the script of {self._page} ended badly")
                self._count(began, 200)
                return

    def _expect(
        self, method: str, path: str, body: bytes = b"", known: tuple[int, ...] = ()
    ) -> Any:
        status, content = self._ask(method, path, body)
        if status in (404, 410):
            raise Lost(f"{method} {path}: {status}")
        if status >= 400 and status not in known:
            raise ValueError(f"{method} {path}: {status} {content[:200]!r}")
        return json.loads(content)

    def _ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """One request; who is refused for a while asks again."""
        for left in range(TRIES, -1, -1):
            began = time.monotonic()
            self._http.request(method, path, body or None, {"Cookie": self._cookie})
            response = self._http.getresponse()
            content = response.read()
            self._count(began, response.status)
            if cookie := response.getheader("Set-Cookie"):
                self._cookie = cookie.partition(";")[0]
            wait = response.getheader("Retry-After")
            if response.status not in (429, 503) or wait is None or left == 0:
                break
            time.sleep(float(wait))
        return response.status, content

    def _count(self, began: float, status: int) -> None:
        now = time.monotonic()
        self.asked.append((now - self._start, now - began, status))
