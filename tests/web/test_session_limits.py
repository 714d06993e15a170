"""Who is let in, how fast, and until when."""

import asyncio
import math
import tomllib
from collections import deque
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lnviz.web import session_limits
from lnviz.web.app_root import APP_ROOT
from lnviz.web.fair_queue import FairRateLimiter
from lnviz.web.identity import Client
from lnviz.web.serve import MESSAGE_BYTES
from lnviz.web.session_limits import (
    MAILBOX_BYTES,
    MAILBOX_MESSAGES,
    MAX_HEADERS,
    MAX_WIDGETS,
    STREAM_PATH,
    SessionLimitMiddleware,
    SessionRegistry,
    WebSocketSession,
)
from tests.service.client import cookie, rerun


@pytest.fixture(autouse=True)
def no_script_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client here has a loop of its own, and the app that echoes runs no scripts."""
    monkeypatch.setattr(session_limits, "MAX_SCRIPTS", math.inf)


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for message in socket.iter_bytes():
        await socket.send_bytes(message)


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.headers.get("origin", "hello"))


def client(visits: SessionRegistry, name: str = "a") -> TestClient:
    app = Starlette(
        routes=[
            WebSocketRoute(STREAM_PATH, echo),
            Route("/session", visits.session),
            Route("/{path:path}", hello),
        ]
    )
    app.add_middleware(SessionLimitMiddleware, visits=visits)
    return TestClient(app, headers={"Cookie": cookie(name)})


def denied(visits: SessionRegistry, name: str = "a") -> WebSocketDenialResponse:
    with (
        pytest.raises(WebSocketDenialResponse) as found,
        client(visits, name).websocket_connect(STREAM_PATH),
    ):
        pass
    return found.value


def message(page: str) -> bytes:
    """One that Streamlit understands."""
    return rerun(1, page)


def test_messages_that_come_too_fast_wait_and_are_read_in_turn() -> None:
    visits = SessionRegistry(pace=FairRateLimiter(burst=2, second=1e6, places=9))
    with client(visits).websocket_connect(STREAM_PATH) as socket:
        sent = [message(str(n)) for n in range(5)]
        for each in sent:
            socket.send_bytes(each)
        assert [socket.receive_bytes() for _ in sent] == sent


def test_who_has_opened_most_makes_room_for_a_classmate_and_gets_no_more() -> None:
    visits = SessionRegistry(most=3)
    with (
        client(visits, "many").websocket_connect(STREAM_PATH) as first,
        client(visits, "many").websocket_connect(STREAM_PATH) as second,
        client(visits, "another").websocket_connect(STREAM_PATH) as third,
    ):
        first.send_bytes(message("a"))
        assert first.receive_bytes() == message("a")
        assert denied(visits, "many").headers["retry-after"] == "60"
        with client(visits, "classmate").websocket_connect(STREAM_PATH) as own:
            assert second.receive()["code"] == 1013  # which was the more silent one
            for socket in (first, third, own):
                socket.send_bytes(message("b"))
                assert socket.receive_bytes() == message("b")
            assert denied(visits, "many").status_code == 503  # all have as much
    assert visits.sessions == 0


def test_the_most_silent_page_makes_room_where_nobody_has_more_than_others() -> None:
    full = SessionRegistry(most=2)
    with (
        client(full, "a").websocket_connect(STREAM_PATH) as first,
        client(full, "b").websocket_connect(STREAM_PATH) as second,
    ):
        for socket in (second, first):  # the second has been silent for longer now
            socket.send_bytes(message("a"))
            assert socket.receive_bytes() == message("a")
        with client(full, "c").websocket_connect(STREAM_PATH) as third:
            assert second.receive()["code"] == 1013
            for socket in (first, third):
                socket.send_bytes(message("b"))
                assert socket.receive_bytes() == message("b")
        assert client(full, "d").get("/session").status_code == 200
    assert full.sessions == 0


def test_who_has_opened_most_takes_but_their_own_silent_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = SessionRegistry(most=3)
    with (
        client(full, "few").websocket_connect(STREAM_PATH) as other,
        client(full, "many").websocket_connect(STREAM_PATH) as silent,
        client(full, "many").websocket_connect(STREAM_PATH),
    ):
        monkeypatch.setattr(session_limits, "SILENT_S", 0)
        with client(full, "many").websocket_connect(STREAM_PATH):
            assert silent.receive()["code"] == 1013
            other.send_bytes(message("a"))
            assert other.receive_bytes() == message("a")


def with_widgets(count: int) -> bytes:
    said = BackMsg.FromString(message("a"))
    for _ in range(count):
        said.rerun_script.widget_states.widgets.add()
    return said.SerializeToString()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"\xff" * 9,
        BackMsg(load_git_info=True).SerializeToString(),
        BackMsg(clear_cache=True).SerializeToString(),
        BackMsg(file_urls_request={"file_names": ["", ""]}).SerializeToString(),
        with_widgets(MAX_WIDGETS + 1),
    ],
    ids=["empty", "broken", "noise", "git", "cache", "files", "widgets"],
)
def test_what_no_page_says_ends_its_session(data: bytes) -> None:
    with client(SessionRegistry()).websocket_connect(STREAM_PATH) as socket:
        socket.send_bytes(data)
        assert socket.receive()["code"] == 1003


def test_what_pages_say_is_passed_on() -> None:
    with client(SessionRegistry()).websocket_connect(STREAM_PATH) as socket:
        for said in (BackMsg(app_heartbeat=True), BackMsg(stop_script=True)):
            socket.send_bytes(said.SerializeToString())
            assert socket.receive_bytes() == said.SerializeToString()
        socket.send_bytes(with_widgets(MAX_WIDGETS))
        assert socket.receive_bytes() == with_widgets(MAX_WIDGETS)


@pytest.mark.parametrize(
    ("path", "origin", "status"),
    [
        (STREAM_PATH, "http://elsewhere", 403),
        (STREAM_PATH, "null", 403),
        (STREAM_PATH, "http://[testserver", 403),
        ("/axes", "http://testserver", 404),
    ],
)
def test_no_session_is_for_pages_of_other_sites_or_at_another_address(
    path: str, origin: str, status: int
) -> None:
    visits = SessionRegistry()
    with (
        pytest.raises(WebSocketDenialResponse) as found,
        client(visits).websocket_connect(path, headers={"Origin": origin}),
    ):
        pass
    assert found.value.status_code == status
    with client(visits).websocket_connect(STREAM_PATH, headers={"Origin": "http://testserver"}):
        assert (visits.sessions, visits.refused) == (1, 1)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_streamlit_does_not_look_for_the_site_that_a_page_is_of(method: str) -> None:
    answer = client(SessionRegistry()).request(
        method, "/axes", headers={"Origin": "http://elsewhere"}
    )
    assert "elsewhere" not in answer.text


def test_a_request_with_more_headers_than_a_browser_sends_is_refused() -> None:
    many = {f"a{number}": "" for number in range(MAX_HEADERS)}
    assert client(SessionRegistry()).get("/axes", headers=many).status_code == 431


def test_a_page_that_comes_back_by_itself_takes_nobodys_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_limits, "SILENT_S", 0)
    visits = SessionRegistry(most=1)
    with client(visits, "a").websocket_connect(STREAM_PATH) as first:
        before = ["streamlit", "a token", "its session"]
        with (
            pytest.raises(WebSocketDenialResponse) as found,
            client(visits, "b").websocket_connect(STREAM_PATH, subprotocols=before),
        ):
            pass
        assert found.value.status_code == 503
        assert client(visits, "b").get("/session?again").status_code == 503
        assert client(visits, "b").get("/session").status_code == 200
        first.send_bytes(message("a"))
        assert first.receive_bytes() == message("a")


def test_whether_a_session_would_be_refused_can_be_asked() -> None:
    visits = SessionRegistry(most=1)
    assert client(visits).get("/session").json() == {}
    with client(visits).websocket_connect(STREAM_PATH):
        refusal = client(visits).get("/session")
        assert (refusal.status_code, refusal.json()) == (503, denied(visits).json())
    assert visits.refused == 1


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def lined(messages: list[Message]) -> tuple[list[Message], Message]:
    """What a line sends, and its next message, when it has read all there is."""
    waiting, sent = deque(messages), []

    async def receive() -> Message:
        return waiting.popleft() if waiting else {"type": "websocket.disconnect", "code": 1006}

    async def send(message: Message) -> None:
        sent.append(message)

    line = WebSocketSession(receive, send, lambda: Client("here"))
    await line.read()
    await line.send({"type": "websocket.send"})
    following = await line.next()
    await line.close()
    return sent, following


@pytest.mark.anyio
async def test_a_burst_ends_its_session_and_none_of_it_is_read() -> None:
    burst: list[Message] = [{"type": "websocket.receive", "bytes": message("a")}] * 1000
    sent, following = await lined(burst)
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1013)]
    assert following["type"] == "websocket.disconnect"


@pytest.mark.anyio
@pytest.mark.parametrize(("count", "size"), [(1, MAILBOX_BYTES + 1), (2, MAILBOX_BYTES // 2 + 1)])
async def test_more_bytes_than_a_page_sends_end_a_session_in_one_message_or_several(
    count: int, size: int
) -> None:
    large = message("a" * (size // 2))  # which stands in it twice
    sent, following = await lined([{"type": "websocket.receive", "bytes": large}] * count)
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1009)]
    assert following["type"] == "websocket.disconnect"


def test_both_ways_to_start_the_server_take_messages_of_one_size() -> None:
    settings = tomllib.loads((APP_ROOT / ".streamlit/config.toml").read_text())["server"]
    assert settings["maxMessageSize"] * 10**6 == MESSAGE_BYTES
    assert MAILBOX_BYTES < settings["maxWidgetStateSize"] * 10**6 <= MESSAGE_BYTES


def test_what_has_been_read_makes_room_for_more_bytes() -> None:
    large = message("a" * (MAILBOX_BYTES // 2 - 100))
    with client(SessionRegistry()).websocket_connect(STREAM_PATH) as socket:
        for _ in range(3):
            socket.send_bytes(large)
            assert socket.receive_bytes() == large


@pytest.mark.anyio
async def test_a_session_that_is_cut_off_ends_for_who_does_not_hear_of_it() -> None:
    async def receive() -> Message:
        return {"type": "websocket.receive", "text": "hello"}

    async def send(_: Message) -> None:
        raise OSError

    line = WebSocketSession(receive, send, lambda: Client("here"))
    await line.read()
    assert (await line.next())["type"] == "websocket.disconnect"
    await line.close()


class Sender:
    """A session whose messages are read one by one, and what of it the app has had."""

    def __init__(self, visits: SessionRegistry, name: str = "a") -> None:
        self.waiting: asyncio.Queue[Message] = asyncio.Queue()
        self.had: list[str] = []
        self.sent: list[Message] = []
        headers = [(b"cookie", cookie(name).encode())]
        scope = {
            "type": "websocket",
            "path": STREAM_PATH,
            "headers": headers,
            "client": ("1.2.3.4", 5),
        }
        guarded = SessionLimitMiddleware(self.app, visits)
        self.task = asyncio.create_task(guarded(scope, self.waiting.get, self.send))

    async def app(self, _: Scope, receive: Receive, send: Send) -> None:
        self.tell = send
        while "websocket.disconnect" not in self.had:
            self.had.append((await receive())["type"])

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    async def come(self, said: bytes = message("a")) -> None:
        self.waiting.put_nowait({"type": "websocket.receive", "bytes": said})
        await anyio.wait_all_tasks_blocked()

    async def leave(self) -> None:
        self.waiting.put_nowait({"type": "websocket.disconnect", "code": 1005})
        await self.task


@pytest.mark.anyio
async def test_no_script_is_run_for_somebody_who_has_left_while_waiting() -> None:
    visits = SessionRegistry(
        pace=FairRateLimiter(burst=1, second=1e-6, places=9, clock=lambda: 0.0)
    )
    sender = Sender(visits)
    await sender.come()
    await sender.come()
    await sender.leave()
    assert (sender.had, sender.sent) == (["websocket.receive", "websocket.disconnect"], [])
    assert visits.late == 1
    assert len(visits.pace._queue) == 0


@pytest.mark.anyio
async def test_a_message_whose_turn_is_refused_is_not_read_and_ends_its_session() -> None:
    visits = SessionRegistry(
        pace=FairRateLimiter(burst=1, second=1e-6, places=1, clock=lambda: 0.0)
    )
    first, second = Sender(visits, "a"), Sender(visits, "b")
    await first.come()  # and goes on at once
    await second.come()
    await first.come()  # which has had more, and is refused
    await first.task
    assert first.had == ["websocket.receive", "websocket.disconnect"]
    assert [message["code"] for message in first.sent] == [1013]
    await second.leave()


@pytest.mark.anyio
async def test_who_came_before_names_were_known_has_a_name_when_they_are() -> None:
    who = [Client("here"), Client("here"), Client("here", "a")]
    line = WebSocketSession(None, None, lambda: who.pop(0))
    assert [line.visitor.id for _ in range(3)] == ["", "a", "a"]


@pytest.mark.anyio
async def test_what_a_client_has_sent_is_gone_with_it() -> None:
    messages: list[Message] = [
        {"type": "websocket.receive", "bytes": message("a")}
    ] * MAILBOX_MESSAGES
    sent, following = await lined(messages)
    assert (sent, following["type"]) == ([], "websocket.disconnect")


async def has_run(sender: Sender) -> None:
    ended = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
    await sender.tell({"type": "websocket.send", "bytes": ended})
    await anyio.wait_all_tasks_blocked()


@pytest.mark.anyio
async def test_a_script_waits_until_another_one_has_ended_or_its_page_is_gone() -> None:
    visits = SessionRegistry(pace=FairRateLimiter(burst=9, second=1, places=9, at_once=1))
    first, second = Sender(visits, "a"), Sender(visits, "b")
    for sender in (first, second):
        await sender.come()
    await first.tell({"type": "websocket.send", "bytes": b""})
    assert [len(each.had) for each in (first, second)] == [1, 0]
    await has_run(first)
    assert [len(each.had) for each in (first, second)] == [1, 1]
    await first.come()
    assert len(first.had) == 1
    await second.leave()
    await anyio.wait_all_tasks_blocked()
    assert len(first.had) == 2
    await first.leave()


@pytest.mark.anyio
async def test_what_runs_no_script_is_waited_for_by_nobody() -> None:
    visits = SessionRegistry(pace=FairRateLimiter(burst=9, second=1, places=9, at_once=1))
    first, second = Sender(visits, "a"), Sender(visits, "b")
    await first.come(BackMsg(app_heartbeat=True).SerializeToString())
    await second.come()
    assert [first.had, second.had] == [["websocket.receive"]] * 2
    for sender in (first, second):
        await sender.leave()


@pytest.mark.anyio
async def test_text_ends_a_session() -> None:
    sent, _ = await lined([{"type": "websocket.receive", "text": "hello"}])
    assert [message["code"] for message in sent] == [1003]


@pytest.mark.parametrize("path", ["metrics", "upload_file/a/b"])
def test_addresses_of_streamlits_that_no_page_needs_are_closed(path: str) -> None:
    assert client(SessionRegistry()).post(f"/_stcore/{path}").status_code == 404


def test_a_server_that_ends_takes_nothing_new() -> None:
    visits = SessionRegistry(ending=True)
    answer = client(visits).get("/axes")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "shutting down" in answer.json()["detail"]
    assert denied(visits).status_code == 503


@pytest.mark.anyio
async def test_what_is_not_answered_soon_when_the_server_ends_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_limits, "DRAIN_S", 0)
    visits, begun, sent = SessionRegistry(), asyncio.Event(), []

    async def never(*_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/uploads", "headers": []}
    answering = asyncio.create_task(SessionLimitMiddleware(never, visits)(scope, never, send))
    await begun.wait()
    visits.end()
    await answering
    assert sent[0]["status"] == 503
