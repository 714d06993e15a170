"""The secret that signs visitors' names: one for all processes."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from lnviz.__main__ import main
from lnviz.database import signing_keys
from lnviz.database.connection import Database


def test_all_processes_have_one_secret(database: Database, url: str) -> None:
    def ask(_: int) -> list[str]:
        own = Database(url)
        found = signing_keys.active_keys(own)
        own.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert len(set(map(tuple, found))) == 1
    assert len(found[0]) == 1


def test_the_last_secret_but_one_is_known_and_none_before_it(
    database: Database, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rotate: Callable[[], object] = lambda: main(["secret", "--database", url, "rotate"])  # noqa: E731
    (first,) = signing_keys.active_keys(database)
    rotate()
    old, new = signing_keys.active_keys(database)
    assert (old, len({old, new})) == (first, 2)
    rotate()
    assert signing_keys.active_keys(database)[0] == new
    assert len(signing_keys.active_keys(database)) == 2
    assert "secret" in capsys.readouterr().out
    assert first not in signing_keys.active_keys(database)
