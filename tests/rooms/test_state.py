"""A room's state machine: what each command makes of it, and what it refuses."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lnviz.errors import RequestError
from lnviz.rooms.schema import PollQuestion, parse_figure_state, parse_task
from lnviz.rooms.state import COMMANDS, GRACE_S, Room, apply, parse_screen, parse_screen_index

CHOICE = PollQuestion("choice", ("A", "B", "C", "D"), 1)
SETTING = PollQuestion("setting", controls={"size": None, "step": ("mean", "gain and bias")})


def done(room: Room, *commands: str, now: float = 0.0, asking: PollQuestion = CHOICE) -> Room:
    """What these commands make of a room, each `verb` or `verb round`."""
    for each in commands:
        verb, _, round = each.partition(" ")
        room = apply(room, verb, {"asking": asking, "round": int(round or 2)}, now)
    return room


def test_a_question_goes_its_way_over_two_rounds() -> None:
    room, phases = Room("axes", 4), []
    for each in ("ask", "close", "talk", "again", "close", "show"):
        room = done(room, each)
        assert room.poll is not None
        phases.append((room.poll.round, room.poll.phase))
    assert phases == [
        *((1, "asking"), (1, "closed"), (1, "talking")),
        *((2, "asking"), (2, "closed"), (2, "shown")),
    ]
    assert room.rev == 6


def test_a_round_can_be_opened_again_and_a_second_one_after_the_answer() -> None:
    room = done(Room("axes", 4), "ask", "close")
    again = done(room, "again 1")
    assert again.poll is not None
    assert (again.poll.round, again.poll.phase, again.poll.closed) == (1, "asking", None)
    shown = done(room, "show", "again 2")
    assert shown.poll is not None
    assert shown.poll.round == 2
    with pytest.raises(RequestError, match="round 2"):
        done(shown, "close", "again 1")


@pytest.mark.parametrize(
    ("before", "round"),
    [(["ask", "close", "show"], 1), (["ask", "close", "again 2", "close", "show"], 2)],
)
def test_a_result_that_is_shown_takes_no_more_answers(before: list[str], round: int) -> None:
    room = done(Room("axes", 4), *before)
    with pytest.raises(RequestError, match="result of this round is shown"):
        done(room, f"again {round}")


def test_starting_over_asks_the_same_question_in_a_new_poll() -> None:
    own = {"own": {"text": "Which norm?", "options": ["Batch", "Layer"], "right": 1}}
    room = apply(Room("axes", 4), "ask", own, 0.0)
    assert room.poll is not None
    stored = replace(room, poll=replace(room.poll, id=7))
    again = apply(stored, "over", {"seconds": 30}, 10.0)
    assert again.poll == replace(room.poll, deadline=40.0)  # without an id: a new row
    with pytest.raises(RequestError, match="no question to start over"):
        done(Room("axes", 4), "over")


@pytest.mark.parametrize(
    ("before", "verb", "why"),
    [
        ([], "close", "no open question"),
        (["ask"], "show", "Close the question"),
        (["ask"], "talk", "Close the first round"),
        (["ask", "close", "again", "close"], "talk", "Show the answer"),
        (["ask"], "again", "before asking again"),
        (["ask"], "ask", "Close the question first"),
        (["ask"], "recall", "Close the question first"),
        (["ask"], "away", "no result to put away"),
        (["ask", "close", "show"], "away", "belongs to the screen"),
        ([], "dance", "A command must be one of go, pose"),
        ([], "go", "A screen must be a whole number"),
        ([], "mode", "A mode must be one of led, free, paused"),
        ([], "pose", "A setting must name"),
    ],
)
def test_what_cannot_be_done_says_why(before: list[str], verb: str, why: str) -> None:
    room = done(Room("axes", 4), *before)
    with pytest.raises(RequestError, match=why) as refused:
        done(room, verb)
    invalid = "whole number" in why or why.startswith(("A command", "A mode", "A setting"))
    assert refused.value.status == (422 if invalid else 409)


@pytest.mark.parametrize("before", [[], ["ask"], ["ask", "close"]])
def test_what_the_class_is_asked_to_do_ends_a_pause(before: list[str]) -> None:
    paused = replace(done(Room("axes", 4), *before), mode="paused")
    for verb in [["ask"], ["over"], ["talk", "again", "over"]][len(before)]:
        assert done(paused, verb).mode == "led"
        assert done(replace(paused, mode="free"), verb).mode == "free"


def test_a_screen_that_asks_nothing_is_not_asked() -> None:
    with pytest.raises(RequestError, match="has no question"):
        apply(Room("axes", 1), "ask", {"asking": None}, 0.0)


def test_an_answer_is_taken_until_two_seconds_after_the_end_of_its_round() -> None:
    room = done(Room("axes", 4), "ask", "close", now=100.0)
    poll = room.poll
    assert poll is not None
    assert poll.accepts(1, 100.0 + GRACE_S)
    assert not poll.accepts(1, 100.1 + GRACE_S)
    assert not poll.accepts(2, 100.0)
    shown = done(room, "show", now=100.0).poll
    assert shown is not None
    assert not shown.accepts(1, 100.0)


def test_going_on_puts_the_question_away() -> None:
    room = apply(done(Room("axes", 4), "ask"), "go", {"lesson": "batch", "screen": "curve"}, 0.0)
    assert (room.lesson, room.screen, room.poll, room.figure_state) == ("batch", "curve", None, {})


def test_a_turn_takes_a_student_s_question_off_the_wall() -> None:
    room = Room("axes", 4, screen_index=(3, 9, 1, 4), featured_id=7)
    assert apply(room, "pose", {"pose": {}}, 0.0).featured_id == 7
    assert apply(room, "step", {"step": 2}, 0.0).featured_id is None
    assert apply(room, "go", {"screen": "grid"}, 0.0).featured_id is None


@pytest.mark.parametrize("verb", ["go", "ask", "feature"])
def test_the_join_card_gives_way_to_what_the_class_is_shown(verb: str) -> None:
    room = apply(Room("axes", 1), "card", {"open": True}, 0.0)
    assert room.card
    assert apply(room, "mode", {"mode": "free"}, 0.0).card
    args = {"screen": 2, "asking": PollQuestion("choice", ("A", "B"), 1), "question": 3}
    assert not apply(room, verb, args, 0.0).card
    assert not apply(room, "card", {"open": False}, 0.0).card


def test_a_student_s_question_does_not_hide_an_open_vote() -> None:
    room = done(Room("axes", 4), "ask")
    with pytest.raises(RequestError, match="Close the question first"):
        apply(room, "feature", {"question": 7}, 0.0)
    assert apply(room, "feature", {"question": None}, 0.0).featured_id is None
    assert apply(done(room, "close"), "feature", {"question": 7}, 0.0).featured_id == 7
    limited = apply(Room("axes", 4), "ask", {"asking": CHOICE, "seconds": 5}, 0.0)
    assert apply(limited, "feature", {"question": 7}, 6.0).featured_id == 7


def test_each_phase_of_a_poll_takes_a_student_s_question_off_the_wall() -> None:
    room = Room("axes", 4)
    for each in ("ask", "over", "close", "talk", "again", "close", "show"):
        room = done(replace(room, featured_id=7), each)
        assert room.featured_id is None, each


def test_a_task_goes_with_a_screen_that_asks_no_question_and_no_further() -> None:
    there = {"screen": "grid", "asking": SETTING, "task": " Find a step. "}
    room = apply(Room("axes", 4), "go", there, 0.0)
    assert room.task == "Find a step."
    assert done(room, "ask", asking=SETTING).task == "Find a step."
    assert apply(room, "go", {"screen": "grid", "asking": SETTING}, 0.0).task == ""
    words = {"screen": 1, "task": "Write it."}
    assert apply(room, "go", words, 0.0).task == "Write it."
    with pytest.raises(RequestError, match="without a question"):
        apply(room, "go", there | {"asking": CHOICE}, 0.0)


def test_going_on_may_say_how_the_figure_stands_there() -> None:
    given = {"screen": "grid", "pose": {"norm": "batch", "cell": "2.2"}}
    room = apply(Room("axes", 4), "go", given, 0.0)
    assert room.figure_state == {"norm": "batch", "cell": "2.2"}
    assert apply(room, "go", {"screen": "grid"}, 0.0).figure_state == {}


def test_a_screen_is_counted_as_the_wall_has_said() -> None:
    room = apply(Room("axes", 4), "go", {"screen": "grid", "counted": [3, 9]}, 0.0)
    assert room.screen_index == (3, 9)
    assert done(room, "ask", asking=SETTING).screen_index == (3, 9)
    assert apply(room, "go", {"screen": "shared"}, 0.0).screen_index == ()
    for said in (
        [3],
        [0, 9],
        [10, 9],
        ["3", 9],
        3,
        None,
        {},
        [3, 9, 1],
        [3, 9, 3, 2],
        [3, 9, 0, 2],
    ):
        with pytest.raises(RequestError):
            apply(room, "go", {"screen": "grid", "counted": said}, 0.0)


def test_a_remote_turns_to_a_step_of_the_figure_that_the_wall_has_counted() -> None:
    room = Room("axes", 4, screen_index=(3, 9))
    with pytest.raises(RequestError, match="no steps"):
        apply(room, "step", {"step": 2}, 0.0)
    room = apply(room, "pose", {"pose": {"norm": "batch"}, "counted": [3, 9, 1, 4]}, 0.0)
    turned = apply(room, "step", {"step": 2}, 0.0)
    assert turned.screen_index == (3, 9, 2, 4)
    assert apply(turned, "pose", {"pose": {}}, 0.0).screen_index == (3, 9, 2, 4)
    handed = done(turned, "ask", "close", "show", asking=SETTING)
    with pytest.raises(RequestError, match="hides the steps"):
        apply(handed, "step", {"step": 2}, 0.0)
    assert apply(done(handed, "away"), "step", {"step": 3}, 0.0).screen_index == (3, 9, 3, 4)
    for step in (0, 5, "2", None):
        with pytest.raises(RequestError):
            apply(room, "step", {"step": step}, 0.0)


def test_a_lesson_on_the_wall_is_no_slide_of_the_plan_before() -> None:
    room = Room("axes", "start", slide="axes.start", slides=("axes.grid", "axes.start"))
    told = {"counted": [1, 8], "slide": "", "slides": ["start", "grid"]}
    for verb in ("count", "pose"):
        after = apply(room, verb, told | {"pose": {}}, 0.0)
        assert (after.slide, after.slides) == ("", ("start", "grid"))
    assert apply(room, "pose", {"pose": {}}, 0.0).slide == "axes.start"


@pytest.mark.parametrize(
    ("asking", "right", "wrong"),
    [
        (CHOICE, [0, 3], [-1, 4, True, 1.0, "1", None, {}]),
        (
            PollQuestion("number"),
            [0, 2.5, -1e299],
            [float("nan"), float("inf"), 10**400, True, "1"],
        ),
        (
            SETTING,
            [{"size": "25"}, {"size": "-1e-05", "step": "gain and bias"}, {"size": "2.3"}],
            [
                *(
                    {"size": 25},
                    {"size": "idiot"},
                    {"size": ""},
                    {"step": "Mean"},
                    {"ann": "1"},
                    {},
                ),
                *({"size": "\u0664"}, {"size": "1" * 13}, {"a" * 41: "1"}, [], "25"),
            ],
        ),
    ],
)
def test_an_answer_is_what_was_asked_for(asking: PollQuestion, right: Any, wrong: Any) -> None:
    for value in right:
        assert asking.parse_answer(value) == value
    for value in wrong:
        with pytest.raises(RequestError) as refused:
            asking.parse_answer(value)
        assert refused.value.status == 422


@given(
    some.lists(
        some.tuples(
            some.sampled_from([*COMMANDS, "dance"]),
            some.fixed_dictionaries(
                {
                    "asking": some.sampled_from([None, CHOICE, SETTING]),
                    "round": some.sampled_from([0, 1, 2, "2", None]),
                    "screen": some.sampled_from([1, "grid", None, [], True]),
                    "mode": some.sampled_from(["led", "paused", "ended", 3]),
                    "pose": some.sampled_from([{}, {"a": "1"}, {"a": 1}, None]),
                    "task": some.sampled_from(["", "Find it.", "x" * 141, "a\nb", 3]),
                    "counted": some.sampled_from(
                        [[], [2, 3], [3, 2], [1], "12", [True, True], [2, 3, 1, 2]]
                    ),
                }
            ),
        ),
        max_size=12,
    )
)
def test_any_commands_raise_the_revision_or_change_nothing(commands: list[Any]) -> None:
    room = Room("axes", 4)
    for verb, said in commands:
        before = room
        try:
            room = apply(room, verb, said, 0.0)
        except RequestError:
            continue
        assert room.rev == before.rev + 1
        poll = room.poll
        assert poll is None or poll.round in (1, 2)
        assert len(room.task) < 140
        assert poll is None or (poll.phase == "asking") == (poll.closed is None)


@pytest.mark.parametrize("verb", ["go", "pose", "ask", "close", "lock"])
def test_an_ended_room_takes_no_command_and_an_unknown_one_is_none(verb: str) -> None:
    with pytest.raises(RequestError, match="has ended") as refused:
        done(Room("axes", 4, mode="ended"), verb)
    assert refused.value.status == 410
    with pytest.raises(RequestError, match=r"got 'xxxxxxxxxxxxxxxxxxxxxxxx'\.") as refused:
        apply(Room("axes", 4), "x" * 30, {}, 0.0)
    assert refused.value.status == 422


def test_screens_are_numbered_to_a_thousand() -> None:
    for number in (1, 1000):
        assert parse_screen(number) == number
        assert parse_screen_index({"counted": [1, number]}) == (1, number)
    for number in (0, 1001, 1.0, True, "", "a b", None):
        with pytest.raises(RequestError) as refused:
            parse_screen(number)
        assert refused.value.status == 422
    with pytest.raises(RequestError):
        parse_screen_index({"counted": [1, 1001]})


def test_names_values_and_tasks_have_a_greatest_length() -> None:
    assert parse_figure_state({"a" * 40: "1" * 40}) == {"a" * 40: "1" * 40}
    assert len(parse_figure_state({f"control-{n}": "1" for n in range(16)})) == 16
    shared = {"text": "“The animal didn’t cross,” she said.\n因为它太累了!"}
    assert parse_figure_state(shared) == shared
    assert parse_task("x" * 140) == "x" * 140
    for wrong in (
        {"a" * 41: "1"},
        {"a": "1" * 2001},
        {"a": "\ud800"},
        {f"c{n}": "1" for n in range(17)},
        {"": "1"},
    ):
        with pytest.raises(RequestError, match="at most 16 controls") as refused:
            parse_figure_state(wrong)
        assert refused.value.status == 422
    with pytest.raises(RequestError, match="at most 140 characters") as refused:
        parse_task("x" * 141)
    assert refused.value.status == 422


def test_a_door_is_locked_and_opened() -> None:
    room = apply(Room("axes", 4), "lock", {}, 0.0)
    assert room.locked
    assert not apply(room, "lock", {"locked": False}, 0.0).locked


def test_only_a_closed_or_shown_question_is_asked_again_and_no_third_time() -> None:
    for before in (["ask", "close"], ["ask", "close", "talk"], ["ask", "close", "show"]):
        again = done(done(Room("axes", 4), *before), "again 2").poll
        assert again is not None
        assert (again.round, again.phase, again.closed) == (2, "asking", None)
    second = done(Room("axes", 4), "ask", "close", "again 2", "close")
    with pytest.raises(RequestError, match="from 1 to 2"):
        done(second, "again 3")
