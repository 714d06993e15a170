"""Who holds most of what there is: of the address that does, the name that does.

Who would make room, wherever there is none, is decided here: for places in a queue, pages,
uploads and trainings. For connections it is not: who connects has said no name yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def nothing(*_: str) -> float:
    """Return what everybody has had where that does not count."""
    return 0.0


class UsageByClient:
    """What is held at addresses, and there by names.

    Args:
        held: address, name and size of each thing, the last that came last.

    >>> holders = Holders([("class", "a", 2), ("class", "b", 3), ("home", "c", 4)])
    >>> holders.largest()
    ('class', 'b')
    >>> holders.add("class", "b", -3)
    >>> holders.largest()
    ('home', 'c')
    """

    def __init__(self, held: Iterable[tuple[str, str, float]] = ()) -> None:
        self._sizes: dict[str, float] = {}
        self._names: dict[str, dict[str, float]] = {}
        for address, name, size in held:
            self.add(address, name, size)

    def add(self, address: str, name: str, size: float) -> None:
        """Have somebody hold more, or less; who holds nothing is not there any more."""
        names = self._names.setdefault(address, {})
        _add(names, name, size)
        _add(self._sizes, address, size)
        if not names:
            del self._names[address]

    def heaviest(self, had: Callable[..., float] = nothing) -> tuple[str, str] | None:
        """Return who holds most; None where nobody holds anything.

        Args:
            had: what an address has had, and what a name at an address: decides between those
                who hold as much. Else whoever came first holds most.
        """
        if not self._sizes:
            return None
        address = max(self._sizes, key=lambda a: (self._sizes[a], had(a)))
        names = self._names[address]
        return address, max(names, key=lambda name: (names[name], had(address, name)))


def _add(sizes: dict[str, float], key: str, size: float) -> None:
    sizes[key] = sizes.get(key, 0) + size
    if not sizes[key]:
        del sizes[key]
