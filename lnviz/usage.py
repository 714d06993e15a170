"""Fair eviction from a full queue or store: the client with the highest usage loses an item first.

It is used for queues, sessions, connections, uploads and training jobs. Clients are grouped by
network, so that a network cannot displace another by having many clients.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def _unit_size(_: object) -> float:
    return 1


class UsageByClient:
    """Usage counters: the amounts that each network, and each client within it, currently holds.

    >>> usage = UsageByClient()
    >>> for network, client, amount in (("class", "a", 2), ("class", "b", 3), ("home", "c", 4)):
    ...     usage.add(network, client, amount)
    >>> usage.heaviest()
    ('class', 'b')
    >>> usage.add("class", "b", -3)
    >>> usage.heaviest()
    ('home', 'c')
    """

    def __init__(self) -> None:
        self._networks: dict[str, float] = {}
        self._clients: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def add(self, network: str, client: str, amount: float) -> None:
        """Add an amount (which may be negative) to a client's usage; drop the entry at zero."""
        _add(self._networks, network, amount)
        _add(self._clients[network], client, amount)
        if not self._clients[network]:
            del self._clients[network]

    def heaviest(self) -> tuple[str, str] | None:
        """Return the network with the highest usage and its heaviest client, or None without usage.

        Ties go to the network or client that was added first.
        """
        if not self._networks:
            return None
        network = max(self._networks, key=self._networks.__getitem__)
        clients = self._clients[network]
        return network, max(clients, key=clients.__getitem__)


def eviction_order(
    items: Iterable[Item],
    client: Callable[[Item], tuple[str, str]],
    size: Callable[[Item], float] = _unit_size,
) -> Iterator[Item]:
    """Yield items in the order in which to evict them; the heaviest client's items come first.

    Each item is the first remaining one of the client that then holds the most, in the network that
    holds the most. Ties go to the client whose item is listed first.

    Args:
        items: All items; of a client's items, the first is evicted first.
        client: Returns the network and the client that hold an item.
        size: Returns the size of an item; 1 by default.

    >>> items = ["a1", "a2", "b1", "c1"]
    >>> list(eviction_order(items, lambda item: ("network", item[0])))
    ['a1', 'a2', 'b1', 'c1']
    >>> list(eviction_order(reversed(items), lambda item: ("network", item[0])))
    ['a2', 'c1', 'b1', 'a1']
    """
    usage = UsageByClient()
    held: defaultdict[tuple[str, str], deque[Item]] = defaultdict(deque)
    for item in items:
        held[client(item)].append(item)
        usage.add(*client(item), size(item))
    while heaviest := usage.heaviest():
        item = held[heaviest].popleft()
        usage.add(*heaviest, -size(item))
        yield item


def _add(usage: dict[str, float], key: str, amount: float) -> None:
    usage[key] = usage.get(key, 0) + amount
    if not usage[key]:
        del usage[key]
