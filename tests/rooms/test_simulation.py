"""Simulated students: what they answer, and how they come and go."""

from random import Random

import pytest

from lnviz.database.models import AnswerRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import simulation
from lnviz.rooms.retention import evictable_seat
from lnviz.rooms.schema import PollQuestion
from lnviz.rooms.simulated_students import P_RIGHT, simulate_answers
from lnviz.rooms.simulation import SIMULATED_STUDENTS, submit_simulated_answers, toggle_simulated
from tests.rooms.classroom import CHOICE, SETTING, Classroom, Clock


@pytest.mark.parametrize("round", [1, 2])
def test_as_many_are_right_as_in_a_class_and_the_others_are_spread(round: int) -> None:
    answers = simulate_answers(CHOICE, round, 4000, Random(1))
    fractions = [answers.count(option) / 4000 for option in range(4)]
    assert fractions[1] == pytest.approx(P_RIGHT[round - 1], abs=0.03)
    for option in (0, 2, 3):
        assert fractions[option] == pytest.approx((1 - P_RIGHT[round - 1]) / 3, abs=0.03)
    assert P_RIGHT[0] < P_RIGHT[1]


def test_without_a_right_option_all_are_chosen_and_without_a_wrong_one_the_right_one() -> None:
    anything = simulate_answers(PollQuestion("choice", ("A", "B")), 1, 50, Random(0))
    assert set(anything) == {0, 1}
    assert set(simulate_answers(PollQuestion("choice", ("A",), 0), 1, 50, Random(0))) == {0}


def test_numbers_and_settings_are_taken_from_examples() -> None:
    assert simulate_answers(SETTING, 1, 3, Random(0)) == []
    examples = [{"size": "1"}, {"size": "2"}]
    answers = simulate_answers(SETTING, 1, 40, Random(0), examples)
    assert (len(answers), {str(answer) for answer in answers}) == (40, set(map(str, examples)))


def submit(room: Classroom, poll: int, values: list[int], round: int = 1) -> bool:
    return room.store.execute(
        lambda tx: submit_simulated_answers(tx, room.code, poll, round, values)
    )


def toggle(room: Classroom) -> int:
    toggled = room.store.execute(lambda tx: toggle_simulated(tx, room.code, room.key))
    count: int = toggled["simulated"]
    return count


def test_each_simulated_student_answers_once_and_then_none_is_left(room: Classroom) -> None:
    poll = room.ask()
    assert not submit(room, poll, [0])  # there are none
    assert toggle(room) == SIMULATED_STUDENTS
    assert submit(room, poll, [0] * (SIMULATED_STUDENTS - 1))
    assert submit(room, poll, [1] * 5)
    assert not submit(room, poll, [2])
    assert room.tally["counts"] == [SIMULATED_STUDENTS - 1, 1, 0, 0]


def test_simulated_students_answer_no_closed_round_and_no_other_room(
    room: Classroom, clock: Clock
) -> None:
    other = Classroom(room.store)
    toggle(room), toggle(other)
    poll = room.ask()
    assert not submit(other, poll, [0])
    assert not submit(room, poll, [0], round=2)
    assert not submit(room, poll + 1, [0])
    room.command("close")
    clock.now += 3.0
    assert not submit(room, poll, [0])
    assert room.tally["answered"] == 0


def test_toggling_raises_the_revision_and_leaves_others_answers(room: Classroom) -> None:
    room.join("ann")
    poll = room.ask()
    room.vote("ann", 1)
    before = room.state["rev"]
    toggle(room)
    submit(room, poll, [0, 2])
    assert room.state["rev"] == before + 1
    assert toggle(room) == 0
    assert room.state["rev"] == before + 2
    assert room.tally["counts"] == [0, 1, 0, 0]
    assert room.store.read(lambda s: s.query(SeatRow).count()) == 1
    assert room.store.read(lambda s: s.query(AnswerRow).count()) == 1


def test_simulated_students_never_make_way_for_a_seat(room: Classroom, clock: Clock) -> None:
    toggle(room)
    clock.now += 1e6
    assert room.store.read(lambda s: evictable_seat(s, room.row(s), clock.now)) is None
    with pytest.raises(RequestError, match="does not control this room"):
        room.store.execute(lambda tx: simulation.toggle_simulated(tx, room.code, "no key"))
