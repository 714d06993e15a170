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
from lnviz.rooms import (
    lifecycle,
    moderation,
    participation,
    presenter,
    queries,
    questions,
    simulation,
)
from lnviz.rooms.auth import find_room, participant_hash
from lnviz.rooms.participation import MAX_SEATS
from lnviz.rooms.presenter import MAX_REMOTES, TOKEN_TTL_S
from lnviz.rooms.queries import MAX_LISTED_VALUES
from lnviz.rooms.retention import (
    CONNECTS_WITHIN_S,
    EVICTABLE_AFTER_S,
    IDLE_AFTER_S,
    KEEP_ENDED_S,
    MAX_ROOMS,
    USE_INTERVAL_S,
)
from lnviz.rooms.schema import PollQuestion, QuestionText
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Transaction
from tests.rooms.classroom import CHOICE, SETTING, Classroom, Clock


def rows(store: RoomStore, table: type[Base] = AnswerRow) -> int:
    return store.read(lambda s: s.scalar(select(func.count()).select_from(table)) or 0)


def test_a_browser_has_the_same_seat_however_often_it_comes(room: Classroom) -> None:
    numbers = [room.join(name)["number"] for name in ("ann", "ben", "ann", "eve", "ben")]
    assert numbers == [1, 2, 1, 3, 2]
    assert room.tally["here"] == 3


def test_names_are_not_kept_and_two_rooms_do_not_know_each_other_s(store: RoomStore) -> None:
    one, other = Classroom(store), Classroom(store)
    one.join("ann"), other.join("ann")
    keys = store.read(lambda session: list(session.scalars(select(SeatRow.key))))
    assert len(set(keys)) == 2
    assert "ann" not in "".join(keys)


def test_of_an_answer_the_highest_attempt_stays_in_any_order(room: Classroom) -> None:
    room.join("ann")
    poll = room.ask()
    assert room.vote("ann", 2, n=3) == {"value": 2, "attempt": 3}
    assert room.vote("ann", 0, n=1) == {"value": 2, "attempt": 3}
    assert room.vote("ann", 2, n=3) == {"value": 2, "attempt": 3}
    assert rows(room.store) == 1
    assert room.tally["counts"] == [0, 0, 1, 0]
    assert room.join("ann")["you"]["answers"] == {str(poll): {"1": {"value": 2, "attempt": 3}}}


def test_an_answer_late_or_to_another_question_gets_the_room_as_it_stands(
    room: Classroom, clock: Clock
) -> None:
    room.join("ann")
    poll = room.ask()
    room.command("close")
    clock.now += 1.5
    assert room.vote("ann", 1) == {"value": 1, "attempt": 1}
    clock.now += 1.0
    for round, asked in ((1, poll), (2, poll), (1, poll + 1)):
        with pytest.raises(RequestError, match="closed") as refused:
            room.vote("ann", 2, n=2, round=round, poll=asked)
        assert refused.value.details["state"] == queries.participant_view(room.state)
        assert refused.value.details["you"]["number"] == 1
    assert room.tally["counts"] == [0, 1, 0, 0]


def test_an_answer_on_its_way_is_taken_when_the_teacher_goes_on(
    room: Classroom, clock: Clock
) -> None:
    room.join("ann")
    poll = room.ask()
    room.command("go", screen=5)
    clock.now += 1.0
    assert room.vote("ann", 1, poll=poll)["attempt"] == 1
    clock.now += 1.5
    with pytest.raises(RequestError):
        room.vote("ann", 2, n=2, poll=poll)


def test_a_poll_of_another_room_is_not_answered(store: RoomStore) -> None:
    one, other = Classroom(store), Classroom(store)
    one.join("ann"), other.join("ann")
    other.ask()
    with pytest.raises(RequestError):
        one.vote("ann", 1, poll=other.state["poll"]["id"])


def test_a_poll_of_any_number_is_one_that_is_closed(room: Classroom) -> None:
    room.join("ann")
    room.ask()
    for poll, round in ((2**31, 1), (2**63, 1), (1, 2**63)):
        with pytest.raises(RequestError, match="This round is closed"):
            room.vote("ann", 1, round=round, poll=poll)


def test_who_has_no_seat_or_no_key_is_refused(room: Classroom) -> None:
    poll = room.ask()
    with pytest.raises(RequestError, match="has not joined") as refused:
        room.vote("stranger", 1, poll=poll)
    assert refused.value.status == 401
    works: list[Any] = [
        lambda tx: presenter.command(tx, room.code, "forged", "close", {"rev": 1}),
        lambda tx: lifecycle.delete_room(tx, room.code, ""),
        lambda tx: presenter.create_remote_token(tx, room.code, room.key + "x"),
        lambda tx: simulation.toggle_simulated(tx, room.code, "forged"),
    ]
    for work in works:
        with pytest.raises(RequestError, match="does not control this room") as refused:
            room.store.execute(work)
        assert refused.value.status == 403
    with pytest.raises(RequestError, match="no room with this code"):
        room.store.execute(lambda tx: participation.join(tx, "none", "ann"))


