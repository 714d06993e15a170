import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import anyio
import numpy as np
import pytest
import torch
from starlette.requests import ClientDisconnect, Request

from lnviz.data.uploads import MAX_BYTES
from lnviz.database import uploads
from lnviz.database.retention import UPLOAD_RETENTION
from lnviz.diagnostics.example import example
from lnviz.errors import RequestError
from lnviz.frontend.static_files import read_file
from lnviz.lessons.data_parameters import INLINE_PREFIX, STORED_PREFIX, load_table
from lnviz.memory import Memory
from lnviz.web import request_body
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.uploads import upload
from tests.data.uploads.making import npz
from tests.service.client import Answer, cookie
from tests.web.serving import Site, served

GRID = b"1,2\n3,4\n5,6\n"
SCOPE = {"type": "http", "method": "POST", "headers": [], "query_string": b"name=a.csv"}
Receive = Callable[[], Awaitable[dict[str, object]]]


def status_of_error(receive: Receive) -> int:
    """The status of the error that an upload of this body ends with."""
    with pytest.raises(RequestError) as error:
        anyio.run(upload, Request(SCOPE, receive))
    return error.value.status


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served() as site:
        yield site


def sent(site: Site, name: str, body: bytes, *, array: str = "", **headers: str) -> Answer:
    query = {"name": name} | ({"array": array} if array else {})
    return site.get(f"/uploads?{urlencode(query)}", method="POST", body=body, **headers)


def test_a_small_table_becomes_a_parameter_that_holds_it(site: Site) -> None:
    answer = sent(site, "grid.csv", b"height,width\n1,2\n3,4\n")
    assert answer.status == 200
    assert answer.json == {
        "data": INLINE_PREFIX + "height_width*1_2*3_4",
        "read": "Read: grid, 2 examples of 2 features.",
        "name": "grid",
        "arrays": ["grid"],
        "left_out": ["Of two features, LayerNorm leaves only which is larger: −1 and 1."],
        "also": {},
    }


def test_a_large_table_becomes_a_name_that_the_server_keeps(site: Site) -> None:
    values = np.random.default_rng(0).random((200, 50), np.float32)
    data = sent(site, "a.npz", npz(first=values)).json["data"]
    assert data.startswith(STORED_PREFIX)
    assert torch.equal(load_table(data).values.cpu(), torch.from_numpy(values))


def test_where_there_is_no_room_for_a_table_a_sentence_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 0)
    answer = sent(site, "a.npz", npz(first=np.zeros((200, 50))))
    assert answer.status == 503
    assert "retry-after" not in answer.headers  # the page would wait for days
    assert answer.json["detail"].endswith(
        "space for tables is full. They are kept for 7 days: try again later, or send a smaller "
        "one."
    )


def test_the_page_says_how_long_and_how_much_is_kept() -> None:
    text = read_file("engine/data_upload.js").decode()
    assert f"stays on this server for {UPLOAD_RETENTION.days} days" in text
    for kind in (uploads.TABLES, uploads.RUNS):
        megabytes = kind.max_bytes // 2**20
        said = f"the latest {kind.max_count} and at most {megabytes} MB."
        assert said in re.sub(r'" \+\s+"', "", text)


def test_a_figure_is_drawn_from_what_was_sent(site: Site) -> None:
    data = sent(site, "grid.csv", GRID).json["data"]
    answer = site.get(f"/explorables/axes/grid.json?{urlencode({'data': data})}")
    assert answer.status == 200
    (pointer,) = (c for c in answer.json["controls"] if c["name"] == "cell")
    assert (len(pointer["rows"]), len(pointer["columns"])) == (3, 2)


def test_a_run_is_kept_and_its_figure_drawn_and_what_is_none_gets_a_sentence(
    site: Site, tmp_path: Path
) -> None:
    example("post").save(tmp_path / "run.lnviz")
    content = (tmp_path / "run.lnviz").read_bytes()
    answer = sent(site, "run.lnviz", content)
    assert answer.json["read"] == "Read: run.lnviz, norms: 24, calls: 480."
    assert answer.json["also"] == {"seen": "gradients"}
    query = urlencode({"run": answer.json["data"], "seen": "stream"})
    shown = site.get(f"/explorables/inside/run.json?{query}").json
    assert shown["title"].startswith("Transformer: RMS")
    assert shown["parameters"][0]["own"] == "run"
    gone = site.get("/explorables/inside/run.json?run=run.none")
    assert gone.status == 410
    assert "Upload it again" in gone.json["detail"]
    refused = sent(site, "run.lnviz", content[:1000])
    assert refused.status == 422
    assert 'watched.save("run.lnviz")' in refused.json["detail"]


def test_one_of_several_arrays_is_chosen_by_its_name(site: Site) -> None:
    body = npz(first=np.eye(3), second=np.full((2, 4), 7.0), third=np.zeros(3))
    assert sent(site, "two.npz", body).json["name"] == "first"
    chosen = sent(site, "two.npz", body, array="second").json
    assert chosen["name"] == "second"
    assert chosen["arrays"] == ["first", "second"]
    assert load_table(chosen["data"]).values.tolist() == [[7.0] * 4] * 2


