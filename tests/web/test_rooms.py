"""Rooms over HTTP: coming in, hearing what changes, answering, leading, and being refused."""

import csv
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lnviz.book.teach.plans import PLANS
from lnviz.rooms import hub, join_urls, queries
from lnviz.rooms.auth import find_room
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.store import RoomStore
from lnviz.web.identity_cookie import ISSUE_BURST
from lnviz.web.rooms import code_throttle, room_service
from lnviz.web.rooms.presenters import NETWORK_BURST, NETWORK_INTERVAL_S
from lnviz.web.status import STATUS_TOKEN_ENV
from tests.service.client import Answer, Client, cookie
from tests.web.serving import Site, served, with_rooms

pytestmark = pytest.mark.slow

NUMBERS = count()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rooms") / "rooms.sqlite"


@pytest.fixture(scope="module")
def site(file: Path) -> Iterator[Site]:
    with with_rooms(file) as site:
        yield site


@pytest.fixture(scope="module")
def other(file: Path) -> Iterator[Site]:
    """Another process of the same server, as far as rooms can tell."""
    with with_rooms(file) as other:
        yield other


class Stream:
    """Events, as they come."""

    def __init__(self, response: HTTPResponse) -> None:
        self.response = response

    def next(self) -> tuple[str, Any]:
        event = ""
        while line := self.response.readline():
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                return event, json.loads(value)
        return "", None

    def until(self, event: str, key: str = "", value: Any = None) -> Any:
        """The first event of a kind of which a part is this."""
        while True:
            kind, document = self.next()
            assert kind, f"the stream has ended before {event} {key}"
            if kind == event and (not key or document[key] == value):
                return document


class Lesson:
    """A teacher's browser, with the key of a room; where no address is said, at one of its own."""

    def __init__(self, site: Site, address: str = "") -> None:
        number = next(NUMBERS)
        self.site, self.cookie = site, cookie(f"teacher-{number}")
        self.address = address or f"192.0.2.{number}"
        opened = self.ask("POST", "/rooms", {"lesson": "axes", "screen": "shared"})
        assert opened.status == 201
        self.code = opened.json["code"]
        self.cookie += "; " + opened.headers["set-cookie"].partition(";")[0]

    def ask(self, method: str, path: str, document: Any = None, **headers: str) -> Answer:
        body = b"" if document is None else json.dumps(document).encode()
        own = {"cookie": self.cookie, "x_forwarded_for": self.address}
        return self.site.get(path, method=method, body=body, **own, **headers)

    def at(self, rest: str = "") -> str:
        return f"/rooms/{self.code}{rest}"

    def state(self) -> Any:
        return self.ask("GET", self.at("/state?as=screen")).json["room"]

    def do(self, verb: str, **given: Any) -> Answer:
        document = {"verb": verb, "rev": self.state()["rev"]} | given
        return self.ask("POST", self.at("/do"), document)

    def poll(self) -> int:
        assert self.do("ask").status == 200
        poll: int = self.state()["poll"]["id"]
        return poll


class Phone:
    """A student's browser."""

    def __init__(self, site: Site, code: str, name: str) -> None:
        self.site, self.code, self.name, self.cookie = site, code, name, cookie(name)

    def ask(self, method: str, rest: str, document: Any = None, **headers: str) -> Answer:
        body = b"" if document is None else json.dumps(document).encode()
        path = f"/rooms/{self.code}{rest}"
        return self.site.get(path, method=method, body=body, cookie=self.cookie, **headers)

    def enter(self) -> Answer:
        return self.ask("POST", "/seat")

    def vote(self, poll: int, value: Any, n: int = 1, round: int = 1) -> Answer:
        return self.ask("PUT", f"/polls/{poll}/{round}", {"value": value, "attempt": n})


@contextmanager
def listening(site: Site, code: str, role: str, cookie: str) -> Iterator[Stream]:
    with Client(site.port) as client:
        client.cookie = cookie
        response = client.begin(f"/rooms/{code}/events?as={role}").getresponse()
        assert response.status == 200
        with response:
            yield Stream(response)


