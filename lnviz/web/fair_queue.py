"""Whose figure is computed next: a queue that is fair between visitors."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class _Place(Generic[Item]):
    item: Item
    visitor: str
    cost: float
    turn: float


class FairQueue(Generic[Item]):
    """A queue ordered by what each visitor has asked for, not by who has asked most.

    Weighted fair queuing: a request's turn comes when its cost, on top of what its visitor already
    waits for, would be done if all visitors were served at once, each at the same speed. Who asks
    for a hundred figures lengthens the queue behind their own first; who asks for a cheap one comes
    before all that are dear.

    The queue has an end. Where it is full, whoever has most in it loses the last of theirs; of
    several who have as many, the one whose last comes last of all.

    Args:
        places: How many may wait.

    Source: Golestani 1994, A self-clocked fair queueing scheme for broadband applications.

    >>> queue = FairQueue(places=9)
    >>> for item, visitor in (("a1", "a"), ("a2", "a"), ("b1", "b")):
    ...     queue.join(item, visitor, cost=1.0)
    >>> queue.take(queue.first())
    >>> queue.first(), queue.first(lambda item: item.startswith("a"))
    ('b1', 'a2')
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._waiting: list[_Place[Item]] = []
        self._now = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def cost(self) -> float:
        """The cost of all items that wait."""
        return sum(place.cost for place in self._waiting)

    def join(self, item: Item, visitor: str, cost: float) -> Item | None:
        """Add an item; return the one that has to leave for want of places, if one has."""
        own = [place.turn for place in self._waiting if place.visitor == visitor]
        place = _Place(item, visitor, cost, max([self._now, *own]) + cost)
        insort(self._waiting, place, key=lambda place: place.turn)
        if len(self) <= self._places:
            return None
        counts = Counter(place.visitor for place in self._waiting)
        most = max(counts.values())
        last = next(place for place in reversed(self._waiting) if counts[place.visitor] == most)
        self._waiting.remove(last)
        return last.item

    def first(self, among: Callable[[Item], bool] = lambda _: True) -> Item | None:
        """Return whose turn is next, of all or of some; None where nobody of these waits."""
        return next((place.item for place in self._waiting if among(place.item)), None)

    def take(self, item: Item) -> None:
        """Take one that waits out of the queue: usually the first, whose turn it is then."""
        if item == self.first():
            self._now = self._waiting[0].turn
        self.leave(item)

    def leave(self, item: Item) -> None:
        """Take an item out; one that does not wait stays away."""
        self._waiting = [place for place in self._waiting if place.item != item]

    def ahead(self, item: Item) -> int:
        """Count the items before an item; none where it does not wait."""
        at = (n for n, place in enumerate(self._waiting) if place.item == item)
        return next(at, 0)
