"""Figures that take long, asked for over HTTP."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from itertools import islice
from types import SimpleNamespace

import pytest

from lnviz.explorable import Explorable, IntParameter
from lnviz.lessons import FigureSpec
from lnviz.progress import Cancelled, report_progress
from lnviz.web import routes
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody
from tests.service.client import Answer
from tests.web.computing import HANGS_S
from tests.web.serving import Site, served

pytestmark = pytest.mark.slow

SEED = IntParameter("seed", "Seed", 0, 9, 0)
SLOW, QUICK = "/explorables/long/slow.json", "/explorables/long/quick.json"


class Long:
    """A lesson with a figure that ends when it is let go, and one that is there at once."""

    def __init__(self) -> None:
        self.begun, self.ended, self.withdrawn = (threading.Event() for _ in range(3))
        figures = (
            FigureSpec("slow", self.slow, (SEED,), cpu_seconds=2.0),
            FigureSpec("quick", lambda seed: Explorable("quick", (), {}, ()), (SEED,)),
        )
        self.lesson = SimpleNamespace(
            slug="long",
            title="Long",
            figure=lambda name: next((f for f in figures if f.name == name), None),
        )

    def slow(self, seed: int) -> Explorable:
        try:
            while not self.ended.is_set():
                report_progress(0.5)
                self.begun.set()
        except Cancelled:
            self.withdrawn.set()
            raise
        return Explorable("slow", (), {}, ())


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> Iterator[Long]:
    long = Long()
    find = routes.book.find_page
    monkeypatch.setattr(
        routes.book, "find_page", lambda slug: long.lesson if slug == "long" else find(slug)
    )
    yield long
    long.ended.set()


@pytest.fixture
def site(long: Long) -> Iterator[Site]:
    with served(PayloadService(cores=1, max_waiting=2)) as site:
        yield site
        long.ended.set()


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def asking(others: ThreadPoolExecutor, site: Site, seed: int = 0) -> Future[Answer]:
    return others.submit(site.get, f"{SLOW}?seed={seed}")


def test_a_ready_figure_is_answered_while_others_are_computed(
    site: Site, long: Long, others: ThreadPoolExecutor
) -> None:
    site.get(QUICK)
    slow = asking(others, site)
    assert long.begun.wait(HANGS_S)
    assert site.get(QUICK).status == 200
    assert not slow.done()
    long.ended.set()
    assert slow.result().json["title"] == "slow"


def test_how_far_a_figure_is_can_be_asked(
    site: Site, long: Long, others: ThreadPoolExecutor
) -> None:
    progress = SLOW.replace(".json", ".progress")
    missing = site.get(progress)
    assert (missing.status, missing.raw) == (204, b"")
    slow = asking(others, site)
    assert long.begun.wait(HANGS_S)
    found = site.get(f"{progress}?seed=0")
    assert (found.status, found.json) == (200, {"ahead": 0, "done": 0.5})
    assert {missing.headers["cache-control"], found.headers["cache-control"]} == {"no-store"}
    long.ended.set()
    slow.result()
    assert site.get(progress).status == 204


def test_what_a_page_asks_for_by_itself_comes_after_what_readers_ask_for(
    site: Site, long: Long, others: ThreadPoolExecutor
) -> None:
    slow = asking(others, site)
    assert long.begun.wait(HANGS_S)
    refused = site.get(f"{SLOW}?seed=1", Priority="u=7")
    assert (refused.status, refused.headers["retry-after"]) == (503, "10")
    long.ended.set()
    slow.result()
    assert site.get(f"{SLOW}?seed=1", Priority="u=7").status == 200


@pytest.mark.parametrize(("path", "status"), [("axes/gone", 404), ("axes/grid", 422)])
def test_progress_refuses_what_the_figure_refuses(site: Site, path: str, status: int) -> None:
    assert site.get(f"/explorables/{path}.progress?data=gone").status == status


def test_who_leaves_withdraws_what_only_they_have_asked_for(site: Site, long: Long) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as reader:
        reader.sendall(f"GET {SLOW} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        assert long.begun.wait(HANGS_S)
    assert long.withdrawn.wait(HANGS_S)


def test_the_end_of_the_line_is_an_answer_with_a_time(
    site: Site, long: Long, others: ThreadPoolExecutor
) -> None:
    asked = [asking(others, site)]
    assert long.begun.wait(HANGS_S)
    asked += [asking(others, site, seed) for seed in range(1, 6)]
    # One is computed, two wait, and the rest have been refused.
    refused = [answer.result() for answer in islice(as_completed(asked, HANGS_S), 3)]
    for answer in refused:
        assert answer.status == 503
        assert answer.headers["retry-after"] == "4"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json["detail"].endswith("Ask again in 4 seconds.")
    long.ended.set()
    assert sorted(answer.result().status for answer in asked) == [200] * 3 + [503] * 3


class Recording(PayloadService):
    """Payloads that keep for whom they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.visitors: list[Client] = []

    async def get(
        self, wanted: PayloadRequest, visitor: Client, *, background: bool = False
    ) -> CompressedBody:
        self.visitors.append(visitor)
        await asyncio.sleep(0)
        return CompressedBody.compress(b"{}")


@pytest.mark.usefixtures("long")
def test_visitors_are_told_apart_by_the_name_that_a_page_has_given_them() -> None:
    payloads = Recording()
    with served(payloads) as site:
        named = [site.get("/axes").headers["set-cookie"] for _ in range(2)]
        names = [given.split(";")[0] for given in named]
        for name in names:
            site.get(QUICK, Cookie=name)
        renewed = site.get("/axes", Cookie=names[0]).headers["set-cookie"]
        assert renewed.startswith(f"{names[0].partition('.')[0]}.")
        assert "Max-Age=2592000" in renewed
        hostile = site.get("/axes", Cookie="lnviz-visitor=a%0d%0ab").headers["set-cookie"]
        assert "%0d" not in hostile
    found = [name.partition("=")[2].partition(".")[0] for name in names]
    assert payloads.visitors == [Client("127.0.0.1", name) for name in found]
    assert len(set(names)) == 2
    assert all("HttpOnly" in given and "SameSite=lax" in given for given in named)


@pytest.mark.usefixtures("long")
def test_who_has_no_name_goes_by_the_address() -> None:
    payloads = Recording()
    with served(payloads) as site:
        site.get(QUICK)
    assert payloads.visitors == [Client("127.0.0.1")]


def test_a_figure_names_no_visitor(site: Site) -> None:
    assert "set-cookie" not in site.get(QUICK).headers
