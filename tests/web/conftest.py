from collections.abc import Iterator

import pytest

from tests.web.computing import Held
from tests.web.serving import Site, served


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.finish()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served() as site:
        yield site
