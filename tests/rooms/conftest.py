"""What these tests use: databases, and asyncio."""

from collections.abc import Iterator

import pytest

from lnviz.rooms.store import RoomStore
from tests.databases import file, postgres, url
from tests.rooms.classroom import Classroom, Clock

__all__ = ["file", "postgres", "url"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock) -> Iterator[RoomStore]:
    opened = RoomStore(url, clock)
    yield opened
    opened.close()


@pytest.fixture
def room(store: RoomStore) -> Classroom:
    return Classroom(store)
