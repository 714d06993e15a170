"""What a text asks, as a teacher writes it."""

import re
from pathlib import Path

import pytest

import lnviz
from lnviz.lessons.exercises import (
    AnswerOption,
    ChoiceExercise,
    CommonMistake,
    Exercise,
    FigureGoal,
    NumberExercise,
    OrderExercise,
    OrderItem,
)
from lnviz.lessons.text import parse_text

QUESTION = """::: question which
Which one?

- [ ] this

  That is
  another one.

- [x] that

Because.
With a second line.
:::"""
NUMBER = """::: number speed
How fast?

- [x] −1,250.5 ± 0.5 m/s
- [ ] 12

  Those are hours.

Because.
:::"""
ORDER = """::: order letters
In order?

1. c

   It begins.

2. a

   It goes on.

3. b

Because.
:::"""
GOAL = """::: goal far grid
Make it so.

- norm=batch|group
- gain=1.9..2.1

Because.
:::"""


def read(text: str) -> Exercise:
    (found,) = parse_text(text)
    assert isinstance(found, Exercise)
    return found


def test_a_question_has_options_and_what_each_wrong_one_mixes_up() -> None:
    assert read(QUESTION) == ChoiceExercise(
        name="which",
        text="Which one?",
        explanation="Because.\nWith a second line.",
        answers=(
            AnswerOption("this", False, "That is\nanother one."),
            AnswerOption("that", True, ""),
        ),
    )


def test_a_number_has_a_tolerance_a_unit_and_typical_wrong_ones() -> None:
    assert read(NUMBER) == NumberExercise(
        name="speed",
        text="How fast?",
        explanation="Because.",
        right_text="−1,250.5",
        right=-1250.5,
        tolerance=0.5,
        unit="m/s",
        mistakes=(CommonMistake(12, "Those are hours."),),
    )


def test_an_order_is_written_as_it_is_right_and_given_out_mixed() -> None:
    found = read(ORDER)
    assert isinstance(found, OrderExercise)
    assert found.items == (
        OrderItem("c", "It begins."),
        OrderItem("a", "It goes on."),
        OrderItem("b", ""),
    )
    assert found.shuffled == (1, 2, 0)


def test_an_order_by_letters_is_given_out_backward() -> None:
    found = read(ORDER.replace("1. c", "1. A"))
    assert isinstance(found, OrderExercise)
    assert found.shuffled == (2, 1, 0)


def test_a_goal_names_a_figure_and_what_must_hold_of_it() -> None:
    assert read(GOAL) == FigureGoal(
        name="far",
        text="Make it so.",
        explanation="Because.",
        figure="grid",
        conditions={"norm": ("batch", "group"), "gain": ((1.9, 2.1),)},
    )


@pytest.mark.parametrize(
    ("written", "here", "instead", "message"),
    [
        (QUESTION, "[x]", "[ ]", r"^question 'which': needs two options or more, exactly one "),
        (QUESTION, "[ ]", "[x]", r"^question 'which': needs two options or more, exactly one "),
        (QUESTION, "- [ ] this", "", r"^question 'which': needs two options or more, exactly one "),
        (QUESTION, "[ ]", "[?]", r"^question 'which': an option begins with \[ \] or \[x\], got "),
        (
            QUESTION,
            "  That is\n  another one.\n\n",
            "",
            r"^question 'which': says nothing of 'this",
        ),
        (QUESTION, "Because.\nWith a second line.", "", r"needs a text .* and a reason after it$"),
        (NUMBER, " ± 0.5", "", r"^number 'speed': the right one is written as 1.87 ± 0.01, with "),
        (NUMBER, "] 12", "] twelve", r"^number 'speed': a wrong one is a number alone, got "),
        (NUMBER, "] 12", "] -1,251", r"within 0.5 of -1250.5 and of -1251 lie the same numbers"),
        (NUMBER, "  Those are hours.", "", r"^number 'speed': says nothing of '12'"),
        (ORDER, "3. b", "", r"^order 'letters': needs three items or more, no two the same$"),
        (ORDER, "3. b", "3. c", r"^order 'letters': needs three items or more, no two the same$"),
        (ORDER, "   It goes on.", "", r"^order 'letters': says nothing of \['a'\]. Write below"),
        (GOAL, "far grid", "far", r"^goal 'far': needs a figure behind its name, and a list"),
        (GOAL, "=batch|group", "", r"^goal 'far': a condition is written as norm=batch, .*'norm'$"),
    ],
)
def test_what_is_not_whole_is_refused(written: str, here: str, instead: str, message: str) -> None:
    assert here in written
    with pytest.raises(ValueError, match=message):
        read(written.replace(here, instead))


def test_a_bound_is_not_rounded_to_the_nearest_number() -> None:
    number = r"\{\{?[^{}:]+:(\d+%?|[gpd]\d+)(?![cf\d%])[^{}]*\}"
    bounds = r"at most|at least|up to|as much as|cannot exceed|between"
    nearest = re.compile(rf"\b({bounds}) {number}|{number}\}}? at (most|least)\b")
    found = [
        (path.name, match[0])
        for path in sorted(Path(lnviz.__file__).parent.rglob("*.md"))
        for match in nearest.finditer(path.read_text())
    ]
    assert not found