def test_what_is_left_out_of_a_file_is_said(site: Site) -> None:
    body = npz(good=np.eye(3), bad=np.array([[1.0, np.nan], [0.0, 1.0]]))
    (sentence,) = sent(site, "two.npz", body).json["left_out"]
    assert "bad" in sentence


def test_a_table_is_shown_without_its_gaps_and_the_other_choice_is_offered(site: Site) -> None:
    body = b"a,b,c,d\n" + b"1,2,3,4\n" * 8 + b"1,2,3,NA\n"
    answer = sent(site, "gaps.csv", body).json
    rows, columns = answer["arrays"]
    assert answer["name"] == rows == "gaps"
    assert "1 of 9 rows was left out" in answer["left_out"][0]
    other = sent(site, "gaps.csv", body, array=columns).json
    assert other["read"] == f"Read: {columns}, 9 examples of 3 features."


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("grid.csv", b"1,2\n3\n"),
        ("grid.csv", b""),
        ("grid.pt", b"anything"),
        ("grid.npy", b"\x93NUMPY"),
        ("", GRID),
    ],
)
def test_what_cannot_be_used_is_answered_with_a_sentence(
    site: Site, name: str, body: bytes
) -> None:
    answer = sent(site, name, body)
    assert answer.status == 422
    assert name in answer.json["detail"]
    assert answer.json["detail"].endswith(".")
    assert "Traceback" not in answer.text


def test_a_body_that_is_too_large_is_refused_before_it_is_read(site: Site) -> None:
    answer = site.get("/uploads?name=a.csv", method="POST", Content_Length=str(MAX_BYTES + 1))
    assert answer.status == 413
    assert answer.json["detail"].endswith("Save fewer rows or columns.")


def test_a_body_of_no_stated_size_is_read_no_further_than_allowed() -> None:
    taken = 0

    async def receive() -> dict[str, object]:
        nonlocal taken
        taken += 2**20
        return {"type": "http.request", "body": bytes(2**20), "more_body": True}

    assert status_of_error(receive) == 413
    assert taken <= MAX_BYTES + 2**20


def test_a_client_that_disconnects_ends_its_upload() -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    with pytest.raises(ClientDisconnect):
        anyio.run(upload, Request(SCOPE, receive))


def test_a_file_that_never_arrives_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "IDLE_TIMEOUT_S", 0.0)

    async def receive() -> dict[str, object]:
        await anyio.sleep_forever()
        raise AssertionError

    assert status_of_error(receive) == 408


def test_files_beyond_a_few_wait_outside_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    async def send(number: int, go_on: anyio.Event) -> None:
        async def receive() -> dict[str, object]:
            begun.append(number)
            await go_on.wait()
            return {"type": "http.request", "body": GRID}

        assert (await upload(Request(SCOPE, receive))).status_code == 200

    async def several() -> None:
        monkeypatch.setattr(request_body, "LARGE_BODIES", FairSemaphore(1, 9))
        go_on = anyio.Event()
        async with anyio.create_task_group() as senders:
            for number in range(3):
                senders.start_soon(send, number, go_on)
            await anyio.wait_all_tasks_blocked()
            assert begun == [0]
            go_on.set()
        assert begun == [0, 1, 2]

    anyio.run(several)


def test_another_sites_page_cannot_fill_the_memory(site: Site) -> None:
    for other in ("http://neighbor.school", "null", "", "http://[", "nonsense"):
        assert sent(site, "grid.csv", GRID, Origin=other).status == 403
    assert sent(site, "grid.csv", GRID, Origin=f"http://127.0.0.1:{site.port}").status == 200


def test_one_who_sends_slowly_keeps_no_classmate_from_uploading() -> None:

    async def never() -> dict[str, object]:
        await anyio.sleep_forever()
        raise AssertionError

    async def all_of_it() -> dict[str, object]:
        return {"type": "http.request", "body": GRID}

    async def several() -> None:
        async def send_slowly() -> None:
            await upload(Request(SCOPE, never))

        async with anyio.create_task_group() as senders:
            for _ in range(20):
                senders.start_soon(send_slowly)
            await anyio.wait_all_tasks_blocked()
            headers = [(b"cookie", cookie("classmate").encode())]
            own = Request(SCOPE | {"headers": headers}, all_of_it)
            assert (await upload(own)).status_code == 200
            senders.cancel_scope.cancel()

    anyio.run(several)


@pytest.mark.slow
def test_a_file_for_which_there_is_no_memory_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, "MEMORY", Memory(request_body.PARSE_BYTES, lambda: 1))
    answer = sent(site, "grid.csv", GRID)
    assert (answer.status, answer.headers["retry-after"]) == (503, "10")


@pytest.mark.parametrize(
    ("pace", "seconds"),
    [(1e12, request_body.IDLE_TIMEOUT_S + 1), (0, request_body.TOTAL_TIMEOUT_S + 1)],
)
def test_a_file_that_arrives_in_drops_or_takes_very_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, pace: float, seconds: float
) -> None:
    monkeypatch.setattr(request_body, "MIN_BYTES_PER_S", pace)
    monkeypatch.setattr(request_body, "current_time", iter([0.0, seconds]).__next__)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"1", "more_body": True}

    assert status_of_error(receive) == 408
