"""Fair queue and fair semaphore: round-robin among networks, then among a network's clients."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from lnviz.usage import eviction_order
from lnviz.web.identity import Client
from lnviz.web.rate_limit import RateLimiter

Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A bounded queue that serves networks in turn, and the clients of a network in turn.

    If the queue is full, a new item evicts the newest item of the client that has the most items.

    Args:
        max_size: Maximum number of items.

    >>> queue = FairQueue(max_size=9)
    >>> for item in ("a1", "a2", "b1"):
    ...     queue.add(item, Client("network", id=item[0]))
    >>> queue.pop(queue.first())
    >>> queue.first(), queue.first(lambda item: item.startswith("a"))
    ('b1', 'a2')
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._clients: dict[Item, Client] = {}  # in the order of arrival
        # Networks, and clients within each, in the order in which they are served next.
        self._rotation: OrderedDict[str, OrderedDict[str, deque[Item]]] = OrderedDict()
        self._positions: dict[Item, int] | None = None

    def __len__(self) -> int:
        return len(self._clients)

    def add(self, item: Item, client: Client) -> Item | None:
        """Add an item; if the queue is full, evict an item, and return the evicted item."""
        self._clients[item] = client
        clients = self._rotation.setdefault(client.network, OrderedDict())
        clients.setdefault(client.id, deque()).append(item)
        self._positions = None
        if len(self) <= self._max_size:
            return None
        evicted = next(eviction_order(reversed(self._clients), self._clients.__getitem__))
        self.remove(evicted)
        return evicted

    def first(self, among: Callable[[Item], bool] = lambda _: True) -> Item | None:
        """Return the next item to serve that `among` accepts, or None, without removing it."""
        return next(filter(among, self._order()), None)

    def pop(self, item: Item) -> None:
        """Remove an item to serve it; its client and network move to the end of the rotation."""
        client = self._clients[item]
        self.remove(item)
        if clients := self._rotation.get(client.network):
            self._rotation.move_to_end(client.network)
            if client.id in clients:
                clients.move_to_end(client.id)

    def remove(self, item: Item) -> None:
        """Remove an item without serving it; do nothing if it is not in the queue."""
        client = self._clients.pop(item, None)
        if client is None:
            return
        clients = self._rotation[client.network]
        clients[client.id].remove(item)
        if not clients[client.id]:
            del clients[client.id]
        if not clients:
            del self._rotation[client.network]
        self._positions = None

    def position(self, item: Item, among: Callable[[Item], bool] = lambda _: True) -> int:
        """Return how many items that `among` accepts are ahead; 0 if the item is not queued."""
        order = self._order()
        return sum(map(among, islice(order, order.get(item, 0))))

    def _order(self) -> dict[Item, int]:
        """Return the position of each item in the order of service."""
        if self._positions is None:
            networks = deque(
                deque(map(deque, clients.values())) for clients in self._rotation.values()
            )
            self._positions = {}
            while networks:
                clients = networks.popleft()
                items = clients.popleft()
                self._positions[items.popleft()] = len(self._positions)
                if items:
                    clients.append(items)
                if clients:
                    networks.append(clients)
        return self._positions


class QueueFull(Exception):
    """Error: a request was refused because too many requests are waiting."""


@dataclass(eq=False)
class Lease:
    """A client's request for one unit of a semaphore, held from its grant until its release.

    Attributes:
        client: The client that requested it.
        granted: Resolves to True when the lease is granted, to False when it is refused.
    """

    client: Client
    granted: asyncio.Future[bool]


class FairSemaphore:
    """A semaphore with a fair queue, a limit for each client, and an optional rate limit.

    Args:
        capacity: Maximum number of leases held at the same time.
        queue_size: Maximum number of waiting requests; see `FairQueue`.
        per_client: Maximum number of leases that one client holds at the same time; by default
            `capacity`.
        rate: Token bucket from which each grant takes a token.

    Attributes:
        delayed: Number of requests that had to wait.
    """

    def __init__(
        self,
        capacity: int,
        queue_size: int,
        *,
        per_client: int | None = None,
        rate: RateLimiter | None = None,
    ) -> None:
        self.delayed = 0
        self._capacity = capacity
        self._per_client = per_client or capacity
        self._rate = rate
        self._queue: FairQueue[Lease] = FairQueue(queue_size)
        self._held: set[Lease] = set()
        self._held_by: Counter[Client] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def acquire(self, client: Client) -> AsyncIterator[None]:
        """Context manager that waits for a lease and holds it during the block.

        Raises:
            QueueFull: The request was refused.
        """
        lease = self.request(client)
        try:
            if not await lease.granted:
                raise QueueFull
            yield
        finally:
            self.release(lease)

    def request(self, client: Client) -> Lease:
        """Request a lease without waiting for it; the caller must release it in every case."""
        lease = Lease(client, asyncio.get_running_loop().create_future())
        refused = self._queue.add(lease, client)
        if refused is not None and not refused.granted.done():
            refused.granted.set_result(False)
        self._grant()
        self.delayed += not lease.granted.done()
        return lease

    def release(self, lease: Lease) -> None:
        """Release a lease or withdraw its request; a second call does nothing."""
        self._queue.remove(lease)
        if lease in self._held:
            self._held.remove(lease)
            self._held_by[lease.client] -= 1
            if not self._held_by[lease.client]:
                del self._held_by[lease.client]
        self._grant()

    def _grant(self) -> None:
        while len(self._held) < self._capacity and (lease := self._queue.first(self._is_allowed)):
            if self._rate is not None and not self._rate.try_acquire():
                self._grant_later(self._rate.retry_after())
                return
            self._queue.pop(lease)
            self._held.add(lease)
            self._held_by[lease.client] += 1
            if not lease.granted.done():  # as it is when its task was just cancelled
                lease.granted.set_result(True)

    def _is_allowed(self, lease: Lease) -> bool:
        return self._held_by[lease.client] < self._per_client

    def _grant_later(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._grant()
