import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from lnviz.web import visitors
from lnviz.web.visitors import CLASS, COOKIE, LATER, LETTERS, Names, Visitor, name, visitor
from tests.service.client import cookie


def request(cookie: str | None, address: str = "1.2.3.4") -> Request:
    headers = [] if cookie is None else [(b"cookie", f"{COOKIE}={cookie}".encode())]
    return Request({"type": "http", "headers": headers, "client": (address, 1)})


def given(cookie: str | None = None) -> str:
    """What a page gives to be kept."""
    page = Response()
    name(request(cookie), page)
    return page.headers["set-cookie"].partition(";")[0].partition("=")[2]


def test_a_name_that_was_made_here_is_kept_and_tells_visitors_apart() -> None:
    kept = [given(), given()]
    found = [visitor(request(each)) for each in kept]
    assert [len(each.name) for each in found] == [LETTERS, LETTERS]
    assert [given(each) for each in kept] == kept
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
    assert names.given(known) == names.signed(MADE_UP)  # who has a name needs no other
    now[0] += 1 / LATER
    assert [bool(names.given(Visitor("here"))) for _ in range(2)] == [True, False]


def test_a_rotated_secret_signs_anew_what_the_one_before_has_signed() -> None:
    names, before = Names("new"), Names("old").signed(MADE_UP)
    assert names.read(before) == ""
    names.know(["old", "new"])
    assert names.read(before) == MADE_UP
    assert names.given(Visitor("here", MADE_UP)) == Names("new").signed(MADE_UP)


def test_without_a_secret_everybody_is_the_address() -> None:
    names = Names()
    assert names.given(Visitor("here")) == ""
    assert names.read(Names("secret").signed(MADE_UP)) == ""


def test_the_environment_says_more_than_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "NAMES", Names())
    monkeypatch.setattr(visitors.keeping, "store", lambda: None)  # which would fail when asked
    visitors.refresh()
    monkeypatch.delenv(visitors.VARIABLE)
    monkeypatch.setattr(visitors.kept, "known", lambda _: ["of the database"])
    visitors.refresh()
    assert visitors.NAMES.read(Names("of the database").signed(MADE_UP)) == MADE_UP
