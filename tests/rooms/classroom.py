"""A class in a room, for tests: its teacher, its students, and a clock that stands still."""

from typing import Any

from lnviz.database.models import RoomRow
from lnviz.rooms import queries
from lnviz.rooms.auth import find
from lnviz.rooms.schema import Asking
from lnviz.rooms.store import Store

CHOICE = Asking("choice", ("A", "B", "C", "D"), 1)
SETTING = Asking("setting", controls={"size": None})


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Class:
    """A teacher with a room, and what students do in it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        opened = store.one(lambda tx: tx.open("axes", "shared"))
        self.code, self.key = opened["code"], opened["key"]

    def do(self, verb: str, **given: Any) -> Any:
        given["rev"] = self.state["rev"]
        return self.store.one(lambda tx: tx.do(self.code, self.key, verb, given))

    def ask(self, asking: Asking = CHOICE) -> int:
        self.do("ask", asking=asking)
        poll: int = self.state["poll"]["id"]
        return poll

    def enter(self, name: str) -> Any:
        return self.store.one(lambda tx: tx.enter(self.code, name))

    def answer(self, name: str, value: Any, n: int = 1, round: int = 1, poll: int = 0) -> Any:
        poll = poll or self.state["poll"]["id"]
        return self.store.one(lambda tx: tx.answer(self.code, name, poll, round, value, n))

    @property
    def state(self) -> Any:
        return self.store.look(lambda session: queries.state(session, self.row(session)))

    @property
    def tally(self) -> Any:
        now = self.store.clock()
        return self.store.look(lambda session: queries.tally(session, self.row(session), now))

    def row(self, session: Any) -> RoomRow:
        return find(session, self.code)
