"""Random answers of simulated students, distributed like the answers of a real class."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lnviz.rooms.schema import AnswerValue, PollQuestion

P_RIGHT = (0.45, 0.72)
"""Fraction of right answers in round 1 and after the discussion, about as in Smith et al. (2009);
see the page for teachers."""

OWN_ANSWERS = range(1, 11)
"""Answers to a presenter's own question for a number, of which nothing else is known."""

BATCHES = 12
BATCH_INTERVAL_S = (0.4, 1.2)
"""Range of the seconds between two batches of answers: the last one comes after about ten."""


def simulate_answers(
    question: PollQuestion,
    round: int,
    count: int,
    rng: Random,
    examples: Sequence[AnswerValue] = (),
) -> list[AnswerValue]:
    """Return random answers of simulated students to a poll's question.

    Args:
        question: The poll's question.
        round: 1, or 2 after the discussion.
        count: Number of answers.
        rng: Random number generator.
        examples: Possible answers to a lesson's question without options; if empty, no answers are
            returned.

    >>> question = PollQuestion("choice", ("A", "B"), right=1)
    >>> simulate_answers(question, round=2, count=4, rng=Random(0))
    [0, 1, 0, 1]
    """
    if question.kind != "choice":
        possible = OWN_ANSWERS if question.text else examples
        return [rng.choice(possible) for _ in range(count)] if possible else []
    options = range(len(question.labels))
    wrong = [option for option in options if option != question.right] or list(options)
    return [
        question.right
        if question.right is not None and rng.random() < P_RIGHT[round - 1]
        else rng.choice(wrong)
        for _ in range(count)
    ]
