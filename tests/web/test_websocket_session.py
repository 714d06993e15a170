"""Messages of a session: which are passed on, when, and which end it."""

from collections import deque

import anyio
import pytest
from starlette.types import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lnviz import background
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import Client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.session_limits import STREAM_PATH
from lnviz.web.websocket_session import (
    MAILBOX_BYTES,
    MAILBOX_MESSAGES,
    MAX_WIDGETS,
    WebSocketSession,
)
from tests.web.sessions import Sender, client, message, registry


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def with_widgets(count: int) -> bytes:
    data = BackMsg.FromString(message("a"))
    for _ in range(count):
        data.rerun_script.widget_states.widgets.add()
    return data.SerializeToString()


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
    with client(registry()).websocket_connect(STREAM_PATH) as socket:
        socket.send_bytes(data)
        assert socket.receive()["code"] == 1003


def test_what_pages_say_is_passed_on() -> None:
    with client(registry()).websocket_connect(STREAM_PATH) as socket:
        for data in (BackMsg(app_heartbeat=True), BackMsg(stop_script=True)):
            socket.send_bytes(data.SerializeToString())
            assert socket.receive_bytes() == data.SerializeToString()
        socket.send_bytes(with_widgets(MAX_WIDGETS))
        assert socket.receive_bytes() == with_widgets(MAX_WIDGETS)


def test_messages_that_come_too_fast_wait_and_are_read_in_turn() -> None:
    sessions = registry(rate=RateLimiter(burst=2, per_second=1e6))
    with client(sessions).websocket_connect(STREAM_PATH) as socket:
        sent = [message(str(n)) for n in range(5)]
        for each in sent:
            socket.send_bytes(each)
        assert [socket.receive_bytes() for _ in sent] == sent


