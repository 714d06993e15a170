"""How much anybody may have: equal shares among addresses, and within an address among names.

Who has had least lately is served next. Where there is no place left, one goes of whoever holds
most: first of the address that does, and there of the name.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # which bounds how many names there are with what is here
    from lnviz.web.visitors import Visitor

KNOWN = 4096  # whose recent past is remembered
HALF_S = 60.0  # seconds after which half of what somebody has had is forgotten

Item = TypeVar("Item")


class Rate:
    """So many a second for each of many, and a few at once.

    Each has a bucket of tokens that fills at a steady rate; what is asked takes one out.

    Args:
        burst: How many may come at once.
        second: How many a second after that.
        clock: Seconds that pass.

    Source: the token bucket of RFC 2697, with one rate and one size.

    >>> rate = Rate(burst=2, second=1, clock=lambda: 0.0)
    >>> rate.take("a"), rate.take("a"), rate.due("a"), rate.due("b")
    (True, True, 1.0, 0.0)
    """

    def __init__(
        self, burst: float, second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._second = second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> bool:
        """Take a token; say whether there was one."""
        left = self._tokens(who)
        if left < 1:
            return False
        self._left.pop(who, None)
        self._left[who] = left - 1, self._clock()
        if len(self._left) > KNOWN:
            self._left.popitem(last=False)
        return True

    def due(self, who: str) -> float:
        """Return after how many seconds there is a token to take, and take none."""
        return max(0.0, (1 - self._tokens(who)) / self._second)

    def _tokens(self, who: str) -> float:
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._second)


class Lately:
    """What each address and each name has had, of which half is forgotten every minute.

    Args:
        clock: Seconds that pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._had: OrderedDict[tuple[str, ...], tuple[float, float]] = OrderedDict()

    def add(self, visitor: Visitor, amount: float) -> None:
        """Count what a visitor gets."""
        for key, had in zip(_levels(visitor), self.had(visitor), strict=True):
            self._had.pop(key, None)
            self._had[key] = had + amount, self._clock()
        while len(self._had) > KNOWN:
            self._had.popitem(last=False)

    def had(self, visitor: Visitor) -> tuple[float, float]:
        """Return what the visitor's address has had, and what the visitor."""
        address, name = (self._of(key) for key in _levels(visitor))
        return address, name

    def _of(self, key: tuple[str, ...]) -> float:
        had, then = self._had.get(key, (0.0, 0.0))
        return had * 0.5 ** ((self._clock() - then) / HALF_S) if had else 0.0


def largest(held: Iterable[tuple[Visitor, float]], lately: Lately | None = None) -> Visitor | None:
    """Return whose share is largest: of the address that holds most, the name that does.

    Args:
        held: what visitors hold, the last that came last.
        lately: decides between those who hold as much; else the one does who came last.
    """
    pairs = list(held)
    if not pairs:
        return None
    holds: Counter[tuple[str, ...]] = Counter()
    for visitor, size in pairs:
        for key in _levels(visitor):
            holds[key] += size  # type: ignore[assignment]

    def rank(at: int) -> tuple[float, ...]:
        visitor = pairs[at][0]
        had = lately.had(visitor) if lately else (0.0, 0.0)
        levels = zip(_levels(visitor), had, strict=True)
        return (*(number for key, had in levels for number in (holds[key], had)), at)

    return pairs[max(range(len(pairs)), key=rank)][0]


@dataclass(frozen=True)
class _Place(Generic[Item]):
    item: Item
    visitor: Visitor
    cost: float


class FairQueue(Generic[Item]):
    """A queue in which whoever has had least lately comes first: the address, then the name.

    Who asks for a hundred figures lengthens the queue behind their own first, whatever each costs.
    The queue has an end. Where it is full, whoever has most in it loses the last of theirs.

    Args:
        places: How many may wait.
        clock: Seconds that pass.

    >>> from lnviz.web.visitors import Visitor
    >>> queue = FairQueue(places=9, clock=lambda: 0.0)
    >>> for item, name in (("a1", "a"), ("a2", "a"), ("b1", "b")):
    ...     queue.join(item, Visitor("here", name), cost=1.0)
    >>> queue.take(queue.first())
    >>> queue.first(), queue.first(lambda item: item.startswith("a"))
    ('b1', 'a2')
    """

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._places = places
        self._waiting: list[_Place[Item]] = []  # as they have come
        self._lately = Lately(clock)
        self._order: list[Item] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def cost(self) -> float:
        """The cost of all items that wait."""
        return sum(place.cost for place in self._waiting)

    def join(self, item: Item, visitor: Visitor, cost: float) -> Item | None:
        """Add an item; return the one that has to leave for want of places, if one has."""
        self._change([*self._waiting, _Place(item, visitor, cost)])
        if len(self) <= self._places:
            return None
        most = largest(((place.visitor, 1) for place in self._waiting), self._lately)
        last = next(place for place in reversed(self._waiting) if place.visitor == most)
        self.leave(last.item)
        return last.item

    def first(self, among: Callable[[Item], bool] = lambda _: True) -> Item | None:
        """Return whose turn is next, of all or of some; None where nobody of these waits."""
        return next(filter(among, self._turns()), None)

    def take(self, item: Item) -> None:
        """Take one that waits out of the queue: its turn has come, and counts for its visitor."""
        (place,) = (place for place in self._waiting if place.item == item)
        self._lately.add(place.visitor, place.cost)
        self.leave(item)

    def leave(self, item: Item) -> None:
        """Take an item out; one that does not wait stays away."""
        self._change([place for place in self._waiting if place.item != item])

    def ahead(self, item: Item) -> int:
        """Count the items before an item; none where it does not wait."""
        turns = self._turns()
        return turns.index(item) if item in turns else 0

    def _change(self, waiting: list[_Place[Item]]) -> None:
        self._waiting, self._order = waiting, None

    def _turns(self) -> list[Item]:
        if self._order is None:
            self._order = list(self._in_turn())
        return self._order

    def _in_turn(self) -> Iterator[Item]:
        """All that wait, in the order of their turns, if nobody else comes."""
        lines: OrderedDict[Visitor, list[_Place[Item]]] = OrderedDict()
        for place in reversed(self._waiting):
            lines.setdefault(place.visitor, []).append(place)
        had = {
            key: amount
            for visitor in lines
            for key, amount in zip(_levels(visitor), self._lately.had(visitor), strict=True)
        }
        came = {id(place): at for at, place in enumerate(self._waiting)}
        while lines:
            visitor = min(
                lines, key=lambda v: (*(had[key] for key in _levels(v)), came[id(lines[v][-1])])
            )
            place = lines[visitor].pop()
            if not lines[visitor]:
                del lines[visitor]
            for key in _levels(visitor):
                had[key] += place.cost
            yield place.item


def _levels(visitor: Visitor) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (visitor.address,), (visitor.address, visitor.name)