@pytest.fixture
def lesson(site: Site) -> Lesson:
    return Lesson(site)


@pytest.fixture
def phone(site: Site, lesson: Lesson) -> Phone:
    phone = Phone(site, lesson.code, "ann")
    assert phone.enter().status == 200
    return phone


def test_a_key_is_for_the_room_alone_and_not_for_scripts(site: Site, lesson: Lesson) -> None:
    opened = lesson.ask("POST", "/rooms", {"lesson": "axes", "screen": 1})
    code = opened.json["code"]
    assert opened.json == {"code": code, "rev": 0}
    kept = opened.headers["set-cookie"]
    assert f"Path=/rooms/{code};" in kept
    assert "HttpOnly" in kept
    assert len(code) == 6
    assert code.isdecimal()


def test_a_room_is_opened_on_a_screen_that_there_is(lesson: Lesson) -> None:
    for given in ({"lesson": "none", "screen": 1}, {"lesson": "axes", "screen": 999}, {}, []):
        assert lesson.ask("POST", "/rooms", given).status == 422
    assert lesson.do("go", screen="nowhere").status == 422
    assert lesson.do("go", lesson="batch", screen=1).status == 200


def test_the_table_of_answers_says_what_was_asked_and_in_which_encoding(
    lesson: Lesson, phone: Phone
) -> None:
    lesson.do("go", screen="grid")
    assert phone.vote(lesson.poll(), {"norm": "batch"}).status == 200
    content = lesson.ask("GET", lesson.at("/answers.csv")).body
    assert content.startswith(BOM_UTF8)
    (answer,) = csv.DictReader(content.decode("utf-8-sig").splitlines())
    asked = "A setting of the figure: Numbers of a batch, before and after a norm"
    assert (answer["question"], answer["answer"]) == (asked, "norm: BatchNorm")
    # A setting is in the words of the layout that was shown, or of the usual one if that is gone.
    for pose in ({"layout": "tokens"}, {}, {"layout": "gone"}):
        lesson.do("go", lesson="images", screen="cube", pose=pose)
        assert phone.vote(lesson.poll(), {"norm": "layer"}).status == 200
    rows = csv.DictReader(lesson.ask("GET", lesson.at("/answers.csv")).body.decode().splitlines())
    answers = [row["answer"] for row in rows][1:]
    usual = "norm: LayerNorm (C, H, W)"
    assert answers == ["norm: LayerNorm (T, D)", usual, usual]


def test_an_address_opens_eight_rooms_at_once_and_others_still_open_theirs(lesson: Lesson) -> None:
    school = "203.0.113.7"
    for _ in range(NETWORK_BURST):
        Lesson(lesson.site, school)
    ninth = cookie("ninth")
    body = b'{"lesson": "axes", "screen": 1}'
    refused = lesson.site.get(
        "/rooms", method="POST", body=body, cookie=ninth, x_forwarded_for=school
    )
    assert refused.status == 429
    assert "try again in 8 min." in refused.json["detail"]
    assert NETWORK_INTERVAL_S - 60 < int(refused.headers["retry-after"]) <= NETWORK_INTERVAL_S
    assert Lesson(lesson.site).state()["mode"] == "led"


def test_who_comes_hears_all_at_once_and_then_what_changes(
    site: Site, other: Site, lesson: Lesson, phone: Phone
) -> None:
    for server in (site, other):
        with listening(server, lesson.code, "seat", phone.cookie) as stream:
            kind, you = stream.next()
            assert (kind, you["number"]) == ("you", 1)
            kind, room = stream.next()
            assert (kind, room) == ("room", queries.participant_view(lesson.state()))
            lesson.do("mode", mode="paused")
            assert stream.until("room", "mode", "paused")["rev"] == room["rev"] + 1
            lesson.do("mode", mode="led")
            stream.until("room", "mode", "led")