def test_a_command_on_an_old_revision_changes_nothing(room: Classroom) -> None:
    room.ask()
    before = room.state
    with pytest.raises(RequestError, match="changed at the same moment") as refused:
        room.store.execute(
            lambda tx: presenter.command(tx, room.code, room.key, "close", {"rev": 0})
        )
    assert refused.value.details["state"] == before == room.state


def test_what_is_refused_does_not_keep_others_of_the_same_moment_from_theirs(
    room: Classroom,
) -> None:
    room.join("ann"), room.join("ben")
    poll = room.ask()
    given = room.store.execute_batch(
        [
            lambda tx: participation.vote(tx, room.code, "ann", poll, 1, 1, 1),
            lambda tx: participation.vote(tx, room.code, "ann", poll, 1, 77, 2),
            lambda tx: participation.vote(tx, room.code, "nobody", poll, 1, 1, 1),
            lambda tx: participation.vote(tx, room.code, "ben", poll, 1, 3, 1),
        ]
    )
    assert [isinstance(each, RequestError) for each in given] == [False, True, True, False]
    assert room.tally["counts"] == [0, 1, 0, 1]


def test_both_rounds_are_shown_with_the_right_answer(room: Classroom) -> None:
    for name in ("ann", "ben", "eve"):
        room.join(name)
    room.ask()
    room.vote("ann", 0), room.vote("ben", 1)
    assert (room.tally["counts"], room.tally["answered"]) == ([1, 1, 0, 0], 2)
    room.command("close"), room.command("talk"), room.command("again", round=2)
    assert room.tally["counts"] == [0, 0, 0, 0]
    room.vote("ann", 1, round=2), room.vote("ben", 1, round=2), room.vote("eve", 1, round=2)
    room.command("close")
    assert (room.state["shown"], room.state["right"]) == (None, 1)
    assert "right" not in queries.participant_view(room.state)
    room.command("show")
    assert room.state["shown"] == {
        "counts": [[1, 1, 0, 0], [0, 3, 0, 0]],
        "right": 1,
        "simulated": [0, 0],
    }


def test_settings_are_counted_and_shown(room: Classroom) -> None:
    for name in ("ann", "ben", "eve"):
        room.join(name)
    room.ask(SETTING)
    for name, size in (("ann", "25"), ("ben", "8"), ("eve", "25")):
        room.vote(name, {"size": size})
    assert room.tally["values"] == [[{"size": "25"}, 2], [{"size": "8"}, 1]]
    room.command("close"), room.command("show")
    values = [[{"size": "25"}, 2], [{"size": "8"}, 1]]
    shown = {"values": values, "more": 0, "right": None, "simulated": [0]}
    assert room.state["shown"] == shown


def test_a_state_is_small(room: Classroom) -> None:
    room.command("pose", pose={f"control-{number}": "0.123456" for number in range(16)})
    room.ask()
    assert len(json.dumps(room.state)) < 1500
    room.command("close")
    room.store.execute_batch(
        [lambda tx, n=n: participation.join(tx, room.code, f"name {n}") for n in range(300)]
    )
    pose = room.state["pose"]
    room.ask(PollQuestion("setting", controls=dict.fromkeys(pose)))
    poll = room.state["poll"]["id"]
    room.store.execute_batch(
        [
            lambda tx, n=n: participation.vote(
                tx, room.code, f"name {n}", poll, 1, pose | {"control-0": f"{n}"}, 1
            )
            for n in range(300)
        ]
    )
    room.command("close"), room.command("show")
    shown, tally = room.state["shown"], room.tally
    assert (len(shown["values"]), shown["more"]) == (MAX_LISTED_VALUES, 300 - MAX_LISTED_VALUES)
    assert (len(tally["values"]), tally["more"], tally["answered"]) == (MAX_LISTED_VALUES, 200, 300)
    first = [value["control-0"] for value, _ in tally["values"]]
    assert first == [f"{n}" for n in range(MAX_LISTED_VALUES)]
    told = room.join("name 0")["state"]
    assert len(json.dumps(told)) < 1500
    assert told == queries.participant_view(room.state)
    assert told["shown"] == {"right": None}


