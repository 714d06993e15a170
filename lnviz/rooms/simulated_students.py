"""What pretend students answer, so that a teacher can rehearse: as a class does, in its time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lnviz.rooms.schema import AnswerValue, PollQuestion

P_RIGHT = (0.45, 0.72)
"""The share of a class that is right before and after it has talked: about as in Smith et al. 2009
(see the page for teachers)."""

BATCHES = 12
BATCH_INTERVAL_S = (0.4, 1.2)
"""Seconds from one handful of answers to the next: all have answered after ten or so."""


def simulate_answers(
    question: PollQuestion,
    round: int,
    count: int,
    rng: Random,
    examples: Sequence[AnswerValue] = (),
) -> list[AnswerValue]:
    """Return what some pretend students answer.

    Args:
        question: what they are asked.
        round: 1, or 2 once they have talked.
        count: how many they are.
        rng: decides.
        examples: what they may answer where there are no options; none of them answers without.

    >>> question = PollQuestion("choice", ("A", "B"), right=1)
    >>> simulate_answers(question, round=2, count=4, rng=Random(0))
    [0, 1, 0, 1]
    """
    if question.kind != "choice":
        return [rng.choice(examples) for _ in range(count)] if examples else []
    places = range(len(question.labels))
    wrong = [place for place in places if place != question.right] or list(places)
    return [
        question.right
        if question.right is not None and rng.random() < P_RIGHT[round - 1]
        else rng.choice(wrong)
        for _ in range(count)
    ]
