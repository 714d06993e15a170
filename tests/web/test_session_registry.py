"""Sessions that are opened, and those that make room for them."""

import pytest

from lnviz.web import proxy_check, session_limits
from lnviz.web.session_limits import STREAM_PATH
from tests.web.sessions import client, denied, message, registry


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The warnings about proxies, of which there have been none before."""
    said: list[str] = []
    monkeypatch.setattr(proxy_check, "_logged", set())
    monkeypatch.setattr(proxy_check._log, "warning", lambda form, *rest: said.append(form % rest))
    return said


def test_who_has_opened_most_makes_room_for_a_classmate() -> None:
    sessions = registry(3)
    with (
        client(sessions, "many").websocket_connect(STREAM_PATH) as first,
        client(sessions, "many").websocket_connect(STREAM_PATH) as second,
        client(sessions, "another").websocket_connect(STREAM_PATH) as third,
    ):
        first.send_bytes(message("a"))
        assert first.receive_bytes() == message("a")
        with client(sessions, "classmate").websocket_connect(STREAM_PATH) as own:
            assert second.receive()["code"] == 1013  # which was the more silent one
            for socket in (first, third, own):
                socket.send_bytes(message("b"))
                assert socket.receive_bytes() == message("b")
    assert len(sessions) == 0


def test_the_most_silent_page_makes_room_where_nobody_has_more_than_others() -> None:
    sessions = registry(2)
    with (
        client(sessions, "a").websocket_connect(STREAM_PATH) as first,
        client(sessions, "b").websocket_connect(STREAM_PATH) as second,
    ):
        for socket in (second, first):  # the second has been silent for longer now
            socket.send_bytes(message("a"))
            assert socket.receive_bytes() == message("a")
        with client(sessions, "c").websocket_connect(STREAM_PATH) as third:
            assert second.receive()["code"] == 1013
            for socket in (first, third):
                socket.send_bytes(message("b"))
                assert socket.receive_bytes() == message("b")


def test_who_has_opened_most_replaces_but_their_own_page() -> None:
    sessions = registry(3)
    with (
        client(sessions, "few").websocket_connect(STREAM_PATH) as other,
        client(sessions, "many").websocket_connect(STREAM_PATH) as silent,
        client(sessions, "many").websocket_connect(STREAM_PATH),
        client(sessions, "many").websocket_connect(STREAM_PATH),
    ):
        assert silent.receive()["code"] == 1013
        other.send_bytes(message("a"))
        assert other.receive_bytes() == message("a")


def test_a_page_that_comes_back_by_itself_takes_nobodys_place() -> None:
    sessions = registry(1)
    with client(sessions, "a").websocket_connect(STREAM_PATH) as first:
        before = ["streamlit", "a token", "its session"]
        assert denied(sessions, "b", subprotocols=before).headers["retry-after"] == "60"
        assert client(sessions, "b").get("/session?again").status_code == 503
        assert client(sessions, "b").get("/session").status_code == 200
        first.send_bytes(message("a"))
        assert first.receive_bytes() == message("a")


def test_a_page_that_comes_back_takes_a_place_of_who_has_more() -> None:
    sessions = registry(2)
    with (
        client(sessions, "a").websocket_connect(STREAM_PATH) as first,
        client(sessions, "a").websocket_connect(STREAM_PATH),
    ):
        before = ["streamlit", "a token", "its session"]
        with client(sessions, "b").websocket_connect(STREAM_PATH, subprotocols=before):
            assert first.receive()["code"] == 1013


def test_whether_a_session_would_be_refused_can_be_asked() -> None:
    sessions = registry(1)
    assert client(sessions).get("/session").json() == {}
    with client(sessions).websocket_connect(STREAM_PATH):
        refusal = client(sessions, "b").get("/session?again")
        before = ["streamlit", "a token", "its session"]
        answer = denied(sessions, "b", subprotocols=before)
        assert (refusal.status_code, refusal.json()) == (503, answer.json())
    assert sessions.rejected == 1


@pytest.mark.parametrize(
    ("at", "problem"),
    [
        ("testserver/session", ""),
        ("here.example/session", "must pass on the header Host"),
        ("testserver/lnviz/session", "STREAMLIT_SERVER_BASE_URL_PATH=lnviz."),
    ],
)
def test_a_page_whose_proxy_changes_its_requests_hears_what_the_proxy_must_do(
    at: str, problem: str, log: list[str]
) -> None:
    answer = client(registry()).get("/session", params={"at": at})
    assert answer.status_code == (403 if problem else 200)
    assert problem in answer.json().get("detail", "")
    assert [problem in line for line in log] == [True] * bool(problem)


def test_the_log_names_the_page_and_the_host_of_a_session_from_elsewhere_a_few_times(
    log: list[str],
) -> None:
    for each in range(20):
        denied(registry(), headers={"Origin": f"https://page-{each}.example"})
    assert "'https://page-0.example" in log[0]
    assert "'testserver'" in log[0]
    assert len(log) == proxy_check.MAX_WARNINGS


def test_a_page_whose_proxy_passes_on_no_websockets_hears_it_and_so_does_the_log(
    log: list[str],
) -> None:
    reader = client(registry())
    assert reader.get("/session").status_code == 200
    assert reader.get(STREAM_PATH, headers={"Sec-WebSocket-Key": "a"}).status_code == 426
    assert "must pass on WebSockets" in reader.get("/session").json()["detail"]
    assert log == [proxy_check.NO_UPGRADE]


def test_a_server_below_a_path_says_so_to_requests_that_have_lost_it(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (proxy_check, session_limits):
        monkeypatch.setattr(module, "base_path", lambda: "/class")
    reader = client(registry())
    for path in ("/", "/axes", "/classic"):
        answer = reader.get(path)
        assert answer.status_code == 404
        assert f"asked for {path}, but all its pages are below /class/" in answer.text
    assert reader.get("/class/axes").text == "hello"
    assert len(log) == 1