def test_a_vote_reaches_the_remote_and_the_wall_hears_how_many_alone(
    other: Site, lesson: Lesson, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATUS_TOKEN_ENV, "word")
    poll = lesson.poll()
    with (
        listening(other, lesson.code, "remote", lesson.cookie) as remote,
        listening(other, lesson.code, "screen", lesson.cookie) as screen,
    ):
        assert remote.until("tally")["counts"] == [0, 0, 0, 0]
        assert phone.vote(poll, 1).json == {"value": 1, "attempt": 1, "removals": 0}
        assert remote.until("tally", "answered", 1)["counts"] == [0, 1, 0, 0]
        assert screen.until("heads", "answered", 1) == {
            "here": 1,
            "poll": poll,
            "round": 1,
            "answered": 1,
            "asked": 1,
            "simulated": 0,
        }
        metrics = other.get("/metrics", Authorization="Bearer word").text
        assert "lnviz_rooms 1.0" in metrics
        assert "lnviz_room_streams 2.0" in metrics
        metrics = lesson.site.get("/metrics", Authorization="Bearer word").text
        assert float(metrics.partition("\nlnviz_room_answers_total ")[2].split()[0]) >= 1
    assert lesson.state()["shown"] is None


def test_phones_hear_no_counts_before_they_are_shown(lesson: Lesson, phone: Phone) -> None:
    poll = lesson.poll()
    phone.vote(poll, 1)
    text = phone.ask("GET", "/state?as=seat").text
    assert "counts" not in text
    assert "tally" not in text
    lesson.do("close"), lesson.do("show")
    assert phone.ask("GET", "/state").json["room"]["shown"] == {
        "counts": [[0, 1, 0, 0]],
        "right": 1,
        "simulated": [0],
    }


def test_a_state_that_is_known_is_not_sent_again(phone: Phone) -> None:
    found = phone.ask("GET", "/state?as=seat")
    again = phone.ask("GET", "/state?as=seat", if_none_match=found.headers["etag"])
    assert (found.status, again.status, again.raw) == (200, 304, b"")


def test_a_phone_that_goes_is_away(other: Site, lesson: Lesson, phone: Phone) -> None:
    with listening(other, lesson.code, "remote", lesson.cookie) as remote:
        with listening(other, lesson.code, "seat", phone.cookie):
            remote.until("tally", "here", 1)
        assert remote.until("tally", "away", 1)["here"] == 0


def test_a_vote_that_is_late_gets_the_room_as_it_stands(lesson: Lesson, phone: Phone) -> None:
    poll = lesson.poll()
    lesson.do("close"), lesson.do("show")
    late = phone.vote(poll, 1)
    assert late.status == 409
    assert late.json["state"] == queries.participant_view(lesson.state())
    assert late.json["you"]["number"] == 1


@pytest.mark.parametrize(
    "given",
    [b"", b"[]", b"{", b'{"value": 1}', b'{"value": 4, "attempt": 1}', b"\xff", b"[" * 2000],
)
def test_what_is_no_vote_is_refused_with_a_sentence(
    lesson: Lesson, phone: Phone, given: bytes
) -> None:
    path = f"/rooms/{lesson.code}/polls/{lesson.poll()}/1"
    refused = lesson.site.get(path, method="PUT", body=given, cookie=phone.cookie)
    assert refused.status == 422
    assert refused.json["detail"].endswith(".")


def test_a_large_body_is_refused(lesson: Lesson, phone: Phone) -> None:
    assert phone.ask("POST", "/signal", {"lost": "x" * 20_000}).status == 413


def test_who_sends_more_answers_than_a_hand_gives_waits(lesson: Lesson, phone: Phone) -> None:
    poll = lesson.poll()
    answers = [phone.vote(poll, n % 4, n) for n in range(1, 100)]
    late = [answer for answer in answers if answer.status == 429]
    assert late
    assert late[0].headers["retry-after"] == "1"
    mate = Phone(lesson.site, lesson.code, "ben")
    mate.enter()
    assert mate.vote(poll, 1).status == 200


