import logging
import time

import anyio
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from lnviz.database.connection import StoreError
from lnviz.web import identity, lifespan
from lnviz.web.identity import CLASS, COOKIE, KEPT, LATER, LETTERS, Names, Visitor, as_page, visitor
from lnviz.web.lifespan import NO_SECRET_S, SECRET_S
from lnviz.web.responses import Body
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
    return as_page(asking, Body.of(b"a page"))


def given(cookie: str | None = None) -> str:
    """What a page gives to be kept."""
    page = shown(request(cookie))
    return page.headers.get("set-cookie", "").partition(";")[0].partition("=")[2]


def test_a_name_that_was_made_here_is_kept_and_tells_visitors_apart() -> None:
    kept = [given(), given()]
    found = [visitor(request(each)) for each in kept]
    assert [len(each.name) for each in found] == [LETTERS, LETTERS]
    assert [identity.NAMES.read(given(each)) for each in kept] == [each.name for each in found]
    assert len({each.owner for each in found}) == 2
    assert {each.address for each in found} == {"1.2.3.4"}


MADE_UP = "a" * LETTERS
OTHERS = Names("another secret").signed(MADE_UP)


@pytest.mark.parametrize(
    "cookie",
    [None, "", "somebody", "a" * 60_000, "é" * 22, "a%0d%0ab" + 14 * "c", MADE_UP, OTHERS],
    ids=lambda cookie: repr(cookie)[:12],
)
def test_whoever_has_no_name_of_ours_is_the_address(cookie: str | None) -> None:
    assert visitor(request(cookie)) == Visitor("1.2.3.4")
    assert visitor(request(cookie)).owner != visitor(request(cookie, "5.6.7.8")).owner
    assert given(cookie) != cookie


@drawn(st.text(min_size=1))
def test_no_name_is_an_address(text: str) -> None:
    assert Visitor("elsewhere", text).owner != Visitor(text).owner


def test_the_parts_of_a_name_cannot_be_changed() -> None:
    _, _, value = cookie("ada").partition("=")
    assert visitor(request(value)).name == f"{'ada':_<{LETTERS}}"
    for at in (0, -2):
        changed = list(value)
        changed[at] = "b" if changed[at] == "a" else "a"
        assert visitor(request("".join(changed))).name == ""


def test_an_address_gets_names_for_a_class_and_then_few() -> None:
    now = [0.0]
    names = Names("secret", clock=lambda: now[0])
    assert len({names.given(Visitor("here")) for _ in range(CLASS)}) == CLASS
    assert names.given(Visitor("here")) == ""
    assert names.given(Visitor("there")) != ""
    known = Visitor("here", MADE_UP)
    assert names.read(names.given(known)) == MADE_UP  # who has a name needs no other
    now[0] += 1 / LATER
    assert [bool(names.given(Visitor("here"))) for _ in range(2)] == [True, False]


def test_more_may_wait_for_figures_than_an_address_has_names() -> None:
    assert lifespan.payloads()._queue._places > CLASS


def test_a_rotated_secret_signs_anew_what_the_one_before_has_signed() -> None:
    names, before = Names("new"), Names("old").signed(MADE_UP)
    assert names.read(before) == ""
    names.know(["old", "new"])
    assert names.read(before) == MADE_UP
    assert Names("new").read(names.given(Visitor("here", MADE_UP))) == MADE_UP


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    seconds = [1_000_000_000]
    monkeypatch.setattr(time, "time", lambda: seconds[0])
    return seconds


def test_a_name_is_forgotten_that_was_signed_too_long_ago(now: list[int]) -> None:
    names = Names("secret")
    signed = names.signed(MADE_UP)
    now[0] += KEPT
    assert names.read(signed) == MADE_UP
    now[0] += 1
    assert names.read(signed) == ""


def test_a_process_that_may_not_know_the_secret_yet_lets_a_name_stand(
    monkeypatch: pytest.MonkeyPatch, now: list[int]
) -> None:
    names = Names("old")
    monkeypatch.setattr(identity, "NAMES", names)
    now[0] += 30
    signed = Names("new").signed(MADE_UP)
    assert given(signed) == ""
    now[0] += 30
    names.know(["old", "new"])
    assert names.read(given(signed)) == MADE_UP
    names.know(["old", "another"])
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
    assert visitor(request(None, host)).address == there


def test_a_secret_that_cannot_be_looked_up_is_looked_up_again_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    logged: list[object] = []
    found = iter([StoreError("Not now."), ["secret"], ["secret"]])

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    def known(_: object) -> list[str]:
        following = next(found, None)
        if following is None:
            raise KeyError  # which ends it
        if isinstance(following, StoreError):
            raise following
        return following

    monkeypatch.delenv(identity.VARIABLE)
    monkeypatch.setattr(identity, "NAMES", Names())
    monkeypatch.setattr(identity.keeping, "store", lambda: None)
    monkeypatch.setattr(identity.kept, "known", known)
    monkeypatch.setattr(lifespan.asyncio, "sleep", sleep)
    log = logging.getLogger("lnviz.web.lifespan")
    monkeypatch.setattr(log, "error", lambda _, error: logged.append(error))
    with pytest.raises(KeyError):
        anyio.run(lifespan._names)
    assert slept == [NO_SECRET_S, NO_SECRET_S, SECRET_S, SECRET_S]
    assert [str(error) for error in logged] == ["Not now."]


def test_without_a_secret_everybody_is_the_address() -> None:
    names = Names()
    assert names.given(Visitor("here")) == ""
    assert names.read(Names("secret").signed(MADE_UP)) == ""


def test_the_environment_says_more_than_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "NAMES", Names())
    monkeypatch.setattr(identity.keeping, "store", lambda: None)  # which would fail when asked
    identity.refresh()
    monkeypatch.delenv(identity.VARIABLE)
    monkeypatch.setattr(identity.kept, "known", lambda _: ["of the database"])
    identity.refresh()
    assert identity.NAMES.read(Names("of the database").signed(MADE_UP)) == MADE_UP
