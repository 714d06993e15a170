"""Rooms in a database: what is kept, counted, told apart, swept and deleted."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from lnviz.database.models import AnswerRow, Base, PollRow, RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, simulation
from lnviz.rooms.auth import find, seat_key
from lnviz.rooms.queries import LISTED
from lnviz.rooms.retention import EMPTY_S, IDLE_S, KEPT_S, NOTED_S, ROOMS
from lnviz.rooms.schema import Asking
from lnviz.rooms.store import Store
from lnviz.rooms.transactions import KEYS, ONCE_S, SEATS, Transaction
from tests.rooms.classroom import SETTING, Class, Clock


def rows(store: Store, table: type[Base] = AnswerRow) -> int:
    return store.look(lambda s: s.scalar(select(func.count()).select_from(table)) or 0)


def test_a_browser_has_the_same_seat_however_often_it_comes(room: Class) -> None:
    numbers = [room.enter(name)["number"] for name in ("ann", "ben", "ann", "eve", "ben")]
    assert numbers == [1, 2, 1, 3, 2]
    assert room.tally["here"] == 3


def test_names_are_not_kept_and_two_rooms_do_not_know_each_other_s(store: Store) -> None:
    one, other = Class(store), Class(store)
    one.enter("ann"), other.enter("ann")
    keys = store.look(lambda session: list(session.scalars(select(SeatRow.key))))
    assert len(set(keys)) == 2
    assert "ann" not in "".join(keys)


def test_of_an_answer_the_highest_attempt_stays_in_any_order(room: Class) -> None:
    room.enter("ann")
    poll = room.ask()
    assert room.answer("ann", 2, n=3) == {"value": 2, "n": 3}
    assert room.answer("ann", 0, n=1) == {"value": 2, "n": 3}
    assert room.answer("ann", 2, n=3) == {"value": 2, "n": 3}
    assert rows(room.store) == 1
    assert room.tally["counts"] == [0, 0, 1, 0]
    assert room.enter("ann")["you"]["answers"] == {str(poll): {"1": {"value": 2, "n": 3}}}


def test_an_answer_late_or_to_another_question_gets_the_room_as_it_stands(
    room: Class, clock: Clock
) -> None:
    room.enter("ann")
    poll = room.ask()
    room.do("close")
    clock.now += 1.5
    assert room.answer("ann", 1) == {"value": 1, "n": 1}
    clock.now += 1.0
    for round, asked in ((1, poll), (2, poll), (1, poll + 1)):
        with pytest.raises(RequestError, match="closed") as refused:
            room.answer("ann", 2, n=2, round=round, poll=asked)
        assert refused.value.details["state"] == room.state
        assert refused.value.details["you"]["number"] == 1
    assert room.tally["counts"] == [0, 1, 0, 0]


def test_an_answer_on_its_way_is_taken_when_the_teacher_goes_on(room: Class, clock: Clock) -> None:
    room.enter("ann")
    poll = room.ask()
    room.do("go", screen=5)
    clock.now += 1.0
    assert room.answer("ann", 1, poll=poll)["n"] == 1
    clock.now += 1.5
    with pytest.raises(RequestError):
        room.answer("ann", 2, n=2, poll=poll)


def test_a_poll_of_another_room_is_not_answered(store: Store) -> None:
    one, other = Class(store), Class(store)
    one.enter("ann"), other.enter("ann")
    other.ask()
    with pytest.raises(RequestError):
        one.answer("ann", 1, poll=other.state["poll"]["id"])


def test_a_poll_of_any_number_is_one_that_is_closed(room: Class) -> None:
    room.enter("ann")
    room.ask()
    for poll, round in ((2**31, 1), (2**63, 1), (1, 2**63)):
        with pytest.raises(RequestError, match="This round is closed"):
            room.answer("ann", 1, round=round, poll=poll)


def test_who_has_no_seat_or_no_key_is_refused(room: Class) -> None:
    poll = room.ask()
    with pytest.raises(RequestError, match="no seat") as refused:
        room.answer("stranger", 1, poll=poll)
    assert refused.value.status == 401
    works: list[Any] = [
        lambda tx: tx.do(room.code, "forged", "close", {"rev": 1}),
        lambda tx: tx.delete(room.code, ""),
        lambda tx: tx.invite(room.code, room.key + "x"),
        lambda tx: simulation.rehearse(tx, room.code, "forged"),
    ]
    for work in works:
        with pytest.raises(RequestError, match="does not have the key") as refused:
            room.store.one(work)
        assert refused.value.status == 403
    with pytest.raises(RequestError, match="no room with this code"):
        room.store.one(lambda tx: tx.enter("none", "ann"))


def test_a_command_on_an_old_revision_changes_nothing(room: Class) -> None:
    room.ask()
    before = room.state
    with pytest.raises(RequestError, match="moved on") as refused:
        room.store.one(lambda tx: tx.do(room.code, room.key, "close", {"rev": 0}))
    assert refused.value.details["state"] == before == room.state


def test_what_is_refused_does_not_keep_others_of_the_same_moment_from_theirs(room: Class) -> None:
    room.enter("ann"), room.enter("ben")
    poll = room.ask()
    given = room.store.write(
        [
            lambda tx: tx.answer(room.code, "ann", poll, 1, 1, 1),
            lambda tx: tx.answer(room.code, "ann", poll, 1, 77, 2),
            lambda tx: tx.answer(room.code, "nobody", poll, 1, 1, 1),
            lambda tx: tx.answer(room.code, "ben", poll, 1, 3, 1),
        ]
    )
    assert [isinstance(each, RequestError) for each in given] == [False, True, True, False]
    assert room.tally["counts"] == [0, 1, 0, 1]


def test_both_rounds_are_shown_with_the_right_answer(room: Class) -> None:
    for name in ("ann", "ben", "eve"):
        room.enter(name)
    room.ask()
    room.answer("ann", 0), room.answer("ben", 1)
    assert (room.tally["counts"], room.tally["answered"]) == ([1, 1, 0, 0], 2)
    room.do("close"), room.do("talk"), room.do("again", round=2)
    assert room.tally["counts"] == [0, 0, 0, 0]
    room.answer("ann", 1, round=2), room.answer("ben", 1, round=2), room.answer("eve", 1, round=2)
    room.do("close")
    assert room.state["shown"] is None
    room.do("show")
    assert room.state["shown"] == {"counts": [[1, 1, 0, 0], [0, 3, 0, 0]], "right": 1}


def test_settings_are_counted_and_shown(room: Class) -> None:
    for name in ("ann", "ben", "eve"):
        room.enter(name)
    room.ask(SETTING)
    for name, size in (("ann", "25"), ("ben", "8"), ("eve", "25")):
        room.answer(name, {"size": size})
    assert room.tally["values"] == [[{"size": "25"}, 2], [{"size": "8"}, 1]]
    room.do("close"), room.do("show")
    values = [[{"size": "25"}, 2], [{"size": "8"}, 1]]
    assert room.state["shown"] == {"values": values, "more": 0, "right": None}


def test_a_state_is_small(room: Class) -> None:
    room.do("pose", pose={f"control-{number}": "0.123456" for number in range(16)})
    room.ask()
    assert len(json.dumps(room.state)) < 1500
    room.store.write([lambda tx, n=n: tx.enter(room.code, f"name {n}") for n in range(300)])
    pose = room.state["pose"]
    room.ask(Asking("setting", controls=dict.fromkeys(pose)))
    poll = room.state["poll"]["id"]
    room.store.write(
        [
            lambda tx, n=n: tx.answer(
                room.code, f"name {n}", poll, 1, pose | {"control-0": f"{n}"}, 1
            )
            for n in range(300)
        ]
    )
    room.do("close"), room.do("show")
    shown, tally = room.state["shown"], room.tally
    assert (len(shown["values"]), shown["more"]) == (LISTED, 300 - LISTED)
    assert (len(tally["values"]), tally["more"], tally["answered"]) == (LISTED, 200, 300)
    told = room.enter("name 0")["state"]
    assert len(json.dumps(told)) < 1500
    assert told == queries.told_seats(room.state)
    assert told["shown"] == {"right": None}


def test_who_is_here_away_and_lost(room: Class, clock: Clock, store: Store) -> None:
    for name in ("ann", "ben", "eve"):
        room.enter(name)
    store.one(lambda tx: tx.signal(room.code, "ann", {"lost": True, "following": False}))
    assert {name: room.tally[name] for name in ("here", "away", "lost")} == {
        **{"here": 3, "away": 0, "lost": 1}
    }
    assert room.enter("ann")["you"]["following"] is False
    keys = store.look(lambda s: {n: seat_key(room.row(s), n) for n in ("ann", "ben")})
    clock.now += 1.0
    store.one(lambda tx: tx.left(room.code, keys["ben"], clock.now))
    assert (room.tally["here"], room.tally["away"]) == (2, 1)
    clock.now += 1.0
    store.one(lambda tx: tx.seen(room.code, [keys["ben"]], clock.now))
    # That it has left a stream says nothing once it was seen on another one.
    store.one(lambda tx: tx.left(room.code, keys["ben"], clock.now - 0.5))
    assert room.tally["here"] == 3
    clock.now += queries.LOST_S + 1
    store.one(lambda tx: tx.seen(room.code, [keys["ann"]], clock.now))
    assert {name: room.tally[name] for name in ("here", "away", "lost")} == {
        **{"here": 1, "away": 2, "lost": 0}
    }


def test_a_locked_door_keeps_out_who_is_new_alone(room: Class) -> None:
    room.enter("ann")
    room.do("lock", locked=True)
    assert room.enter("ann")["number"] == 1
    with pytest.raises(RequestError, match="nobody new"):
        room.enter("ben")


def test_the_last_seat_goes_on_to_somebody_else_only_from_who_is_away_and_said_nothing(
    room: Class, clock: Clock, store: Store
) -> None:
    code = room.code
    store.write([lambda tx, n=n: tx.enter(code, f"name {n}") for n in range(SEATS)])
    poll = room.ask()
    room.answer("name 0", 1)
    with pytest.raises(RequestError, match="All seats") as refused:
        room.enter("late")
    assert refused.value.status == 503
    clock.now += queries.HERE_S + 1
    assert room.enter("late")["number"] == SEATS + 1
    assert room.answer("name 0", 2, n=2, poll=poll)["n"] == 2
    assert rows(store, SeatRow) == SEATS


def test_another_browser_leads_by_a_link_that_works_once_and_soon(
    room: Class, clock: Clock, store: Store
) -> None:
    token = store.one(lambda tx: tx.invite(room.code, room.key))
    other = store.one(lambda tx: tx.redeem(room.code, token))
    for key in (room.key, other):
        assert store.one(lambda tx, key=key: tx.led(room.code, key).code) == room.code
    late = store.one(lambda tx: tx.invite(room.code, other))
    clock.now += ONCE_S + 1
    for used in (token, late, ""):
        with pytest.raises(RequestError, match="has been used, or is too old"):
            store.one(lambda tx, used=used: tx.redeem(room.code, used))


def test_whoever_opened_a_room_leads_it_however_many_links_are_used(room: Class) -> None:
    store, keys = room.store, []
    for _ in range(KEYS + 1):
        token = store.one(lambda tx: tx.invite(room.code, room.key))
        keys.append(store.one(lambda tx, token=token: tx.redeem(room.code, token)))
    assert store.one(lambda tx: len(tx.led(room.code, keys[-1]).keys)) == KEYS
    with pytest.raises(RequestError, match="does not have the key"):
        store.one(lambda tx: tx.led(room.code, keys[0]))


def test_pretend_students_come_answer_and_go_without_a_trace(room: Class, store: Store) -> None:
    room.enter("ann")
    poll = room.ask()
    room.answer("ann", 1)
    assert store.one(lambda tx: simulation.rehearse(tx, room.code, room.key)) == {"pretend": 30}
    store.one(lambda tx: simulation.answer(tx, room.code, poll, 1, [0] * 12))
    store.one(lambda tx: simulation.answer(tx, room.code, poll, 1, [1] * 40))
    assert room.tally["counts"] == [12, 19, 0, 0]
    assert (room.tally["here"], room.tally["pretend"]) == (31, 30)
    assert store.one(lambda tx: simulation.rehearse(tx, room.code, room.key)) == {"pretend": 0}
    assert (room.tally["counts"], room.tally["here"]) == ([0, 1, 0, 0], 1)


def test_the_table_has_a_line_for_each_answer_and_no_times(room: Class, store: Store) -> None:
    for name in ("ann", "ben"):
        room.enter(name)
    room.ask()
    room.answer("ann", 1), room.answer("ben", 0)
    room.do("go", lesson="batch", screen=3)
    room.ask(SETTING)
    room.answer("ben", {"size": "25"})
    text = store.one(lambda tx: queries.table(tx.session, tx.led(room.code, room.key)))
    heading, *lines = text.splitlines()
    assert heading == "seat,poll,round,value,right,lesson,screen"
    (ben,) = (line.partition(",")[0] for line in lines if "batch" in line)
    ann = {"1": "2", "2": "1"}[ben]
    assert sorted(lines) == sorted(
        [
            f"{ann},1,1,B,1,axes,shared",
            f"{ben},1,1,A,0,axes,shared",
            f'{ben},2,1,"{{""size"": ""25""}}",,batch,3',
        ]
    )


def test_an_idle_room_ends_and_is_gone_a_day_later(room: Class, clock: Clock, store: Store) -> None:
    room.enter("ann")
    clock.now += IDLE_S - 1
    store.one(lambda tx: tx.sweep())
    assert room.state["mode"] == "led"
    clock.now += 2
    store.one(lambda tx: tx.sweep())
    with pytest.raises(RequestError, match="has ended"):
        room.enter("ann")
    clock.now += KEPT_S + 1
    store.one(lambda tx: tx.sweep())
    assert rows(store, RoomRow) == rows(store, SeatRow) == 0


def test_a_room_at_which_somebody_looks_stays_though_nobody_else_is_there(
    room: Class, clock: Clock, store: Store
) -> None:
    for _ in range(ROOMS - 1):
        Class(store).enter("ann")
    clock.now += IDLE_S + 1
    store.one(lambda tx: tx.watched(room.code, clock.now))
    store.one(lambda tx: tx.sweep())
    assert room.state["mode"] == "led"
    for number in range(ROOMS - 1):
        Class(store).enter(f"student {number}")
    with pytest.raises(RequestError, match="All rooms of this server are in use"):
        Class(store)
    clock.now += 2 * NOTED_S + 1
    Class(store)
    with pytest.raises(RequestError, match="no room"):
        room.state  # noqa: B018


def test_a_room_is_opened_at_a_task_which_is_asked_at_once(store: Store) -> None:
    given = {"asking": SETTING, "task": "Find a size.", "pose": {"size": "8"}, "counted": [2, 7]}
    opened = store.one(lambda tx: tx.open("axes", "grid", given))
    state = store.look(lambda session: queries.state(session, find(session, opened["code"])))
    assert (state["task"], state["pose"]) == ("Find a size.", {"size": "8"})
    assert tuple(state["counted"]) == (2, 7)
    assert (state["poll"]["kind"], state["poll"]["phase"]) == ("setting", "asking")
    code, poll = opened["code"], state["poll"]["id"]
    store.one(lambda tx: tx.enter(code, "ann"))
    kept = store.one(lambda tx: tx.answer(code, "ann", poll, 1, {"size": "16"}, 1))
    assert kept == {"value": {"size": "16"}, "n": 1}
    with pytest.raises(RequestError, match="takes a number"):
        store.one(lambda tx: tx.answer(code, "ann", poll, 1, {"size": "idiot"}, 2))


def test_a_room_is_opened_at_a_task_in_words_which_nobody_can_hand_in(store: Store) -> None:
    given = {"asking": None, "task": "Write it down."}
    opened = store.one(lambda tx: tx.open("axes", "start", given))
    state = store.look(lambda session: queries.state(session, find(session, opened["code"])))
    assert (state["task"], state["poll"]) == ("Write it down.", None)


def test_an_ended_room_takes_no_answers_and_gives_its_table(room: Class, store: Store) -> None:
    room.enter("ann")
    poll = room.ask()
    room.answer("ann", 1)
    room.do("end")
    with pytest.raises(RequestError, match="has ended"):
        store.one(lambda tx: tx.answer(room.code, "ann", poll, 1, 2, 2))
    text = store.one(lambda tx: queries.table(tx.session, tx.led(room.code, room.key)))
    assert text.count("\n") == 2


def test_rooms_that_nobody_is_in_make_place(store: Store, clock: Clock) -> None:
    used = Class(store)
    used.enter("ann")
    empty = [Class(store) for _ in range(ROOMS - 1)]
    clock.now += 1
    Class(store)
    codes = set(store.look(lambda session: session.scalars(select(RoomRow.code)).all()))
    assert len(codes) == ROOMS
    assert used.code in codes
    assert len({room.code for room in empty} - codes) == 1


def test_a_room_with_answers_makes_no_place(store: Store, clock: Clock) -> None:
    used = Class(store)
    used.enter("ann"), used.ask(), used.answer("ann", 1)
    for _ in range(ROOMS - 1):
        Class(store).enter("ben")
    clock.now += EMPTY_S + 1
    Class(store)
    assert used.state["mode"] == "led"


def test_where_all_rooms_are_in_use_none_is_opened(store: Store) -> None:
    for _ in range(ROOMS):
        Class(store).enter("ann")
    with pytest.raises(RequestError, match="All rooms of this server are in use"):
        Class(store)


@pytest.mark.slow
def test_postgresql_lets_nobody_wait_for_a_process_that_stands_still(postgres: str) -> None:
    store = Store(postgres)
    for name in ("lock_timeout", "idle_in_transaction_session_timeout"):
        assert store.look(lambda s, name=name: s.scalar(text(f"SHOW {name}"))) == "5s"
    store.close()


@pytest.mark.slow
def test_in_postgresql_who_answers_waits_for_commands_alone(postgres: str, clock: Clock) -> None:
    store, other = Store(postgres, clock), Store(postgres, clock)
    room = Class(store)
    room.enter("ann"), room.enter("ben")
    poll = room.ask()
    is_answered, may_end = threading.Event(), threading.Event()

    def answer(tx: Transaction) -> Any:
        kept = tx.answer(room.code, "ann", poll, 1, 1, 1)
        tx.answers.settle()
        is_answered.set()
        may_end.wait()
        return kept

    def ben(n: int) -> Any:
        return other.write([lambda tx: tx.answer(room.code, "ben", poll, 1, 2, n)], shared=True)

    with ThreadPoolExecutor(2) as pool:
        written = pool.submit(store.write, [answer], True)
        is_answered.wait()
        assert ben(1) == [{"value": 2, "n": 1}]  # while that one is not kept
        rev = room.state["rev"]
        closed = pool.submit(
            other.one, lambda tx: tx.do(room.code, room.key, "close", {"rev": rev})
        )
        waits = select(func.count()).where(text("NOT granted")).select_from(text("pg_locks"))
        while not store.look(lambda session: session.scalar(waits)):
            assert not closed.done()
        may_end.set()
        assert written.result() == [{"value": 1, "n": 1}]
        closed.result()
    room.do("show")
    assert room.state["shown"]["counts"] == [[0, 1, 1, 0]]
    assert isinstance(*ben(2), RequestError)
    assert room.state["shown"]["counts"] == [[0, 1, 1, 0]]
    store.close(), other.close()


def test_deleting_leaves_no_row(room: Class, store: Store) -> None:
    room.enter("ann")
    room.ask()
    room.answer("ann", 1)
    store.one(lambda tx: tx.delete(room.code, room.key))
    assert [rows(store, each) for each in (RoomRow, SeatRow, PollRow, AnswerRow)] == [0, 0, 0, 0]


def test_deleting_leaves_no_bytes_in_the_file_or_its_log(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'rooms.sqlite'}")
    room = Class(store)
    room.ask(Asking("setting", controls={"size": tuple(f"unheard-of-{n}" for n in range(200))}))
    for number in range(200):
        name = f"name {number}"
        room.enter(name)
        room.answer(name, {"size": f"unheard-of-{number}"})
    keys = store.look(
        lambda session: [key.encode() for key in session.scalars(select(SeatRow.key))]
    )

    def found() -> int:
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        return kept.count(b"unheard-of") + sum(kept.count(key) for key in keys)

    assert found() > 400
    store.one(lambda tx: tx.delete(room.code, room.key))
    assert found() == 0
    store.close()
    assert found() == 0