def test_who_has_no_name_or_no_seat_is_told_to_join(site: Site, lesson: Lesson) -> None:
    poll = lesson.poll()
    forged = {"name": "lnviz-visitor=forged.forged.forged", "none": ""}
    for given in (*forged.values(), cookie("stranger")):
        assert site.get(lesson.at("/state?as=seat"), cookie=given).status == 401
        assert site.get(lesson.at("/events?as=seat"), cookie=given).status == 401
        path = lesson.at(f"/polls/{poll}/1")
        body = b'{"value": 1, "attempt": 1}'
        assert site.get(path, method="PUT", body=body, cookie=given).status == 401
    assert site.get(lesson.at("/seat"), method="POST").status == 401


def test_who_has_no_key_leads_nothing(site: Site, lesson: Lesson, phone: Phone) -> None:
    forged = phone.cookie + f"; lnviz-room-{lesson.code}=forged"
    for given in (phone.cookie, forged):
        for method, rest in (
            *(("GET", "/addresses"), ("GET", "/qr.svg"), ("GET", "/answers.csv"), ("DELETE", "")),
            *(("POST", "/do"), ("POST", "/remote"), ("POST", "/rehearse"), ("GET", "/remote")),
            ("POST", "/wifi"),
        ):
            body = b'{"verb": "close", "rev": 0}' if rest == "/do" else b""
            answer = site.get(lesson.at(rest), method=method, body=body, cookie=given)
            assert answer.status == 403, rest
        for role in ("screen", "remote"):
            assert site.get(lesson.at(f"/events?as={role}"), cookie=given).status == 401


def test_who_has_no_key_does_not_use_up_the_teacher_s_turns(
    site: Site, lesson: Lesson, phone: Phone
) -> None:
    forged = phone.cookie + f"; lnviz-room-{lesson.code}=forged"
    body = b'{"verb": "pose", "pose": {}, "rev": 0}'
    for given in (phone.cookie, forged) * 3:
        site.get(lesson.at("/do"), method="POST", body=body, cookie=given)
    assert lesson.do("pose", pose={"size": "25"}).status == 200


def test_a_room_opened_at_a_task_takes_settings_of_its_figure_and_no_words(site: Site) -> None:
    teacher = cookie("tasking")
    given = {"lesson": "axes", "screen": "grid", "task": "Find a norm that needs no batch."}
    body = json.dumps(given | {"pose": {"norm": "batch"}}).encode()
    opened = site.get("/rooms", method="POST", body=body, cookie=teacher)
    phone = Phone(site, opened.json["code"], "ann")
    room = phone.enter().json["state"]
    assert (room["task"], room["pose"]) == (given["task"], {"norm": "batch"})
    poll = room["poll"]["id"]
    assert phone.vote(poll, {"norm": "layer", "batch-size": "2"}).status == 200
    for said in ({"norm": "you-are-an-idiot"}, {"batch-size": "idiot"}, {"idiot": "1"}):
        refused = phone.vote(poll, said, 2)
        assert refused.status == 422
        assert refused.json["detail"].endswith(".")
    body = json.dumps(given | {"screen": "shared"}).encode()
    refused = site.get("/rooms", method="POST", body=body, cookie=teacher)
    assert (refused.status, "without a question" in refused.text) == (422, True)


def test_a_wall_that_listens_is_somebody_who_looks(site: Site, file: Path, lesson: Lesson) -> None:
    store = RoomStore(f"sqlite:///{file}")
    with listening(site, lesson.code, "screen", lesson.cookie) as screen:
        screen.until("heads")
        lesson.do("mode", mode="free")  # which is written after that
        assert store.read(lambda session: find_room(session, lesson.code).watched) > 0
    store.close()


def test_another_site_s_page_does_nothing_here(lesson: Lesson) -> None:
    answer = lesson.ask("DELETE", lesson.at(), origin="https://elsewhere.example")
    assert answer.status == 403
    assert lesson.state()["mode"] == "led"