def test_what_has_been_read_makes_room_for_more_bytes() -> None:
    large = message("a" * (MAILBOX_BYTES // 2 - 100))
    with client(registry()).websocket_connect(STREAM_PATH) as socket:
        for _ in range(3):
            socket.send_bytes(large)
            assert socket.receive_bytes() == large


async def read(messages: list[Message]) -> tuple[list[Message], Message]:
    """What a session sends that reads these at once, and the message that it hands on then."""
    waiting, sent = deque(messages), []

    async def receive() -> Message:
        return waiting.popleft() if waiting else {"type": "websocket.disconnect", "code": 1006}

    async def send(message: Message) -> None:
        sent.append(message)

    session = WebSocketSession(receive, send, lambda: Client("here"), FairSemaphore(9, 9))
    await session.read()
    await session.send({"type": "websocket.send"})
    following = await session.receive()
    await session.close()
    return sent, following


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([{"type": "websocket.receive", "bytes": message("a")}] * (MAILBOX_MESSAGES + 1), 1013),
        ([{"type": "websocket.receive", "bytes": message("a" * MAILBOX_BYTES)}], 1009),
        ([{"type": "websocket.receive", "bytes": message("a" * (MAILBOX_BYTES // 3))}] * 2, 1009),
        ([{"type": "websocket.receive", "text": "hello"}], 1003),
    ],
    ids=["many", "large", "large together", "text"],
)
async def test_more_than_a_page_sends_ends_a_session_and_none_of_it_is_read(
    messages: list[Message], code: int
) -> None:
    sent, following = await read(messages)
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", code)]
    assert following["type"] == "websocket.disconnect"


@pytest.mark.anyio
async def test_what_a_client_has_sent_is_gone_with_it() -> None:
    messages = [{"type": "websocket.receive", "bytes": message("a")}] * MAILBOX_MESSAGES
    sent, following = await read(messages)
    assert (sent, following["type"]) == ([], "websocket.disconnect")


@pytest.mark.anyio
async def test_a_session_that_is_cut_off_ends_for_who_does_not_hear_of_it() -> None:
    async def receive() -> Message:
        return {"type": "websocket.receive", "text": "hello"}

    async def send(_: Message) -> None:
        raise OSError

    session = WebSocketSession(receive, send, lambda: Client("here"), FairSemaphore(9, 9))
    await session.read()
    assert (await session.receive())["type"] == "websocket.disconnect"
    await session.close()


@pytest.mark.anyio
async def test_a_reader_that_fails_is_counted_and_frees_its_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def receive(_: Sender) -> Message:
        raise KeyError("unexpected")

    monkeypatch.setattr(Sender, "receive", receive)
    before, sessions = background.failures().get("websocket_reader", 0), registry()
    sender = Sender(sessions)
    await anyio.wait_all_tasks_blocked()
    assert sender.task.done()
    assert background.failures()["websocket_reader"] == before + 1
    assert [message["code"] for message in sender.sent] == [1011]
    assert (sender.received, len(sessions)) == (["websocket.disconnect"], 0)


@pytest.mark.anyio
async def test_a_client_is_identified_as_soon_as_the_signing_keys_are_known() -> None:
    found = [Client("here"), Client("here"), Client("here", "a")]

    async def unused(*_: Message) -> Message:
        raise NotImplementedError

    session = WebSocketSession(unused, unused, lambda: found.pop(0), FairSemaphore(9, 9))
    assert [session.client.id for _ in range(3)] == ["", "a", "a"]


@pytest.mark.anyio
async def test_no_script_is_run_for_somebody_who_has_left_while_waiting() -> None:
    sessions = registry(rate=RateLimiter(burst=1, per_second=1e-6, clock=lambda: 0.0))
    sender = Sender(sessions)
    await sender.come()
    await sender.come()
    await sender.leave()
    assert (sender.received, sender.sent) == (["websocket.receive", "websocket.disconnect"], [])
    assert sessions.limiter.delayed == 1


@pytest.mark.anyio
async def test_a_message_that_is_refused_is_not_read_and_ends_its_session() -> None:
    sessions = registry()
    sessions.limiter = FairSemaphore(1, queue_size=1)
    first, second, third = (Sender(sessions, name) for name in "abc")
    for sender in (first, second, third):
        await sender.come()
    await third.task
    assert third.received == ["websocket.disconnect"]
    assert [message["code"] for message in third.sent] == [1013]
    for sender in (second, first):
        await sender.leave()


async def finish_script(sender: Sender) -> None:
    finished = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString()
    await sender.send_from_app({"type": "websocket.send", "bytes": finished})
    await anyio.wait_all_tasks_blocked()


@pytest.fixture
def a_script_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lnviz.web.websocket_session.SCRIPT_S", 1e6)


@pytest.mark.anyio
@pytest.mark.usefixtures("a_script_takes_long")
async def test_a_script_waits_until_another_one_has_ended_or_its_page_is_gone() -> None:
    sessions = registry(capacity=1)
    first, second = Sender(sessions, "a"), Sender(sessions, "b")
    for sender in (first, second):
        await sender.come()
    await first.send_from_app({"type": "websocket.send", "bytes": b""})
    assert [len(each.received) for each in (first, second)] == [1, 0]
    await finish_script(first)
    assert [len(each.received) for each in (first, second)] == [1, 1]
    await first.come()
    assert len(first.received) == 1
    await second.leave()
    await anyio.wait_all_tasks_blocked()
    assert len(first.received) == 2
    await first.leave()


@pytest.mark.anyio
@pytest.mark.usefixtures("a_script_takes_long")
async def test_a_message_that_waits_is_still_read_when_the_script_before_it_has_ended() -> None:
    sessions = registry(capacity=1)
    first, second = Sender(sessions, "a"), Sender(sessions, "b")
    await second.come()
    await first.come()
    await finish_script(first)  # of a script that was started otherwise
    await finish_script(second)
    assert len(first.received) == 1
    for sender in (first, second):
        await sender.leave()


@pytest.mark.anyio
@pytest.mark.usefixtures("a_script_takes_long")
async def test_what_runs_no_script_is_waited_for_by_nobody() -> None:
    sessions = registry(capacity=1)
    first, second = Sender(sessions, "a"), Sender(sessions, "b")
    await first.come(BackMsg(app_heartbeat=True).SerializeToString())
    await second.come()
    assert [first.received, second.received] == [["websocket.receive"]] * 2
    for sender in (first, second):
        await sender.leave()
