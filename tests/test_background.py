import logging

import pytest

from lnviz import background
from lnviz.background import failures, report_failure, survives


def test_an_exception_in_a_step_is_logged_with_its_traceback_counted_and_not_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger(background.__name__), "handle", lines.append)
    before = failures().get("reader", 0)
    for _ in range(2):
        with survives("reader"):
            raise KeyError("a row that is not there")
    assert failures()["reader"] == before + 2
    for line in lines:
        assert "reader" in line.getMessage()
        assert line.levelno == logging.ERROR
        assert line.exc_info
        assert line.exc_info[0] is KeyError
    assert len(lines) == 2


def test_who_frees_something_after_a_failure_reports_it_from_the_handler() -> None:
    before = failures().get("worker", 0)
    try:
        raise OSError(12, "Cannot allocate memory")
    except OSError:
        report_failure("worker")
    assert failures()["worker"] == before + 1


def test_an_end_that_was_asked_for_is_no_failure() -> None:
    before = failures()
    with pytest.raises(KeyboardInterrupt), survives("reader"):
        raise KeyboardInterrupt
    assert failures() == before