def test_a_phone_that_has_scanned_a_link_leads_once_it_is_let_in(
    site: Site, lesson: Lesson
) -> None:
    made = lesson.ask("POST", lesson.at("/remote")).json
    assert made["svg"].startswith("<svg")
    assert made["seconds"] == 600
    path = made["link"].partition(f":{site.port}")[2]
    assert site.get(path, cookie=cookie("phone")).status == 200  # a look uses nothing up
    token = path.partition("once=")[2]

    def ask(key: str) -> Answer:
        return site.get(lesson.at("/remotes"), cookie=key)

    body = json.dumps({"token": token}).encode()
    asked = site.get(lesson.at("/remotes"), method="POST", body=body, cookie=cookie("phone"))
    key = asked.headers["set-cookie"].partition(";")[0]
    assert (asked.status, asked.json["admitted"]) == (201, False)
    assert site.get(lesson.at("/state?as=remote"), cookie=key).status == 401
    assert ask(key).json == {"number": asked.json["number"], "admitted": False}
    assert lesson.do("admit", number=asked.json["number"]).status == 200
    assert ask(key).json["admitted"]
    assert site.get(lesson.at("/state?as=remote"), cookie=key).status == 200
    lesson.do("revoke", number=asked.json["number"])
    assert ask(key).status == 403
    again = site.get(lesson.at("/remotes"), method="POST", body=body, cookie=cookie("phone"))
    assert again.status == 403


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"plan": PLANS[0].slug}, f"plan={PLANS[0].slug}&once="),
        ({"lesson": "axes", "only": "start,grid.2"}, "lesson=axes&only=start,grid.2&once="),
        ({"plan": "none&such", "lesson": 3, "only": "x" * 1001, "once": "x"}, "once="),
    ],
)
def test_a_remote_by_link_goes_through_what_is_presented(
    lesson: Lesson, given: dict[str, object], kept: str
) -> None:
    link = lesson.ask("POST", lesson.at("/remote"), given).json["link"]
    assert link.partition("?")[2].startswith(kept)


def test_who_has_a_room_s_code_joins_however_many_came_from_the_same_address(
    site: Site, lesson: Lesson
) -> None:
    school = {"x_forwarded_for": "198.51.100.7"}

    def named(path: str) -> bool:
        return "set-cookie" in site.get(path, **school).headers

    assert sum(named("/join") for _ in range(ISSUE_BURST + 20)) == ISSUE_BURST
    assert not named("/join")
    assert all(named(f"/{lesson.code}") for _ in range(20))


def test_students_ask_second_and_are_hidden_over_http(lesson: Lesson, phone: Phone) -> None:
    refused = phone.ask("POST", "/questions", {"text": "Why?"})
    assert (refused.status, "does not take" in refused.text) == (409, True)
    lesson.do("questions", open=True)
    asked = phone.ask("POST", "/questions", {"text": "Why?"})
    assert asked.status == 201
    path = f"/questions/{asked.json['id']}/second"
    assert phone.ask("PUT", path, {"second": True}).status == 204
    (listed,) = phone.ask("GET", "/questions").json["questions"]
    assert (listed["text"], listed["seconds"], listed["own"]) == ("Why?", 1, True)
    hide = {"id": asked.json["id"], "hidden": True}
    assert phone.ask("PATCH", "/questions", hide).status == 403
    assert lesson.ask("PATCH", lesson.at("/questions"), hide).status == 204
    assert phone.ask("GET", "/questions").json["questions"] == []
    (listed,) = lesson.ask("GET", lesson.at("/questions?as=remote")).json["questions"]
    assert listed["hidden"]
    assert phone.ask("GET", "/questions?as=remote").status == 401


def test_a_teacher_sees_where_phones_come_from_and_clears_them(
    lesson: Lesson, phone: Phone
) -> None:
    (network,) = lesson.ask("GET", lesson.at("/networks")).json["networks"]
    assert (network["seats"], network["blocked"]) == (1, False)
    assert phone.ask("GET", "/networks").status == 403
    block = {"id": network["id"], "blocked": True}
    assert lesson.ask("POST", lesson.at("/networks"), block).status == 204
    cleared = lesson.ask("POST", lesson.at("/clear"), {"network": network["id"]})
    assert (cleared.status, cleared.json) == (200, {"removed": 1})
    assert phone.enter().status == 423


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/wifi", {"name": "\ud800"}),
        ("/do", {"verb": "go", "screen": "grid", "task": "\ud800"}),
        ("/do", {"verb": "\ud800"}),
        ("/questions", {"text": "\ud800"}),
        ("/clear", {"value": "\udfff"}),
        ("/networks", {"id": "\ud800"}),
        ("/remotes", {"token": "\ud800"}),
    ],
)
def test_half_of_a_character_is_refused_everywhere(
    lesson: Lesson, path: str, document: dict[str, str]
) -> None:
    refused = lesson.ask("POST", lesson.at(path), document)
    assert (refused.status, "readable text" in refused.text) == (422, True)


