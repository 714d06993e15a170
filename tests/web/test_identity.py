import asyncio
import logging
import time

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from lnviz import background
from lnviz.database.errors import StoreError
from lnviz.web import identity, identity_cookie, lifespan
from lnviz.web.identity import Client, identify_client, page_response
from lnviz.web.identity_cookie import (
    COOKIE,
    COOKIE_MAX_AGE_S,
    ID_LENGTH,
    ISSUE_BURST,
    ISSUES_PER_SECOND,
    IdentityCookies,
)
from lnviz.web.lifespan import KEY_REFRESH_S, KEY_RETRY_S
from lnviz.web.responses import CompressedBody
from tests.service.client import cookie


def request(
    cookie: str | None, address: str = "1.2.3.4", *, into: str = "", scheme: str = "http"
) -> Request:
    headers = [] if cookie is None else [(b"cookie", f"{COOKIE}={cookie}".encode())]
    headers += [(b"sec-fetch-dest", into.encode())] if into else []
    scope = {"type": "http", "path": "/", "scheme": scheme, "headers": headers}
    return Request(scope | {"client": (address, 1), "server": ("class", 80)})


def shown(asking: Request) -> Response:
    """A page as it is answered."""
    return page_response(asking, CompressedBody.compress(b"a page"))


def given(cookie: str | None = None) -> str:
    """What a page gives to be kept."""
    page = shown(request(cookie))
    return page.headers.get("set-cookie", "").partition(";")[0].partition("=")[2]


def test_a_name_that_was_made_here_is_kept_and_tells_visitors_apart() -> None:
    kept = [given(), given()]
    found = [identify_client(request(each)) for each in kept]
    assert [len(each.id) for each in found] == [ID_LENGTH, ID_LENGTH]
    assert [identity.IDENTITY_COOKIES.verify(given(each)) for each in kept] == [
        each.id for each in found
    ]
    assert len({each.owner_hash for each in found}) == 2
    assert {each.network for each in found} == {"1.2.3.4"}


MADE_UP = "a" * ID_LENGTH
OTHERS = IdentityCookies("another secret").sign(MADE_UP)


@pytest.mark.parametrize(
    "cookie",
    [None, "", "somebody", "a" * 60_000, "é" * 22, "a%0d%0ab" + 14 * "c", MADE_UP, OTHERS],
    ids=lambda cookie: repr(cookie)[:12],
)
def test_whoever_has_no_name_of_ours_is_the_address(cookie: str | None) -> None:
    assert identify_client(request(cookie)) == Client("1.2.3.4")
    assert (
        identify_client(request(cookie)).owner_hash
        != identify_client(request(cookie, "5.6.7.8")).owner_hash
    )
    assert given(cookie) != cookie


@drawn(st.text(min_size=1))
def test_no_name_is_an_address(text: str) -> None:
    assert Client("elsewhere", text).owner_hash != Client(text).owner_hash


def test_the_parts_of_a_name_cannot_be_changed() -> None:
    _, _, value = cookie("ada").partition("=")
    assert identify_client(request(value)).id == f"{'ada':_<{ID_LENGTH}}"
    for at in (0, -2):
        changed = list(value)
        changed[at] = "b" if changed[at] == "a" else "a"
        assert identify_client(request("".join(changed))).id == ""


def test_an_address_gets_names_for_a_class_and_then_few() -> None:
    now = [0.0]
    names = IdentityCookies("secret", clock=lambda: now[0])
    assert len({names.issue("", "here") for _ in range(ISSUE_BURST)}) == ISSUE_BURST
    assert names.issue("", "here") == ""
    assert names.issue("", "there") != ""
    assert names.verify(names.issue(MADE_UP, "here")) == MADE_UP  # who has a name needs no other
    now[0] += 1 / ISSUES_PER_SECOND
    assert [bool(names.issue("", "here")) for _ in range(2)] == [True, False]


def test_a_rotated_secret_signs_anew_what_the_one_before_has_signed() -> None:
    names, before = IdentityCookies("new"), IdentityCookies("old").sign(MADE_UP)
    assert names.verify(before) == ""
    names.set_keys(["old", "new"])
    assert names.verify(before) == MADE_UP
    assert IdentityCookies("new").verify(names.issue(MADE_UP, "here")) == MADE_UP


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    seconds = [1_000_000_000]
    monkeypatch.setattr(time, "time", lambda: seconds[0])
    return seconds


