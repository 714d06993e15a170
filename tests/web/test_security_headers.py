import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from lnviz.web import security_headers
from tests.service.client import Answer
from tests.web.addresses import PAYLOAD, asset
from tests.web.serving import Site

STANDALONE = PAYLOAD.replace(".json", ".html")


def policy(answer: Answer) -> dict[str, list[str]]:
    rules = answer.headers["content-security-policy"].split("; ")
    return {name: values for name, *values in (rule.split() for rule in rules)}


@pytest.mark.parametrize(
    "path", ["/axes", STANDALONE, PAYLOAD, asset("engine/figure.js"), "/gone", "/explorables/gone"]
)
def test_every_answer_says_what_it_is_and_keeps_addresses_to_itself(site: Site, path: str) -> None:
    answer = site.get(path)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert policy(answer)["default-src"] == ["'none'"]


@pytest.mark.parametrize("path", ["/axes", "/present/axes"])
def test_the_app_is_framed_by_its_own_site_alone(site: Site, path: str) -> None:
    assert policy(site.get(path))["frame-ancestors"] == ["'self'"]


def test_what_is_not_a_page_is_framed_by_nobody(site: Site) -> None:
    assert policy(site.get(PAYLOAD))["frame-ancestors"] == ["'none'"]


def test_a_figure_of_its_own_may_be_framed_anywhere(site: Site) -> None:
    assert "frame-ancestors" not in policy(site.get(STANDALONE))


@pytest.mark.parametrize("path", ["/axes", STANDALONE, "/present/axes"])
def test_pages_take_scripts_from_their_server_and_run_no_others(site: Site, path: str) -> None:
    found = policy(site.get(path))
    assert "'self'" in found["script-src"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "data:"} & set(found["script-src"])
    assert found["connect-src"] == ["'self'"]


def test_word_that_a_kept_page_is_still_good_leaves_its_policy(site: Site) -> None:
    etag = site.get("/axes").headers["etag"]
    again = site.get("/axes", If_None_Match=etag)
    assert again.status == 304
    assert "content-security-policy" not in again.headers


def test_an_answer_that_could_not_be_made_has_its_headers_and_a_sentence() -> None:
    async def broken(_: Any) -> None:
        raise RuntimeError("a secret")

    app = Starlette(
        routes=[Route("/", broken)],
        middleware=[Middleware(security_headers.SecurityHeadersMiddleware)],
        exception_handlers={Exception: security_headers.server_error},
    )
    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert json.loads(answer.text) == {
        "detail": "Something went wrong on the server. Try again in a moment."
    }
