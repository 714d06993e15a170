"""What pretend students answer, so that a teacher can rehearse: as a class does, in its time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lnviz.rooms.schema import Asking, Value

RIGHT = (0.45, 0.72)
"""The share of a class that is right before and after it has talked: about as in Smith et al. 2009
(see the page for teachers)."""

STEPS = 12
STEP_S = (0.4, 1.2)
"""Seconds from one handful of answers to the next: all have answered after ten or so."""


def answers(
    asking: Asking, round: int, many: int, chance: Random, examples: Sequence[Value] = ()
) -> list[Value]:
    """Return what some pretend students answer.

    Args:
        asking: what they are asked.
        round: 1, or 2 once they have talked.
        many: how many they are.
        chance: decides.
        examples: what they may answer where there are no options; none of them answers without.

    >>> answers(Asking("choice", ("A", "B"), right=1), round=2, many=4, chance=Random(0))
    [0, 1, 0, 1]
    """
    if asking.kind != "choice":
        return [chance.choice(examples) for _ in range(many)] if examples else []
    places = range(len(asking.labels))
    wrong = [place for place in places if place != asking.right] or list(places)
    return [
        asking.right
        if asking.right is not None and chance.random() < RIGHT[round - 1]
        else chance.choice(wrong)
        for _ in range(many)
    ]