def test_who_is_here_away_and_lost(room: Classroom, clock: Clock, store: RoomStore) -> None:
    for name in ("ann", "ben", "eve"):
        room.join(name)
    store.execute(
        lambda tx: participation.signal(tx, room.code, "ann", {"lost": True, "following": False})
    )
    assert {name: room.tally[name] for name in ("here", "away", "lost")} == {
        **{"here": 3, "away": 0, "lost": 1}
    }
    assert room.join("ann")["you"]["following"] is False
    keys = store.read(lambda s: {n: participant_hash(room.row(s), n) for n in ("ann", "ben")})
    clock.now += 1.0
    store.execute(lambda tx: participation.mark_left(tx, room.code, keys["ben"], clock.now))
    assert (room.tally["here"], room.tally["away"]) == (2, 1)
    clock.now += 1.0
    store.execute(lambda tx: participation.mark_seen(tx, room.code, [keys["ben"]], clock.now))
    # That it has left a stream says nothing once it was seen on another one.
    store.execute(lambda tx: participation.mark_left(tx, room.code, keys["ben"], clock.now - 0.5))
    assert room.tally["here"] == 3
    clock.now += queries.CONFUSED_FOR_S + 1
    store.execute(lambda tx: participation.mark_seen(tx, room.code, [keys["ann"]], clock.now))
    assert {name: room.tally[name] for name in ("here", "away", "lost")} == {
        **{"here": 1, "away": 2, "lost": 0}
    }


def test_a_locked_door_keeps_out_who_is_new_alone(room: Classroom) -> None:
    room.join("ann")
    room.command("lock", locked=True)
    assert room.join("ann")["number"] == 1
    with pytest.raises(RequestError, match="closed to newcomers"):
        room.join("ben")


def test_the_last_seat_goes_on_to_somebody_else_only_from_who_is_away_and_said_nothing(
    room: Classroom, clock: Clock, store: RoomStore
) -> None:
    code = room.code
    store.execute_batch(
        [lambda tx, n=n: participation.join(tx, code, f"name {n}") for n in range(MAX_SEATS)]
    )
    poll = room.ask()
    room.vote("name 0", 1)
    with pytest.raises(RequestError, match="All seats") as refused:
        room.join("late")
    assert refused.value.status == 503
    clock.now += queries.AWAY_AFTER_S + 1
    assert room.join("late")["number"] == MAX_SEATS + 1
    assert room.vote("name 0", 2, n=2, poll=poll)["attempt"] == 2
    assert rows(store, SeatRow) == MAX_SEATS


def requested(room: Classroom) -> tuple[str, int]:
    """Key and number of another browser that has asked to present."""
    token = room.store.execute(lambda tx: presenter.create_remote_token(tx, room.code, room.key))
    return room.store.execute(lambda tx: presenter.request_remote(tx, room.code, token))


def leads(room: Classroom, key: str) -> bool:
    try:
        room.store.execute(lambda tx: tx.require_presenter(room.code, key))
    except RequestError:
        return False
    return True


def test_another_browser_leads_once_it_is_let_in_and_until_it_is_removed(room: Classroom) -> None:
    (one, number), (other, refused) = requested(room), requested(room)
    assert not leads(room, one)
    assert room.state["remotes"] == [
        {"number": number, "admitted": False},
        {"number": refused, "admitted": False},
    ]
    room.command("admit", number=number), room.command("revoke", number=refused)
    assert (leads(room, one), leads(room, other)) == (True, False)
    assert "remotes" not in queries.participant_view(room.state)
    room.command("revoke", number=number)
    assert not leads(room, one)
    with pytest.raises(RequestError, match="no longer there"):
        room.command("admit", number=number)


def test_a_link_for_a_remote_works_once_and_soon(room: Classroom, clock: Clock) -> None:
    store = room.store
    token = store.execute(lambda tx: presenter.create_remote_token(tx, room.code, room.key))
    store.execute(lambda tx: presenter.request_remote(tx, room.code, token))
    late = store.execute(lambda tx: presenter.create_remote_token(tx, room.code, room.key))
    clock.now += TOKEN_TTL_S + 1
    for used in (token, late, ""):
        with pytest.raises(RequestError, match="has been used or has expired"):
            store.execute(lambda tx, used=used: presenter.request_remote(tx, room.code, used))


def test_a_room_has_a_bounded_number_of_remotes(room: Classroom) -> None:
    for _ in range(MAX_REMOTES):
        requested(room)
    with pytest.raises(RequestError, match="enough remotes"):
        requested(room)
    assert leads(room, room.key)


