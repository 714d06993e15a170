"""The write buffer of votes: the latest attempt wins, in a transaction and between them."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from lnviz.database.models import AnswerRow
from lnviz.errors import RequestError
from lnviz.rooms import participation, presenter
from lnviz.rooms.participation import MAX_ATTEMPT
from lnviz.rooms.polls import MAX_ID
from lnviz.rooms.store import RoomStore
from lnviz.rooms.votes import VoteBuffer
from tests.rooms.classroom import CHOICE, Classroom


def stored(room: Classroom) -> list[Any]:
    columns = select(AnswerRow.seat, AnswerRow.round, AnswerRow.value, AnswerRow.attempt)
    return [
        tuple(row) for row in room.store.read(lambda s: s.execute(columns.order_by("seat")).all())
    ]


def test_of_many_votes_in_one_transaction_each_is_told_the_latest(room: Classroom) -> None:
    room.join("ann"), room.join("ben")
    poll = room.ask()

    def vote(tx: Any) -> list[Any]:
        results = [tx.votes.add(poll, 1, 1, value, n) for value, n in ((0, 1), (2, 3), (1, 2))]
        results.append(tx.votes.add(poll, 1, 2, 3, 0))
        assert results == [{}] * 4
        tx.votes.flush()
        return results

    latest = {"value": 2, "attempt": 3}
    assert room.store.execute(vote) == [latest] * 3 + [{"value": 3, "attempt": 0}]
    assert stored(room) == [(1, 1, 2, 3), (2, 1, 3, 0)]


def test_a_poll_can_be_voted_in_that_was_looked_for_before_it_was_asked(file: Path) -> None:
    store = RoomStore(f"sqlite:///{file}")  # where the first id is 1
    room = Classroom(store)
    room.join("ann")
    rev = room.state["rev"]

    def batch(tx: Any) -> Any:
        with pytest.raises(RequestError):
            participation.vote(tx, room.code, "ann", 1, 1, 2, 1)
        fields = {"asking": CHOICE, "rev": rev}
        presenter.command(tx, room.code, room.key, "ask", fields)
        return participation.vote(tx, room.code, "ann", 1, 1, 2, 1)

    assert room.store.execute(batch) == {"value": 2, "attempt": 1, "removals": 0}
    store.close()


def test_an_equal_attempt_does_not_replace_a_stored_one(room: Classroom) -> None:
    room.join("ann")
    room.ask()
    assert room.vote("ann", 1, n=2) == {"value": 1, "attempt": 2}
    assert room.vote("ann", 3, n=2) == {"value": 1, "attempt": 2}
    assert room.vote("ann", 3, n=3) == {"value": 3, "attempt": 3}


def test_a_flush_without_votes_writes_nothing(room: Classroom) -> None:
    class NoSession:
        """A session that must not be used."""

    VoteBuffer(NoSession()).flush()  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, 1.0, True, "1", None, MAX_ATTEMPT + 1])
def test_an_attempt_has_a_number_that_a_column_holds(room: Classroom, n: Any) -> None:
    room.join("ann")
    room.ask()
    assert room.vote("ann", 1, n=0)["attempt"] == 0
    with pytest.raises(RequestError, match="The number of an attempt") as refused:
        room.vote("ann", 1, n=n)
    assert refused.value.status == 422
    assert room.vote("ann", 1, n=MAX_ATTEMPT)["attempt"] == MAX_ATTEMPT == MAX_ID == 2**31 - 1


def test_a_vote_marks_its_room_alone_as_changed(room: Classroom) -> None:
    room.join("ann")
    poll = room.ask()

    def changed(tx: Any) -> set[str]:
        participation.vote(tx, room.code, "ann", poll, 1, 1, 1)
        return set(tx.changed_rooms)

    assert room.store.execute(changed) == {room.store.read(lambda s: room.row(s).id)}
