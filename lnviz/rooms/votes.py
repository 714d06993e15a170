"""Write buffer for votes: all votes of a transaction are written in one SQL statement."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from lnviz.database.connection import SQLITE
from lnviz.database.models import Base
from lnviz.rooms.schema import AnswerValue

StoredVote = dict[str, Any]
"""Stored answer of a seat in a round: its `value`, and the number of its `attempt`."""

_TABLE = Base.metadata.tables["answer"]
_KEY = (_TABLE.c.poll_id, _TABLE.c.round, _TABLE.c.seat)


class VoteBuffer:
    """Buffer for the votes of one transaction that are not in the database yet.

    Args:
        session: Database session of the transaction.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._latest: dict[tuple[int, int, int], StoredVote] = {}
        self._results: defaultdict[tuple[int, int, int], list[StoredVote]] = defaultdict(list)

    def add(self, poll: int, round: int, seat: int, value: AnswerValue, attempt: int) -> StoredVote:
        """Buffer a vote; return a dictionary that `flush` fills with the stored vote."""
        key, vote = (poll, round, seat), {"value": value, "attempt": attempt}
        if key not in self._latest or attempt > self._latest[key]["attempt"]:
            self._latest[key] = vote
        result: StoredVote = {}
        self._results[key].append(result)
        return result

    def flush(self) -> None:
        """Upsert all buffered votes; stored votes with a later attempt number are kept."""
        if not self._latest:
            return
        names = [column.name for column in _KEY]
        # Sorted, so that two processes that write the same seats cannot deadlock.
        rows = [
            dict(zip(names, key, strict=True)) | self._latest[key] for key in sorted(self._results)
        ]
        is_sqlite = self._session.get_bind().dialect.name == SQLITE
        insert = (sqlite if is_sqlite else postgresql).insert(_TABLE)
        upsert = insert.on_conflict_do_update(
            index_elements=_KEY,
            set_={"value": insert.excluded.value, "attempt": insert.excluded.attempt},
            where=insert.excluded.attempt > _TABLE.c.attempt,
        ).returning(*_KEY)
        written = {tuple(row) for row in self._session.connection().execute(upsert, rows)}
        if late := self._latest.keys() - written:
            stored = select(*_KEY, _TABLE.c.value, _TABLE.c.attempt).where(tuple_(*_KEY).in_(late))
            for *late_key, value, attempt in self._session.execute(stored):
                self._latest[tuple(late_key)] = {"value": value, "attempt": attempt}
        for key, results in self._results.items():
            for result in results:
                result |= self._latest[key]
        self._latest.clear()
        self._results.clear()
