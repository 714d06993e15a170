"""What is asked, as HTML, and what is said of each answer."""

import pytest

from lnviz.lessons.exercise_html import exercise_html, possible_feedback
from lnviz.lessons.exercises import OrderExercise
from tests.lessons.test_text import GOAL, NUMBER, ORDER, QUESTION, read


@pytest.mark.parametrize(
    ("written", "named"),
    [
        (QUESTION, ["right", "0", "solution"]),
        (NUMBER, ["nothing", "unread", "right", "0", "larger", "smaller", "solution"]),
        (ORDER, ["right", "0", "1", "solution"]),
        (GOAL, ["right", "left", "solution"]),
    ],
)
def test_something_is_said_of_every_outcome(written: str, named: list[str]) -> None:
    found = list(possible_feedback(read(written)))
    assert [outcome.name for outcome in found] == named
    assert all(outcome.verdict for outcome in found)
    for outcome in found:
        if outcome.name in ("right", "solution"):
            assert "Because." in outcome.reply


@pytest.mark.parametrize(("right", "said"), [("that", "“that.”"), ("It grows.", "“It grows.”")])
def test_an_answer_that_is_told_ends_in_one_period(right: str, said: str) -> None:
    *_, solution = possible_feedback(read(QUESTION.replace("[x] that", f"[x] {right}")))
    assert solution.verdict == f"Not quite. The answer: {said}"


def test_the_solution_of_a_goal_is_an_address_at_which_it_is_reached() -> None:
    *_, solution = possible_feedback(read(GOAL))
    assert "(?norm=batch&gain=2#figure-grid)" in solution.reply


def test_an_order_is_shown_as_it_is_mixed() -> None:
    asked = read(ORDER)
    assert isinstance(asked, OrderExercise)
    shown = exercise_html(asked)
    places = [shown.index(f'data-place="{number}"') for number in asked.shuffled]
    assert places == sorted(places)


def test_a_text_is_escaped_and_its_links_lead_where_the_page_stands() -> None:
    written = QUESTION.replace("Which one?", "[Which](cost) <b>one</b> & why?")
    shown = exercise_html(read(written), lambda address: f"{address}.html")
    assert '<a href="cost.html">Which</a> &lt;b&gt;one&lt;/b&gt; &amp; why?' in shown
