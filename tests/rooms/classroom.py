"""A class in a room, for tests: its teacher, its students, and a clock that stands still."""

from typing import Any

from lnviz.database.models import RoomRow
from lnviz.rooms import lifecycle, participation, presenter, queries
from lnviz.rooms.auth import find_room, participant_hash
from lnviz.rooms.schema import PollQuestion
from lnviz.rooms.store import RoomStore

CHOICE = PollQuestion("choice", ("A", "B", "C", "D"), 1)
SETTING = PollQuestion("setting", controls={"size": None})


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Classroom:
    """A teacher with a room, and what students do in it."""

    def __init__(self, store: RoomStore) -> None:
        self.store = store
        opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", "shared"))
        self.code, self.key = opened["code"], opened["key"]

    def command(self, verb: str, **given: Any) -> None:
        """Command the room, which answers with the state that others are told."""
        given["rev"] = self.state["rev"]
        answer = self.store.execute(
            lambda tx: presenter.command(tx, self.code, self.key, verb, given)
        )
        assert answer == {"state": self.state}

    def end(self) -> None:
        self.store.execute(lambda tx: lifecycle.end_room(tx, tx.get_room(self.code)))

    def ask(self, question: PollQuestion = CHOICE) -> int:
        self.command("ask", asking=question)
        poll: int = self.state["poll"]["id"]
        return poll

    def join(self, name: str, network: str = "") -> Any:
        return self.store.execute(
            lambda tx: participation.join(tx, self.code, name, network=network)
        )

    def connect(self, name: str) -> int:
        """Join, and ask for the room's state as a phone does."""
        joined: int = self.join(name)["number"]
        key = self.store.read(lambda session: participant_hash(self.row(session), name))
        now = self.store.clock() + 0.001
        self.store.execute(lambda tx: participation.mark_seen(tx, self.code, {key}, now))
        return joined

    def vote(self, name: str, value: Any, n: int = 1, round: int = 1, poll: int = 0) -> Any:
        poll = poll or self.state["poll"]["id"]
        stored = self.store.execute(
            lambda tx: participation.vote(tx, self.code, name, poll, round, value, n)
        )
        assert stored.pop("removals") == 0
        return stored

    @property
    def state(self) -> Any:
        return self.store.read(lambda session: queries.room_state(session, self.row(session)))

    @property
    def tally(self) -> Any:
        now = self.store.clock()
        return self.store.read(lambda session: queries.tally(session, self.row(session), now))

    def row(self, session: Any) -> RoomRow:
        return find_room(session, self.code)
