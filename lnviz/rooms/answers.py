"""Answers that come all at once: what each needs is read once for all, and written at once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from lnviz.database.rows import AnswerRow, Base

_TABLE = Base.metadata.tables["answer"]
_OF = ("of_poll", "of_round", "of_seat")


class Answers:
    """What is answered in one transaction.

    Args:
        session: where it is kept.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._given: dict[tuple[int, int], dict[int, tuple[Any, int]]] = {}
        self._new: dict[tuple[int, int, int], tuple[Any, int]] = {}
        self._changed: dict[tuple[int, int, int], tuple[Any, int]] = {}

    def keep(self, poll: int, round: int, seat: int, value: Any, n: int) -> tuple[Any, int]:
        """Keep one attempt if it is the latest; return what is kept then, and its number."""
        given = self._given.get((poll, round))
        if given is None:
            of_round = (AnswerRow.poll_id == poll) & (AnswerRow.round == round)
            columns = select(AnswerRow.seat, AnswerRow.value, AnswerRow.n).where(of_round)
            rows = self._session.execute(columns)
            given = {number: (before, tried) for number, before, tried in rows}
            self._given[poll, round] = given
        if seat not in given or n > given[seat][1]:
            new = self._new if seat not in given else self._changed
            if (poll, round, seat) in self._new:
                new = self._new
            new[poll, round, seat] = given[seat] = (value, n)
        return given[seat]

    def settle(self) -> None:
        """Write what was answered, for whoever reads it next: all in two statements."""
        for found, write in (
            (self._new, insert(_TABLE)),
            (
                self._changed,
                update(_TABLE)
                .where(_TABLE.c.poll_id == bindparam("of_poll"))
                .where(_TABLE.c.round == bindparam("of_round"))
                .where(_TABLE.c.seat == bindparam("of_seat"))
                .values(value=bindparam("value"), n=bindparam("n")),
            ),
        ):
            names = ("poll_id", "round", "seat") if found is self._new else _OF
            rows = [
                dict(zip(names, key, strict=True)) | {"value": value, "n": n}
                for key, (value, n) in found.items()
            ]
            if rows:
                self._session.connection().execute(write, rows)
            found.clear()
        self._given.clear()
