"""How much anybody may have: equal shares among addresses, and within an address among names.

Who has had least lately is served next. Where there is no place left, one goes of whoever holds
most: first of the address that does, and there of the name.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from anyio import CancelScope, Event

from lnviz.usage import UsageByClient, nothing
from lnviz.web.identity import Client
from lnviz.web.rate_limit import MAX_KEYS, RateLimiter

HALF_S = 60.0  # seconds after which half of what somebody has had is forgotten
EVEN = 5  # times the patience with who holds more, with who holds as much as who waits would

Item = TypeVar("Item")


class RecentUsage:
    """What each address and each name has had, of which half is forgotten every minute.

    Args:
        clock: Seconds that pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._had: OrderedDict[tuple[str, ...], tuple[float, float]] = OrderedDict()

    def add(self, visitor: Client, amount: float) -> None:
        """Count what a visitor gets."""
        for key in ((visitor.network,), (visitor.network, visitor.id)):
            had = self.usage(*key)
            self._had.pop(key, None)
            self._had[key] = had + amount, self._clock()
        while len(self._had) > MAX_KEYS:
            self._had.popitem(last=False)

    def client_usage(self, visitor: Client) -> tuple[float, float]:
        """Return what the visitor's address has had, and what the visitor."""
        return self.usage(visitor.network), self.usage(visitor.network, visitor.id)

    def usage(self, *key: str) -> float:
        """Return what an address has had, or a name at an address."""
        had, then = self._had.get(key, (0.0, 0.0))
        return had * 0.5 ** ((self._clock() - then) / HALF_S) if had else 0.0


def heaviest(visitors: Iterable[Client], lately: RecentUsage | None = None) -> Client | None:
    """Return who holds most; see `Holders.largest`.

    Args:
        visitors: who holds each place, the last that came last.
        lately: decides between those who hold as much; else whoever came first holds most.
    """
    held = UsageByClient((visitor.network, visitor.id, 1) for visitor in visitors)
    most = held.heaviest(lately.usage if lately else nothing)
    return Client(*most) if most else None


@dataclass(frozen=True)
class _Place(Generic[Item]):
    item: Item
    visitor: Client
    cost: float


class FairQueue(Generic[Item]):
    """A queue in which whoever has had least lately comes first: the address, then the name.

    Who asks for a hundred figures lengthens the queue behind their own first, whatever each costs.
    The queue has an end. Where it is full, whoever has most in it loses the last of theirs.

    Args:
        places: How many may wait.
        clock: Seconds that pass.

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
        self._order: dict[Item, int] | None = None  # as they will go, once somebody has asked
        self._lately = RecentUsage(clock)

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def cost(self) -> float:
        """The cost of all items that wait."""
        return sum(place.cost for place in self._waiting)

    def add(self, item: Item, visitor: Client, cost: float) -> Item | None:
        """Add an item; return the one that has to leave for want of places, if one has."""
        self._waiting.append(_Place(item, visitor, cost))
        self._order = None
        if len(self) <= self._places:
            return None
        most = heaviest((place.visitor for place in self._waiting), self._lately)
        last = next(place for place in reversed(self._waiting) if place.visitor == most)
        self.remove(last.item)
        return last.item

    def first(self, among: Callable[[Item], bool] = lambda _: True) -> Item | None:
        """Return whose turn is next, of all or of some; None where nobody of these waits."""
        fronts: dict[Client, Item] = {}
        for place in self._waiting:
            if place.visitor not in fronts and among(place.item):
                fronts[place.visitor] = place.item
        # Of those who have had as much, the one whose first has come first stands first here.
        return fronts[min(fronts, key=self._lately.client_usage)] if fronts else None

    def pop(self, item: Item) -> None:
        """Take one that waits out of the queue: its turn has come, and counts for its visitor."""
        (place,) = (place for place in self._waiting if place.item == item)
        self._lately.add(place.visitor, place.cost)
        self.remove(item)

    def remove(self, item: Item) -> None:
        """Take an item out; one that does not wait stays away."""
        self._waiting = [place for place in self._waiting if place.item != item]
        self._order = None

    def position(self, item: Item) -> int:
        """Count the items before an item, if nobody else comes; none where it does not wait."""
        if self._order is None:
            self._order = {item: at for at, item in enumerate(self._turns())}
        return self._order.get(item, 0)

    def _turns(self) -> Iterator[Item]:
        """All items in the order of their turns: many ask for it, so no turn is looked for."""
        theirs: defaultdict[Client, deque[tuple[int, _Place[Item]]]] = defaultdict(deque)
        for number, place in enumerate(self._waiting):
            theirs[place.visitor].append((number, place))
        names: defaultdict[str, list[tuple[float, int, Client]]] = defaultdict(list)
        had_there: dict[str, float] = {}
        for visitor, places in theirs.items():
            had_there[visitor.network], had = self._lately.client_usage(visitor)
            heappush(names[visitor.network], (had, places[0][0], visitor))
        addresses = [(had_there[address], *heap[0]) for address, heap in names.items()]
        heapify(addresses)
        while addresses:
            there, had, _, visitor = heappop(addresses)
            _, place = theirs[visitor].popleft()
            yield place.item
            heappop(names[visitor.network])
            if theirs[visitor]:
                following = theirs[visitor][0][0]
                heappush(names[visitor.network], (had + place.cost, following, visitor))
            if names[visitor.network]:
                heappush(addresses, (there + place.cost, *names[visitor.network][0]))


class FairRateLimiter:
    """Lets all go on at a steady rate, a few at once, in fair turns where they come faster.

    Args:
        burst: How many may come without a pause.
        second: How many a second after that.
        places: How many may wait; more never should.
        at_once: How many go on until they leave; any number, if not said.
        patience: Seconds after which whoever has not left is not waited for any more.
        clock: Seconds that pass.
    """

    def __init__(
        self,
        burst: float,
        second: float,
        places: int,
        *,
        at_once: float = math.inf,
        patience: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = RateLimiter(burst, second, clock)
        self._at_once, self._patience = at_once, patience
        self._going: dict[asyncio.Future[None], asyncio.TimerHandle] = {}
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue(places, clock)
        self._timer: asyncio.TimerHandle | None = None

    def acquire(self, visitor: Client) -> asyncio.Future[None]:
        """Return what is done when this visitor's turn has come."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        last = self._queue.add(turn, visitor, 1.0)
        if last is not None:
            last.cancel()
        self._go_on()
        return turn

    def release(self, turn: asyncio.Future[None]) -> None:
        """Wait no longer, or be done with what one has waited for."""
        self._queue.remove(turn)
        late = self._going.pop(turn, None)
        if late is not None:
            late.cancel()
            self._go_on()

    def _go_on(self) -> None:
        loop = asyncio.get_running_loop()
        while len(self._queue) and len(self._going) < self._at_once and self._rate.try_acquire(""):
            turn = self._queue.first()
            assert turn is not None
            self._queue.pop(turn)
            turn.set_result(None)
            if self._at_once < math.inf:
                self._going[turn] = loop.call_later(self._patience, self.release, turn)
        if len(self._queue) and self._timer is None and len(self._going) < self._at_once:
            self._timer = loop.call_later(self._rate.retry_after(""), self._later)

    def _later(self) -> None:
        self._timer = None
        self._go_on()


