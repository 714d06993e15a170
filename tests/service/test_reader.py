"""The readers of a soak: none of them ends without a word."""

from random import Random

import pytest
from websockets.exceptions import ConnectionClosedError

from tests.service.reader import Lost, Reader


@pytest.mark.parametrize(
    "error",
    [ConnectionClosedError(None, None), KeyError("id"), OSError("away"), AssertionError()],
    ids=repr,
)
def test_whatever_goes_wrong_is_written_down(error: Exception) -> None:
    def deed() -> None:
        raise error

    reader = Reader(1, Random(0), 0)
    reader._try(deed)
    assert reader.failed == [f"deed: {error!r}"]
    assert reader.lost == []


def test_what_is_lost_is_told_from_what_fails() -> None:
    def deed() -> None:
        raise Lost("a table")

    reader = Reader(1, Random(0), 0)
    reader._try(deed)
    assert (reader.lost, reader.failed) == (["a table"], [])