def test_a_question_has_its_result_again_when_the_room_comes_back_to_it(room: Classroom) -> None:
    room.join("ann")
    poll = room.ask()
    room.vote("ann", 1)
    room.command("close"), room.command("show")
    shown = room.state["shown"]
    room.command("go", screen="grid")
    assert (room.state["poll"], room.state["shown"]) == (None, None)
    room.command("go", screen="shared")
    assert (room.state["poll"]["id"], room.state["shown"]) == (poll, shown)
    room.command("again", round=2)
    assert room.vote("ann", 2, round=2)["value"] == 2
    room.command("go", screen="grid"), room.command("go", screen="shared")
    assert (room.state["poll"]["phase"], room.tally["counts"]) == ("closed", [0, 0, 1, 0])


def test_another_task_on_the_same_figure_has_a_result_of_its_own(room: Classroom) -> None:
    room.join("ann")
    polls = []
    for task in ("the largest", "the smallest"):
        room.command("go", screen="grid", task=task, asking=SETTING)
        assert room.state["poll"] is None
        polls.append(room.ask(SETTING))
    room.command("go", screen="grid", task="the largest", asking=SETTING)
    assert room.state["poll"]["id"] == polls[0]


def test_a_task_stays_with_the_slide_of_a_plan_on_which_it_was_asked(room: Classroom) -> None:
    figure = {"lesson": "axes", "screen": "grid", "asking": SETTING}
    room.join("ann")
    room.command("go", **figure, slide="axes.grid", task="Make the variance 0.")
    poll = room.ask(SETTING)
    room.vote("ann", {"size": "3"})
    room.command("close"), room.command("show")
    room.command("go", **figure, slide="axes.grid.2")
    state = room.state
    assert (state["poll"], state["shown"], state["task"], state["results"]) == (None, None, "", [])
    room.command("go", **figure, slide="axes.grid")  # a remote does not know the task
    state = room.state
    assert (state["poll"], state["task"]) == (None, "Make the variance 0.")
    room.command("go", **figure, slide="axes.grid", task="")
    assert room.state["task"] == ""
    room.command("recall", poll=poll)
    state = room.state
    assert (state["poll"]["id"], state["task"]) == (poll, "Make the variance 0.")
    assert state["shown"]["values"] == [[{"size": "3"}, 1]]


def test_settings_that_were_shown_are_put_away_and_shown_again(room: Classroom) -> None:
    room.join("ann")
    room.command("go", screen="grid")
    poll = room.ask(SETTING)
    room.vote("ann", {"size": "3"})
    room.command("close")
    room.command("go", screen="shared"), room.command("go", screen="grid")
    assert room.state["poll"]["phase"] == "closed"  # nobody has seen them yet
    room.command("show")
    result = {"id": poll, "kind": "setting", "text": ""}
    for turns in (["away"], ["recall", "go"]):
        for verb in turns:
            room.command(verb, poll=poll, screen="grid")
        assert (room.state["poll"], room.state["results"]) == (None, [result])
    room.command("recall", poll=poll)
    assert (room.state["poll"]["phase"], room.state["results"]) == ("shown", [])
    room.command("go", screen="shared")
    for other in (poll, 0, None, "1"):  # it belongs to another slide, or to none
        with pytest.raises(RequestError, match="not asked on this screen"):
            room.command("recall", poll=other)


def test_a_question_of_the_teacher_s_own_never_takes_the_screen_s_place(room: Classroom) -> None:
    room.join("ann")
    own = {"text": "How many?"}
    room.command("ask", own=own)
    first = room.state["poll"]["id"]
    room.vote("ann", 3)
    room.command("close"), room.command("show"), room.command("away")
    asked = {"id": first, "kind": "number", "text": "How many?"}
    # The screen's question is still to be asked.
    assert (room.state["poll"], room.state["results"]) == (None, [asked])
    poll = room.ask()
    room.vote("ann", 1)
    room.command("close"), room.command("show")
    shown = room.state["shown"]
    room.command("ask", own=own)  # again: its latest answers count
    second = room.state["poll"]["id"]
    assert [each["id"] for each in room.state["results"]] == [poll]
    room.vote("ann", 4)
    room.command("close"), room.command("show")
    for verb in ("away", "go"):
        room.command(verb, screen="shared")
        state = room.state
        assert (state["poll"]["id"], state["shown"]) == (poll, shown)
        assert state["results"] == [asked | {"id": second}]
        room.command("recall", poll=second)
        assert room.state["shown"]["values"] == [[4, 1]]
    assert "results" not in room.join("ann")["state"]


def test_the_projector_says_which_slides_it_goes_through(room: Classroom) -> None:
    room.command("count", counted=[2, 3], slides=["start", "shared", "grid"])
    assert (room.state["counted"], room.state["slides"]) == ((2, 3), ("start", "shared", "grid"))
    room.command("go", screen="grid")
    assert room.state["slides"] == ("start", "shared", "grid")
    room.command("go", lesson="batch", screen="curve")
    assert room.state["slides"] == ()
    for slides in (["a b"], "grid", [1], ["grid"] * 1001):
        with pytest.raises(RequestError, match="at most 1000 names"):
            room.command("count", slides=slides)


