"""The room of stored results: what stands in it, and what writes there."""

from dataclasses import replace
from pathlib import Path

import pytest

from lnviz import results
from lnviz.results import RECURRENCE, STORED
from lnviz.results.making import to_json
from lnviz.topics.recurrence import train
from lnviz.topics.recurrence.comparison import Specification, from_json

SMALL = "--steps 1 --every 1 --units 4 --longest-wait 0 --seeds 1"


def test_every_file_of_the_room_says_which_command_makes_it() -> None:
    files = {file.name for file in Path(results.__file__).parent.glob("*.json")}
    assert files == {stored.name for stored in STORED}


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(Specification(rate=float("nan")))


@pytest.mark.slow
def test_the_command_of_recurrence_writes_where_the_lesson_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = replace(RECURRENCE, name=str(tmp_path / RECURRENCE.name))
    monkeypatch.setattr(train, "RECURRENCE", elsewhere)
    monkeypatch.setenv("LNVIZ_DEVICE", "cpu")
    assert f"python -m {train.__name__}" == RECURRENCE.command
    monkeypatch.setattr("sys.argv", [RECURRENCE.command, *SMALL.split()])
    train.main()
    written = from_json(elsewhere.path.read_text(encoding="utf-8"))
    assert written.specification == Specification(
        steps=1, every=1, units=4, longest_wait=0, seeds=(0,)
    )
