"""Hostile addresses and files break nothing, and no answer shows the server's inside."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.service import hostile
from tests.service.client import Client
from tests.service.server import Server, serve

pytestmark = [pytest.mark.slow, pytest.mark.long]
LEAKS = (b"Traceback", b"site-packages", b'File "')
STATUSES = {200, 204, 301, 307, 400, 404, 405, 410, 413, 422}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def test_hostile_addresses_are_answered(server: Server) -> None:
    statuses: Counter[int] = Counter()
    with Client(server.port, "hostile") as client:
        for path in hostile.addresses(200):
            answer = client.ask(path)
            statuses[answer.status] += 1
            assert not any(leak in answer.body for leak in LEAKS), path
    assert set(statuses) <= STATUSES
    assert server.answers()


def test_hostile_files_are_answered(server: Server) -> None:
    statuses: Counter[int] = Counter()
    with Client(server.port, "hostile") as client:
        for name, content in hostile.files(50):
            path = f"/uploads?{urlencode({'name': name})}"
            answer = client.ask(path, method="POST", body=content)
            statuses[answer.status] += 1
            assert not any(leak in answer.body for leak in LEAKS), name
    assert set(statuses) <= STATUSES
    assert server.answers()