def test_phones_are_led_to_an_address_that_they_can_reach(lesson: Lesson) -> None:
    at = "lnviz.example.org:8443"
    found = lesson.ask("GET", lesson.at("/addresses"), host=at)
    assert found.json == {"addresses": [f"http://{at}"], "reached": False}
    own = lesson.ask("GET", lesson.at("/addresses")).json["addresses"]
    assert not any("127.0.0.1" in each or "localhost" in each for each in own)
    Phone(lesson.site, lesson.code, "ann").ask("POST", "/seat", host="192.168.1.20:8501")
    assert lesson.ask("GET", lesson.at("/addresses")).json["reached"] is True
    picture = lesson.ask("GET", lesson.at("/qr.svg"), host=at)
    assert picture.headers["content-type"] == "image/svg+xml"
    assert lesson.ask("GET", lesson.at("/qr.svg?at=http://evil.example")).status == 422


def test_a_wi_fi_is_a_picture_that_nobody_keeps(lesson: Lesson) -> None:
    answer = lesson.ask("POST", lesson.at("/wifi"), {"name": "Hall", "password": "normalize"})
    assert answer.json == {"svg": join_urls.qr_svg("WIFI:T:WPA;S:Hall;P:normalize;;")}
    assert answer.headers["cache-control"] == "no-store"
    for given in ({}, {"name": "Hall", "password": 7}, {"name": 65 * "x"}):
        refused = lesson.ask("POST", lesson.at("/wifi"), given)
        assert refused.status == 422
        assert "A Wi-Fi name or password may have" in refused.json["detail"]


def test_where_the_server_hears_itself_alone_no_address_is_named(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_urls, "_lan_addresses", lambda: ["192.168.1.20"])
    for listening, many in (("127.0.0.1", 0), ("::1", 0), ("0.0.0.0", 1), ("192.168.1.20", 1)):
        monkeypatch.setenv(join_urls.VARIABLE, listening)
        assert len(lesson.ask("GET", lesson.at("/addresses")).json["addresses"]) == many


def test_a_class_comes_in_while_one_of_them_tries_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_throttle, "PER_NETWORK", 25)
    with with_rooms(tmp_path / "rooms.sqlite") as site:
        lesson = Lesson(site)
        codes = (f"{number:06d}" for number in range(10**6) if f"{number:06d}" != lesson.code)
        names = [f"guess-{number}" for number in range(4)]
        told = [Phone(site, next(codes), name).enter().status for name in names for _ in range(12)]
        assert told.count(404) <= 25 + len(names)
        assert told.count(429) >= 12 * len(names) - 25 - len(names)
        with_retry = Phone(site, next(codes), names[0]).enter()
        assert int(with_retry.headers["retry-after"]) > 0
        assert Phone(site, lesson.code, "classmate").enter().status == 200


def test_whoever_goes_on_guessing_is_seldom_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    monkeypatch.setattr(room_service, "MEMBER_CHECKS", 2)
    monkeypatch.setattr(room_service, "is_member", lambda *given: looked.append(given))
    with with_rooms(tmp_path / "rooms.sqlite") as site:
        guess = Phone(site, "000000", "guess")
        told = [guess.enter().status for _ in range(code_throttle.PER_CLIENT + 40)]
    assert told == [404] * code_throttle.PER_CLIENT + [429] * 40
    assert 2 <= len(looked) < 40


