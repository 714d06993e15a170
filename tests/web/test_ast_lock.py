import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from lnviz.web import lifespan  # noqa: F401  # which prepares the process

PAIRS = [(1, 2)] * 300


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Another thread has its turn whenever garbage is collected, which is all the time."""

    def give_way(phase: str, info: dict[str, int]) -> None:
        time.sleep(0)

    threshold = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*threshold)
    gc.callbacks.remove(give_way)


@pytest.mark.usefixtures("interrupted")
def test_threads_parse_side_by_side() -> None:
    with ThreadPoolExecutor(2) as threads:
        values = list(threads.map(ast.literal_eval, [repr(PAIRS)] * 20))
    assert values == [PAIRS] * 20
