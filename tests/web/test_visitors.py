import pytest
from starlette.requests import Request
from starlette.responses import Response

from lnviz.web.visitors import COOKIE, LETTERS, name, owner, visitor


def request(cookie: str | None, address: str = "1.2.3.4") -> Request:
    headers = [] if cookie is None else [(b"cookie", f"{COOKIE}={cookie}".encode())]
    return Request({"type": "http", "headers": headers, "client": (address, 1)})


def given(cookie: str | None = None) -> str:
    """The name that a page gives."""
    page = Response()
    name(request(cookie), page)
    return page.headers["set-cookie"].partition(";")[0].partition("=")[2]


def test_a_name_that_was_made_here_is_kept_and_tells_visitors_apart() -> None:
    names = [given(), given()]
    assert [len(made) for made in names] == [LETTERS, LETTERS]
    assert [visitor(request(made)) for made in names] == names
    assert [given(made) for made in names] == names
    assert len({owner(request(made)) for made in names}) == 2


@pytest.mark.parametrize(
    "cookie", [None, "", "somebody", "a" * 60_000, "é" * 22, "a%0d%0ab" + 14 * "c"]
)
def test_whoever_has_no_name_of_ours_goes_by_the_address(cookie: str | None) -> None:
    assert visitor(request(cookie)) == "1.2.3.4"
    assert owner(request(cookie)) != owner(request(cookie, "5.6.7.8"))
    assert given(cookie) != cookie
