"""Answers that come all at once: they are written in one statement, whoever else writes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from lnviz.database.connection import SQLITE
from lnviz.database.models import Base

StoredVote = dict[str, Any]
"""What is kept of a seat in a round: the `value`, and `n`, the number of its attempt."""

_TABLE = Base.metadata.tables["answer"]
_SEAT = (_TABLE.c.poll_id, _TABLE.c.round, _TABLE.c.seat)


class VoteBuffer:
    """What is answered in one transaction.

    Args:
        session: where it is kept.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._latest: dict[tuple[int, int, int], StoredVote] = {}
        self._results: defaultdict[tuple[int, int, int], list[StoredVote]] = defaultdict(list)

    def add(self, poll: int, round: int, seat: int, value: Any, n: int) -> StoredVote:
        """Keep one attempt if it is the latest; return what says, once settled, what is kept."""
        key, kept = (poll, round, seat), {"value": value, "n": n}
        if key not in self._latest or n > self._latest[key]["n"]:
            self._latest[key] = kept
        told: StoredVote = {}
        self._results[key].append(told)
        return told

    def flush(self) -> None:
        """Write what was answered, for whoever reads it next.

        A later attempt that is there stays, also one that another process has written since.
        """
        if not self._latest:
            return
        names = [column.name for column in _SEAT]
        # Two processes that write the same seats in one order do not wait for each other in a
        # circle.
        rows = [
            dict(zip(names, key, strict=True)) | self._latest[key] for key in sorted(self._results)
        ]
        is_file = self._session.get_bind().dialect.name == SQLITE
        given = (sqlite if is_file else postgresql).insert(_TABLE)
        written = given.on_conflict_do_update(
            index_elements=_SEAT,
            set_={"value": given.excluded.value, "n": given.excluded.n},
            where=given.excluded.n > _TABLE.c.n,
        ).returning(*_SEAT)
        done = {tuple(row) for row in self._session.connection().execute(written, rows)}
        if late := self._latest.keys() - done:
            of_late = select(*_SEAT, _TABLE.c.value, _TABLE.c.n).where(tuple_(*_SEAT).in_(late))
            for *key, value, n in self._session.execute(of_late):
                self._latest[tuple(key)] = {"value": value, "n": n}
        for each, documents in self._results.items():
            for told in documents:
                told |= self._latest[each]
        self._latest.clear()
        self._results.clear()