def test_the_projector_says_which_plan_it_shows_until_it_shows_another_screen(
    room: Classroom,
) -> None:
    room.command("count", plan="all-norms", slide="axes.grid", slides=["axes.grid", "task"])
    room.command("go", screen="start", slide="task")  # a remote
    assert room.state["plan"] == "all-norms"
    room.command("pose", pose={}, slide="", slides=["start"], plan="")
    assert room.state["plan"] == ""
    room.command("go", screen="grid", plan="all-norms", slide="axes.grid")
    room.command("go", screen="start")
    assert room.state["plan"] == ""
    for plan in ("a b", 1, "a" * 81):
        with pytest.raises(RequestError, match="plan by its address"):
            room.command("count", plan=plan)


def test_a_time_limit_closes_a_round_by_itself(room: Classroom, clock: Clock) -> None:
    room.join("ann")
    room.command("ask", asking=CHOICE, seconds=30)
    assert room.state["poll"]["deadline"] == clock.now + 30
    clock.now += 31
    assert room.vote("ann", 1)["value"] == 1  # late on its way
    clock.now += 2
    with pytest.raises(RequestError, match="This round is closed"):
        room.vote("ann", 2, n=2)
    room.command("talk"), room.command("again", round=2, seconds=5)
    assert room.vote("ann", 2, round=2)["value"] == 2
    room.command("close")
    for seconds in (4, 3601, 7.5, "10"):
        with pytest.raises(RequestError, match="whole number from 5 to 3600"):
            room.command("ask", asking=CHOICE, seconds=seconds)


def test_a_teacher_asks_a_question_of_their_own(room: Classroom) -> None:
    room.join("ann")
    options = ["Batch", "Layer"]
    room.command("ask", own={"text": "Which one?", "options": options, "right": 1})
    poll = room.state["poll"]
    assert (poll["text"], poll["options"], poll["labels"]) == ("Which one?", options, ["A", "B"])
    room.vote("ann", 1)
    assert ",Which one?,1,B: Layer,1," in table(room)


@pytest.mark.parametrize(
    "own",
    [
        "why?",
        {},
        {"text": ""},
        {"text": "a" * 201},
        {"text": "two\nlines"},
        {"text": "\ud800"},
        {"text": "one option", "options": ["a"]},
        {"text": "seven", "options": list("abcdefg")},
        {"text": "empty", "options": ["a", ""]},
        {"text": "right", "options": ["a", "b"], "right": 2},
    ],
)
def test_what_is_no_question_is_refused(room: Classroom, own: Any) -> None:
    with pytest.raises(RequestError) as refused:
        room.command("ask", own=own)
    assert refused.value.status == 422


def test_students_ask_and_second_questions_without_names(room: Classroom) -> None:
    store = room.store
    for name in ("ann", "ben"):
        room.join(name)

    def ask(name: str, text: Any) -> int:
        asked: int = store.execute(lambda tx: questions.ask(tx, room.code, name, text))["id"]
        return asked

    def listed(seat: int | None) -> list[tuple[str, int]]:
        found = store.read(lambda s: questions.list_questions(s, room.row(s), seat))
        return [(question["text"], question["seconds"]) for question in found]

    with pytest.raises(RequestError, match="does not take questions"):
        ask("ann", "Why?")
    room.command("questions", open=True)
    why, how = ask("ann", "Why?"), ask("ann", "How?")
    for _ in range(2):
        store.execute(lambda tx: questions.second(tx, room.code, "ben", how, True))
    assert listed(1) == [("How?", 1), ("Why?", 0)]
    assert room.tally["questions"] == 2
    room.command("feature", question=how)
    assert room.state["featured"] == {"id": how, "text": "How?"}
    store.execute(lambda tx: questions.set_hidden(tx, room.code, room.key, how, True))
    assert (room.state["featured"], listed(1), len(listed(None))) == (None, [("Why?", 0)], 2)
    store.execute(lambda tx: questions.set_hidden(tx, room.code, room.key, how, False))
    assert (room.state["featured"], len(listed(1))) == (None, 2)
    ask("ann", "Where?")
    with pytest.raises(RequestError, match="the most that fit"):
        ask("ann", "When?")
    for wrong in ("", "a" * 141, "two\nlines", "\ud800", 5):
        with pytest.raises(RequestError) as refused:
            ask("ben", wrong)
        assert refused.value.status == 422
    store.execute(lambda tx: questions.second(tx, room.code, "ben", why, False))
    with pytest.raises(RequestError, match="does not control"):
        store.execute(lambda tx: questions.set_hidden(tx, room.code, "forged", why, True))