class QueueFull(Exception):
    """There is no place: too many wait, or others wait while this visitor holds most."""


@dataclass(eq=False)
class Lease:
    """A place that somebody has asked for.

    Attributes:
        visitor: Who.
        settled: Whether it will soon be free by itself: nobody is made to leave it then.
    """

    visitor: Client
    settled: bool = False
    begun: float = 0.0
    refused: bool = False
    told: Event = field(default_factory=Event)
    scope: CancelScope = field(default_factory=CancelScope)


class FairSemaphore:
    """A few at once; more wait, in fair turns.

    Who has been at it for long and holds more than who waits would makes room for them; who holds
    as much, after longer.

    Args:
        most: How many at once.
        places: How many may wait.
        patience: Seconds that everybody has; any number, if not said.
    """

    def __init__(self, most: int, places: int, patience: float = math.inf) -> None:
        self._most = most
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._held: list[Lease] = []
        self._queue: FairQueue[Lease] = FairQueue(places)

    @asynccontextmanager
    async def acquire(self, visitor: Client) -> AsyncIterator[Lease]:
        """Wait for a turn, and have it inside.

        Raises:
            Full: There is none to be had, or it had to be given up.
        """
        mine = Lease(visitor)
        last = self._queue.add(mine, visitor, 1.0)
        if last is not None:
            last.refused = True
            last.told.set()
        self._advance()
        try:
            await mine.told.wait()
            if mine.refused:
                raise QueueFull
            with mine.scope:
                yield mine
        finally:
            self._queue.remove(mine)
            if mine in self._held:
                self._held.remove(mine)
            self._advance()
        if mine.scope.cancelled_caught:
            raise QueueFull

    def _advance(self) -> None:
        now = time.monotonic()
        while len(self._held) < self._most and (turn := self._queue.first()):
            self._queue.pop(turn)
            turn.begun = now
            self._held.append(turn)
            turn.told.set()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._patience < math.inf and (waiting := self._queue.first()):
            self._displace(waiting.visitor, now)

    def _displace(self, visitor: Client, now: float) -> None:
        """Have somebody leave who holds more than this visitor would, or as much for long."""
        held = [turn.visitor for turn in self._held]
        most = heaviest([*held, visitor])
        theirs = [turn for turn in self._held if turn.visitor == most and not turn.settled]
        if most == visitor or not theirs:
            return
        holds_more = heaviest([visitor, *held]) == most
        patience = self._patience * (1 if holds_more else EVEN)
        late = theirs[0].begun + patience - now
        if late > 0:
            self._timer = asyncio.get_running_loop().call_later(late, self._advance)
        else:
            theirs[0].scope.cancel()
