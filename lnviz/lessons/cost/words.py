"""Sentences that the lesson's figures share."""

from __future__ import annotations

from lnviz.numerals import number
from lnviz.topics.cost.machine import Machine


def undisturbed(machine: Machine, own: float) -> str:
    """Say how much of the time the measuring thread had a core.

    Nothing is said of a graphics card: there other threads of the same program work, too.

    >>> undisturbed(Machine("cuda", "H200"), 0.5)
    ''
    """
    if machine.device != "cpu":
        return ""
    return (
        f" The measuring thread had a core for {number(100 * own, '0')} % of the time; what is "
        "missing "
        "went to other programs. The more that is, the less the times tell."
    )