def test_seats_of_an_address_are_cleared_and_kept_out(room: Classroom) -> None:
    store = room.store
    for n in range(3):
        room.join(f"own {n}", "school")
        room.join(f"made up {n}", "elsewhere")
    room.join("made up 3", "elsewhere")
    room.ask()
    for name, value in (("own 0", 1), ("made up 0", 0), ("made up 1", 0)):
        room.vote(name, value)

    def networks() -> list[Any]:
        return store.read(lambda s: moderation.list_networks(s, room.row(s)))

    elsewhere, school = networks()
    assert (elsewhere["seats"], school["seats"]) == (4, 3)
    assert (elsewhere["answers"], school["answers"]) == (2, 1)
    assert "school" not in str(networks())
    store.execute(lambda tx: moderation.set_blocked(tx, room.code, room.key, elsewhere["id"], True))
    removed = store.execute(
        lambda tx: moderation.remove_network(tx, room.code, room.key, elsewhere["id"])
    )
    assert (removed, room.tally["counts"], room.tally["here"]) == (4, [0, 1, 0, 0], 3)
    with pytest.raises(RequestError, match="New phones on this network"):
        room.join("made up 0", "elsewhere")
    assert room.join("own 3", "school")
    assert networks()[-1] == {
        "id": elsewhere["id"],
        "seats": 0,
        "answers": 0,
        "blocked": True,
    }


def test_an_answer_that_does_not_belong_on_the_wall_is_removed(room: Classroom) -> None:
    for name in ("ann", "ben"):
        room.join(name)
    room.ask(SETTING)
    room.vote("ann", {"size": "25"}), room.vote("ben", {"size": "6"})
    remove = {"size": "6"}
    removed = room.store.execute(
        lambda tx: moderation.remove_answer(tx, room.code, room.key, remove)
    )
    assert (removed, room.tally["values"]) == (1, [[{"size": "25"}, 1]])
    with pytest.raises(RequestError, match="No answer like this"):
        room.store.execute(lambda tx: moderation.remove_answer(tx, room.code, room.key, remove))


def test_seats_whose_phone_never_came_make_way_at_once(room: Classroom, clock: Clock) -> None:
    room.store.execute_batch(
        [
            lambda tx, n=n: participation.join(tx, room.code, f"made up {n}")
            for n in range(MAX_SEATS)
        ]
    )
    with pytest.raises(RequestError, match="All seats"):
        room.join("ann")
    clock.now += CONNECTS_WITHIN_S + 0.1
    assert room.connect("ann") == MAX_SEATS + 1
    assert room.connect("ben") == MAX_SEATS + 2
    clock.now += CONNECTS_WITHIN_S + 0.1
    assert room.join("eve")["number"] == MAX_SEATS + 3
    assert room.join("ann")["number"] == MAX_SEATS + 1


def table(room: Classroom, texts: Any = None) -> str:
    return room.store.execute(
        lambda tx: queries.answers_csv(
            tx.session, tx.require_presenter(room.code, room.key), texts or {}
        )
    )


def test_pretend_students_come_answer_and_go_without_a_trace(
    room: Classroom, store: RoomStore
) -> None:
    room.join("ann")
    poll = room.ask()
    room.vote("ann", 1)
    assert store.execute(lambda tx: simulation.toggle_simulated(tx, room.code, room.key)) == {
        "simulated": 30
    }
    store.execute(lambda tx: simulation.submit_simulated_answers(tx, room.code, poll, 1, [0] * 12))
    store.execute(lambda tx: simulation.submit_simulated_answers(tx, room.code, poll, 1, [1] * 40))
    assert room.tally["counts"] == [12, 19, 0, 0]
    assert (room.tally["here"], room.tally["simulated"]) == (31, 30)
    room.command("close"), room.command("show")
    assert room.state["shown"]["simulated"] == [30]
    assert store.execute(lambda tx: simulation.toggle_simulated(tx, room.code, room.key)) == {
        "simulated": 0
    }
    assert (room.tally["counts"], room.tally["here"]) == ([0, 1, 0, 0], 1)