def test_a_name_is_forgotten_that_was_signed_too_long_ago(now: list[int]) -> None:
    names = IdentityCookies("secret")
    signed = names.sign(MADE_UP)
    now[0] += COOKIE_MAX_AGE_S
    assert names.verify(signed) == MADE_UP
    now[0] += 1
    assert names.verify(signed) == ""


def test_a_process_that_may_not_know_the_secret_yet_lets_a_name_stand(
    monkeypatch: pytest.MonkeyPatch, now: list[int]
) -> None:
    names = IdentityCookies("old")
    monkeypatch.setattr(identity, "IDENTITY_COOKIES", names)
    now[0] += 30
    signed = IdentityCookies("new").sign(MADE_UP)
    assert given(signed) == ""
    now[0] += 30
    names.set_keys(["old", "new"])
    assert names.verify(given(signed)) == MADE_UP
    names.set_keys(["old", "another"])
    assert given(signed) != ""  # which nobody knows who has looked since


@pytest.mark.parametrize("into", ["iframe", "image", "empty"])
def test_what_is_no_page_of_its_own_names_nobody(into: str) -> None:
    assert "set-cookie" not in shown(request(None, into=into)).headers
    assert "set-cookie" in shown(request(None, into="document")).headers


def test_a_name_that_was_given_over_https_is_sent_over_https_alone() -> None:
    for scheme in ("http", "https"):
        page = shown(request(None, scheme=scheme))
        assert ("Secure" in page.headers["set-cookie"]) == (scheme == "https")


@pytest.mark.parametrize(
    ("host", "there"),
    [
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix:", "unix:"),
        ("testclient", "testclient"),
    ],
)
def test_an_address_is_what_one_household_has_or_what_stands_there(host: str, there: str) -> None:
    assert identify_client(request(None, host)).network == there


def test_keys_that_cannot_be_read_are_logged_or_counted_and_read_again_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    logged: list[object] = []
    found = iter([StoreError("Not now."), KeyError("a bug"), ["secret"], ["secret"]])

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 6:
            raise asyncio.CancelledError

    def known(_: object) -> list[str]:
        following = next(found)
        if isinstance(following, Exception):
            raise following
        return following

    before = background.failures().get("signing_keys", 0)
    monkeypatch.delenv(identity_cookie.SECRET_ENV)
    monkeypatch.setattr(identity_cookie, "IDENTITY_COOKIES", IdentityCookies())
    monkeypatch.setattr(identity_cookie, "get_database", lambda: None)
    monkeypatch.setattr(identity_cookie.signing_keys, "active_keys", known)
    monkeypatch.setattr(lifespan.asyncio, "sleep", sleep)
    log = logging.getLogger("lnviz.web.lifespan")
    monkeypatch.setattr(log, "error", lambda _, error: logged.append(error))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(lifespan._refresh_keys())
    assert slept == [*3 * [KEY_RETRY_S], *3 * [KEY_REFRESH_S]]
    assert [str(error) for error in logged] == ["Not now."]
    assert background.failures()["signing_keys"] == before + 2  # and there was no fifth answer


def test_without_a_secret_everybody_is_the_address() -> None:
    names = IdentityCookies()
    assert names.issue("", "here") == ""
    assert names.verify(IdentityCookies("secret").sign(MADE_UP)) == ""


def test_the_environment_says_more_than_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_cookie, "IDENTITY_COOKIES", IdentityCookies())
    monkeypatch.setattr(identity_cookie, "get_database", lambda: None)  # fails if it is used
    identity_cookie.reload_signing_keys()
    monkeypatch.delenv(identity_cookie.SECRET_ENV)
    monkeypatch.setattr(identity_cookie.signing_keys, "active_keys", lambda _: ["of the database"])
    identity_cookie.reload_signing_keys()
    assert (
        identity_cookie.IDENTITY_COOKIES.verify(IdentityCookies("of the database").sign(MADE_UP))
        == MADE_UP
    )
