"""Repeated log records."""

import logging

import pytest

from lnviz.web.log_limit import RepeatFilter


@pytest.fixture
def logger() -> logging.Logger:
    logger = logging.Logger("limited")
    limit = RepeatFilter(max_alike=3)
    for _ in range(2):
        handler = Kept()
        handler.addFilter(limit)
        logger.addHandler(handler)
    return logger


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def lines(logger: logging.Logger) -> list[str]:
    """What each of the handlers has logged, which is the same."""
    first, second = (handler.lines for handler in logger.handlers if isinstance(handler, Kept))
    assert first == second
    return first


def test_records_from_one_place_are_limited_whatever_they_say(logger: logging.Logger) -> None:
    for number in range(100):
        logger.warning("Refused %d", number)
    logger.warning("Elsewhere")
    assert lines(logger) == ["Refused 0", "Refused 1", "Refused 2", "Elsewhere"]


def test_exceptions_of_another_type_are_no_repetition(logger: logging.Logger) -> None:
    for error in [ValueError] * 9 + [KeyError]:
        try:
            raise error
        except (LookupError, ValueError):
            logger.exception("Failed with %s", error.__name__)
    assert lines(logger) == ["Failed with ValueError"] * 3 + ["Failed with KeyError"]


def test_after_an_interval_what_was_left_out_is_counted_and_the_next_is_logged(
    logger: logging.Logger,
) -> None:
    (limit,) = {each for handler in logger.handlers for each in handler.filters}
    assert isinstance(limit, RepeatFilter)
    for _ in range(2):
        for _ in range(1003):
            logger.warning("Refused\n%s", "x" * 1000)
        assert limit.flush() == "1,000 × Refused"
    assert limit.flush() == ""
    assert len(lines(logger)) == 6