def test_the_table_has_a_line_for_each_answer_and_no_times(
    room: Classroom, store: RoomStore
) -> None:
    for name in ("ann", "ben"):
        room.join(name)
    first = room.ask()
    room.vote("ann", 1), room.vote("ben", 0)
    room.command("go", lesson="batch", screen=3, pose={"layout": "tokens"})
    second = room.ask(SETTING)
    room.command("pose", pose={"layout": "images"})
    assert room.state["poll"]["pose"] == {"layout": "tokens"}
    room.vote("ben", {"size": "25"})
    room.command("close"), room.command("show")
    room.ask(PollQuestion("number", text="How many?"))
    room.vote("ann", 8192.0), room.vote("ben", 0.5)
    texts = {
        first: QuestionText("=Which?", ("a row", "a column")),
        second: QuestionText("", (), {"size": "batch size"}, {("size", "25"): "25 cards"}),
    }
    slides = store.execute(
        lambda tx: queries.polled_slides(tx.session, tx.require_presenter(room.code, room.key))
    )
    assert slides[first] == ("axes", "shared", {})
    assert slides[second] == ("batch", 3, {"layout": "tokens"})
    heading, *lines = table(room, texts).splitlines()
    assert heading == "seat,simulated,poll,question,round,answer,right,lesson,screen"
    (ben,) = (line.partition(",")[0] for line in lines if "size" in line)
    ann = {"1": "2", "2": "1"}[ben]
    assert sorted(lines) == sorted(
        [
            f"{ann},0,1,'=Which?,1,B: a column,1,axes,shared",
            f"{ben},0,1,'=Which?,1,A: a row,0,axes,shared",
            f"{ben},0,2,,1,batch size: 25 cards,,batch,3",
            f"{ann},0,3,How many?,1,8192,,batch,3",
            f"{ben},0,3,How many?,1,0.5,,batch,3",
        ]
    )


def test_an_idle_room_ends_and_is_gone_a_day_later(
    room: Classroom, clock: Clock, store: RoomStore
) -> None:
    room.join("ann")
    clock.now += IDLE_AFTER_S - 1
    store.execute(lambda tx: lifecycle.enforce_retention(tx))
    assert room.state["mode"] == "led"
    clock.now += 2
    store.execute(lambda tx: lifecycle.enforce_retention(tx))
    with pytest.raises(RequestError, match="has ended"):
        room.join("ann")
    clock.now += KEEP_ENDED_S + 1
    store.execute(lambda tx: lifecycle.enforce_retention(tx))
    assert rows(store, RoomRow) == rows(store, SeatRow) == 0


def test_a_room_at_which_somebody_looks_stays_though_nobody_else_is_there(
    room: Classroom, clock: Clock, store: RoomStore
) -> None:
    for _ in range(MAX_ROOMS - 1):
        Classroom(store).join("ann")
    clock.now += IDLE_AFTER_S + 1
    store.execute(lambda tx: presenter.mark_presenter_seen(tx, room.code, clock.now))
    store.execute(lambda tx: lifecycle.enforce_retention(tx))
    assert room.state["mode"] == "led"
    for number in range(MAX_ROOMS - 1):
        Classroom(store).join(f"student {number}")
    with pytest.raises(RequestError, match="All rooms of this server are in use"):
        Classroom(store)
    clock.now += 2 * USE_INTERVAL_S + 1
    Classroom(store)
    with pytest.raises(RequestError, match="no room"):
        room.state  # noqa: B018


def test_a_room_is_opened_at_a_task_which_is_asked_at_once(store: RoomStore) -> None:
    given = {"asking": SETTING, "task": "Find a size.", "pose": {"size": "8"}, "counted": [2, 7]}
    opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", "grid", given))
    state = store.read(
        lambda session: queries.room_state(session, find_room(session, opened["code"]))
    )
    assert (state["task"], state["pose"]) == ("Find a size.", {"size": "8"})
    assert tuple(state["counted"]) == (2, 7)
    assert (state["poll"]["kind"], state["poll"]["phase"]) == ("setting", "asking")
    code, poll = opened["code"], state["poll"]["id"]
    store.execute(lambda tx: participation.join(tx, code, "ann"))
    kept = store.execute(lambda tx: participation.vote(tx, code, "ann", poll, 1, {"size": "16"}, 1))
    assert kept == {"value": {"size": "16"}, "attempt": 1, "removals": 0}
    with pytest.raises(RequestError, match="must be set to a number"):
        store.execute(lambda tx: participation.vote(tx, code, "ann", poll, 1, {"size": "idiot"}, 2))


def test_a_room_is_opened_at_a_task_in_words_which_nobody_can_hand_in(store: RoomStore) -> None:
    given = {"asking": None, "task": "Write it down."}
    opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", "start", given))
    state = store.read(
        lambda session: queries.room_state(session, find_room(session, opened["code"]))
    )
    assert (state["task"], state["poll"]) == ("Write it down.", None)


def test_an_ended_room_takes_no_answers_and_gives_its_table(
    room: Classroom, store: RoomStore
) -> None:
    room.join("ann")
    poll = room.ask()
    room.vote("ann", 1)
    room.end()
    with pytest.raises(RequestError, match="has ended"):
        store.execute(lambda tx: participation.vote(tx, room.code, "ann", poll, 1, 2, 2))
    assert table(room).count("\n") == 2


