"""What whoever runs the server sees of it, and nobody else does."""

import base64
import re
from collections.abc import Iterator

import pytest

from lnviz.background import survives
from lnviz.web.status import STATUS_TOKEN_ENV
from tests.service.client import cookie
from tests.web.addresses import PAYLOAD
from tests.web.serving import Site, served

TOKEN = "correct horse"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv(STATUS_TOKEN_ENV, TOKEN)
    with served() as site:
        yield site


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anybody:{password}".encode()).decode()


@pytest.mark.parametrize("path", ["/status", "/metrics"])
def test_the_token_opens_it_and_nothing_else_does(site: Site, path: str) -> None:
    assert site.get(path, Authorization=basic(TOKEN)).status == 200
    assert site.get(path, Authorization=f"Bearer {TOKEN}").status == 200
    for wrong in ("", "Bearer", "Bearer wrong", basic("wrong"), basic(""), "Basic \xff", "Basic ="):
        answer = site.get(path, Authorization=wrong)
        assert answer.status == 401, wrong
        assert answer.headers["www-authenticate"].startswith("Basic ")


def test_who_guesses_has_to_wait(site: Site) -> None:
    found = [site.get("/status", Authorization="Bearer guess") for _ in range(12)]
    assert [answer.status for answer in found[9:11]] == [401, 429]
    assert int(found[-1].headers["retry-after"]) > 0
    assert site.get("/status", Authorization=f"Bearer {TOKEN}").status == 429  # a guess, too


def test_who_has_the_token_does_not_wait_for_asking_often(site: Site) -> None:
    for _ in range(9):
        assert site.get("/status", Authorization="Bearer guess").status == 401
    for _ in range(20):
        assert site.get("/status").status == 401
        assert site.get("/metrics", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.mark.parametrize("path", ["/status", "/metrics"])
def test_without_a_token_there_is_nothing(
    site: Site, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATUS_TOKEN_ENV, "")
    for authorization in ("", "Bearer ", basic("")):
        assert site.get(path, Authorization=authorization).status == 404


def test_it_says_what_figures_have_cost_and_no_visitors_data(site: Site) -> None:
    site.get(f"{PAYLOAD}?data=table.31.41_59.26*1_2", Cookie=cookie("somebody"))
    status = site.get("/status", Authorization=basic(TOKEN))
    metrics = site.get("/metrics", Authorization=basic(TOKEN)).text
    assert status.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"process .*; 0 pages open, .*; [\d,]+ of 1,536 MB; .*\n", status.text)
    assert 'lnviz_figure_total{figure="axes/grid"} 1.0' in metrics
    assert "0 rooms with 0 listening, 0 answers stored" in status.text
    assert all(f"lnviz_{each} 0.0" in metrics for each in ("rooms", "room_streams"))
    assert 'lnviz_figure_longest_seconds{figure="axes/grid"}' in metrics
    for shown in (status.text, metrics):
        assert not re.search("somebody|31.41|127.0.0.1", shown)


def test_it_counts_unexpected_errors_of_what_runs_in_the_background(site: Site) -> None:
    with survives("test_status"):
        raise ValueError("unexpected")
    metrics = site.get("/metrics", Authorization=basic(TOKEN)).text
    assert 'lnviz_background_errors_total{task="test_status"} 1.0' in metrics