def test_who_is_in_a_room_stays_whatever_others_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_throttle, "PER_NETWORK", 10)
    with with_rooms(tmp_path / "rooms.sqlite") as site:
        lesson = Lesson(site)
        mistaken = f"{(int(lesson.code) + 1) % 10**6:06d}"
        seated, stranger = Phone(site, lesson.code, "seated"), Phone(site, lesson.code, "stranger")
        for phone in (seated, stranger):
            assert Phone(site, mistaken, phone.name).enter().status == 404
        assert seated.enter().status == 200
        for number in range(10):
            Phone(site, mistaken, f"guess-{number // 5}").enter()
        assert stranger.enter().status == 429
        assert Phone(site, mistaken, "seated").enter().status == 429
        assert seated.ask("GET", "/state").status == 200
        assert site.get(f"/{lesson.code}", cookie=seated.cookie).status == 200
        key = lesson.cookie.partition("; ")[2]
        assert site.get(lesson.at("/state?as=remote"), cookie=key).status == 200


def test_a_third_stream_of_a_seat_ends_the_first(lesson: Lesson, phone: Phone) -> None:
    with (
        listening(lesson.site, lesson.code, "seat", phone.cookie) as first,
        listening(lesson.site, lesson.code, "seat", phone.cookie) as second,
        listening(lesson.site, lesson.code, "seat", phone.cookie) as third,
    ):
        assert first.until("bye")["retry"] > 0
        assert first.next() == ("", None)
        lesson.do("mode", mode="free")
        assert second.until("room", "mode", "free") == third.until("room", "mode", "free")


def test_pretend_students_answer_by_themselves(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "BATCH_INTERVAL_S", (0.04, 0.12))
    with listening(lesson.site, lesson.code, "remote", lesson.cookie) as remote:
        assert lesson.ask("POST", lesson.at("/rehearse")).json == {"simulated": 30}
        lesson.poll()
        tally = remote.until("tally", "answered", 30)
        assert (tally["here"], tally["simulated"], sum(tally["counts"])) == (30, 30, 30)
        assert tally["counts"][1] > 0
        assert lesson.ask("POST", lesson.at("/rehearse")).json == {"simulated": 0}
        assert remote.until("tally", "here", 0)["answered"] == 0


def test_streams_end_with_the_room(lesson: Lesson, phone: Phone) -> None:
    with (
        listening(lesson.site, lesson.code, "seat", phone.cookie) as stream,
        listening(lesson.site, lesson.code, "remote", lesson.cookie) as remote,
    ):
        assert lesson.ask("DELETE", lesson.at()).status == 204
        assert stream.until("room", "mode", "ended")
        assert stream.next() == ("", None)
        assert remote.until("room", "mode", "ended")
    assert phone.ask("GET", "/state").status == 404


def test_what_is_no_address_of_a_room_says_so(site: Site) -> None:
    for path in ("/rooms", "/rooms/482913/none"):
        assert site.get(path).status in (404, 405)
    assert site.get("/12345").status == 404
    body = b'{"value": 1, "attempt": 1}'
    for path in ("/rooms/482%20913/state", "/rooms/none/state", "/rooms/%D9%A148291/state"):
        assert site.get(path).status == 404
    long = f"/rooms/482913/polls/{'9' * 5000}/1"
    assert site.get(long, method="PUT", body=body, cookie=cookie("ann")).status in (404, 405)


def test_a_server_that_ends_says_goodbye_and_when_to_come_back(tmp_path: Path) -> None:
    hub = RoomHub(lambda: RoomStore(f"sqlite:///{tmp_path / 'rooms.sqlite'}"))
    with served(rooms=hub) as site:
        lesson = Lesson(site)
        phone = Phone(site, lesson.code, "ann")
        phone.enter()
        with listening(site, lesson.code, "seat", phone.cookie) as stream:
            stream.until("room")
            assert hub._loop is not None
            hub._loop.call_soon_threadsafe(hub.close_streams)
            assert 300 <= stream.until("bye")["retry"] <= 2000
            assert stream.next() == ("", None)
        assert phone.ask("GET", "/events").status == 503