def test_rooms_that_nobody_is_in_make_place(store: RoomStore, clock: Clock) -> None:
    used = Classroom(store)
    used.join("ann")
    empty = [Classroom(store) for _ in range(MAX_ROOMS - 1)]
    clock.now += 1
    Classroom(store)
    codes = set(store.read(lambda session: session.scalars(select(RoomRow.code)).all()))
    assert len(codes) == MAX_ROOMS
    assert used.code in codes
    assert len({room.code for room in empty} - codes) == 1


def test_a_room_with_answers_makes_no_place(store: RoomStore, clock: Clock) -> None:
    used = Classroom(store)
    used.join("ann"), used.ask(), used.vote("ann", 1)
    for _ in range(MAX_ROOMS - 1):
        Classroom(store).join("ben")
    clock.now += EVICTABLE_AFTER_S + 1
    Classroom(store)
    assert used.state["mode"] == "led"


def test_where_all_rooms_are_in_use_none_is_opened(store: RoomStore) -> None:
    for _ in range(MAX_ROOMS):
        Classroom(store).join("ann")
    with pytest.raises(RequestError, match="All rooms of this server are in use"):
        Classroom(store)


@pytest.mark.slow
def test_postgresql_lets_nobody_wait_for_a_process_that_stands_still(postgres: str) -> None:
    store = RoomStore(postgres)
    for name in ("lock_timeout", "idle_in_transaction_session_timeout"):
        assert store.read(lambda s, name=name: s.scalar(text(f"SHOW {name}"))) == "5s"
    store.close()


@pytest.mark.slow
def test_in_postgresql_who_answers_waits_for_commands_alone(postgres: str, clock: Clock) -> None:
    store, other = RoomStore(postgres, clock), RoomStore(postgres, clock)
    room = Classroom(store)
    room.join("ann"), room.join("ben")
    poll = room.ask()
    is_answered, may_end = threading.Event(), threading.Event()

    def answer(tx: Transaction) -> Any:
        kept = participation.vote(tx, room.code, "ann", poll, 1, 1, 1)
        tx.votes.flush()
        is_answered.set()
        may_end.wait()
        return kept

    def ben(n: int) -> Any:
        return other.execute_batch(
            [lambda tx: participation.vote(tx, room.code, "ben", poll, 1, 2, n)], shared=True
        )

    with ThreadPoolExecutor(2) as pool:
        written = pool.submit(store.execute_batch, [answer], True)
        is_answered.wait()
        assert ben(1) == [{"value": 2, "attempt": 1, "removals": 0}]  # while that one is not kept
        rev = room.state["rev"]
        closed = pool.submit(
            other.execute,
            lambda tx: presenter.command(tx, room.code, room.key, "close", {"rev": rev}),
        )
        waits = select(func.count()).where(text("NOT granted")).select_from(text("pg_locks"))
        while not store.read(lambda session: session.scalar(waits)):
            assert not closed.done()
        may_end.set()
        assert written.result() == [{"value": 1, "attempt": 1, "removals": 0}]
        closed.result()
    room.command("show")
    assert room.state["shown"]["counts"] == [[0, 1, 1, 0]]
    assert isinstance(*ben(2), RequestError)
    assert room.state["shown"]["counts"] == [[0, 1, 1, 0]]
    store.close(), other.close()


def test_deleting_leaves_no_row(room: Classroom, store: RoomStore) -> None:
    room.join("ann")
    room.ask()
    room.vote("ann", 1)
    store.execute(lambda tx: lifecycle.delete_room(tx, room.code, room.key))
    assert [rows(store, each) for each in (RoomRow, SeatRow, PollRow, AnswerRow)] == [0, 0, 0, 0]


def test_deleting_leaves_no_bytes_in_the_file_or_its_log(tmp_path: Path) -> None:
    store = RoomStore(f"sqlite:///{tmp_path / 'rooms.sqlite'}")
    room = Classroom(store)
    room.ask(
        PollQuestion("setting", controls={"size": tuple(f"unheard-of-{n}" for n in range(200))})
    )
    for number in range(200):
        name = f"name {number}"
        room.join(name)
        room.vote(name, {"size": f"unheard-of-{number}"})
    keys = store.read(
        lambda session: [key.encode() for key in session.scalars(select(SeatRow.key))]
    )

    def found() -> int:
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        return kept.count(b"unheard-of") + sum(kept.count(key) for key in keys)

    assert found() > 400
    store.execute(lambda tx: lifecycle.delete_room(tx, room.code, room.key))
    assert found() == 0
    store.close()
    assert found() == 0
