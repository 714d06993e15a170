"""The pages of phones and of the remote: light, complete, and with a name for the browser."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from lnviz.frontend import static_files as files
from lnviz.web.fair_queue import FairSemaphore, QueueFull
from lnviz.web.identity_cookie import COOKIE
from tests.service.client import cookie
from tests.web.serving import Links, Site, with_rooms
from tests.web.test_rooms import Lesson

LIGHT = 60 * 1024  # bytes of a phone's page with all that it loads, as they are sent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with with_rooms(tmp_path_factory.mktemp("rooms") / "rooms.sqlite") as site:
        yield site


def test_a_phone_s_page_knows_its_room_and_names_its_browser(site: Site) -> None:
    lesson = Lesson(site)
    page = site.get(f"/{lesson.code}")
    assert page.status == 200
    assert f'data-code="{lesson.code}" data-base="" data-assets="/assets/' in page.text
    assert page.headers["set-cookie"].startswith(COOKIE)
    join = site.get("/join")
    assert 'data-code=""' in join.text
    assert join.headers["set-cookie"].startswith(COOKIE)


def test_an_unknown_code_has_the_same_page_and_says_so(site: Site) -> None:
    lesson = Lesson(site)
    code = f"{(int(lesson.code) + 1) % 10**6:06d}"
    page = site.get(f"/{code}", cookie=cookie("ann"))
    assert page.status == 404
    assert f'data-code="{code}"' in page.text


def test_a_code_may_be_typed_as_it_is_shown(site: Site) -> None:
    page = site.get("/482%20913")
    assert (page.status, page.headers["location"]) == (307, "/482913")


def test_all_that_a_phone_s_page_names_is_there_and_is_light(site: Site) -> None:
    page = site.get("/join", accept_encoding="gzip")
    links = Links(page.text).found
    own = {name for name in files.file_names() if name.startswith("room/phone.")}
    assert own <= {re.sub(r"^/assets/\w+/", "", link) for link in links}
    answers = [site.get(link, accept_encoding="gzip") for link in dict.fromkeys(links)]
    assert {answer.status for answer in answers} == {200}
    assert len(page.raw) + sum(len(answer.raw) for answer in answers) < LIGHT


def test_the_remote_s_page_is_for_who_has_the_key(site: Site) -> None:
    lesson = Lesson(site)
    page = lesson.ask("GET", lesson.at("/remote"))
    assert page.status == 200
    assert f'data-code="{lesson.code}"' in page.text
    assert {site.get(link).status for link in Links(page.text).found} == {200}
    refused = site.get(lesson.at("/remote"), cookie=cookie("ann"))
    assert refused.status == 403
    assert "does not control this room" in refused.text


def test_where_too_many_ask_each_page_says_so_in_its_own_way(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def full(*_: object) -> AsyncIterator[None]:
        raise QueueFull
        yield

    monkeypatch.setattr(FairSemaphore, "acquire", full)
    remote = site.get("/rooms/482913/remote", cookie=cookie("ann"))
    assert (remote.status, remote.headers["retry-after"]) == (503, "2")
    assert "The server is busy." in remote.text
    state = site.get("/rooms/482913/state", cookie=cookie("ann"))
    assert (state.status, state.json["detail"][:20]) == (503, "The server is busy. ")
    # The phone's page asks by itself.
    assert 'data-code="482913"' in site.get("/482913", cookie=cookie("ann")).text
