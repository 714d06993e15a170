"""Requests and sessions that the middleware admits."""

import tomllib

import pytest

from lnviz.web.app_root import APP_ROOT
from lnviz.web.serve import MAX_MESSAGE_BYTES
from lnviz.web.session_limits import MAX_HEADERS, STREAM_PATH
from lnviz.web.websocket_session import MAILBOX_BYTES
from tests.web.sessions import client, denied, registry


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
    sessions = registry()
    answer = denied(sessions, path=path, headers={"Origin": origin})
    assert answer.status_code == status
    with client(sessions).websocket_connect(STREAM_PATH, headers={"Origin": "http://testserver"}):
        assert (len(sessions), sessions.rejected) == (1, 1)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_streamlit_does_not_look_for_the_site_that_a_page_is_of(method: str) -> None:
    answer = client(registry()).request(method, "/axes", headers={"Origin": "http://elsewhere"})
    assert "elsewhere" not in answer.text


def test_a_request_with_more_headers_than_a_browser_sends_is_refused() -> None:
    many = {f"a{number}": "" for number in range(MAX_HEADERS)}
    assert client(registry()).get("/axes", headers=many).status_code == 431


@pytest.mark.parametrize("path", ["metrics", "upload_file/a/b"])
def test_addresses_of_streamlits_that_no_page_needs_are_closed(path: str) -> None:
    assert client(registry()).post(f"/_stcore/{path}").status_code == 404


def test_both_ways_to_start_the_server_take_messages_of_one_size() -> None:
    settings = tomllib.loads((APP_ROOT / ".streamlit/config.toml").read_text())["server"]
    assert settings["maxMessageSize"] * 10**6 == MAX_MESSAGE_BYTES
    assert MAILBOX_BYTES < settings["maxWidgetStateSize"] * 10**6 <= MAX_MESSAGE_BYTES
