"""Arrays of visitors, kept in bounded memory."""

import secrets
import threading
from collections import OrderedDict

from jaxtyping import Float
from torch import Tensor


class Store:
    """Arrays in memory under names that cannot be guessed; the least recently used go first.

    One store serves all visitors and may be used from several threads. A tensor is kept as it
    is, not copied: do not write into it.

    Args:
        max_items: how many arrays are kept at most.
        max_cells: how many cells they have at most, all together.

    >>> import torch
    >>> store = Store(max_items=1)
    >>> old, new = store.put(torch.zeros(2, 2)), store.put(torch.ones(2, 2))
    >>> store.get(old) is None, store.get(new).sum().item()
    (True, 4.0)
    """

    def __init__(self, max_items: int = 64, max_cells: int = 8_000_000) -> None:
        self._max_items = max_items
        self._max_cells = max_cells
        self._cells = 0
        self._kept: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, values: Float[Tensor, "N D"]) -> str:
        """Keep an array and return its name: 43 characters that are safe in an address.

        Args:
            values: (N, D).

        Returns:
            The name to get it by.

        Raises:
            ValueError: the array alone is larger than the store.
        """
        if values.numel() > self._max_cells:
            raise ValueError(
                f"an array must fit the store of {self._max_cells:,} cells; got one of "
                f"{values.numel():,}. Give the store more cells."
            )
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._kept[token] = values
            self._cells += values.numel()
            while len(self._kept) > self._max_items or self._cells > self._max_cells:
                _, oldest = self._kept.popitem(last=False)
                self._cells -= oldest.numel()
        return token

    def get(self, token: str) -> Float[Tensor, "N D"] | None:
        """Return the array of that name, or None where it is unknown or had to go.

        Args:
            token: what `put` returned.

        Returns:
            The array (N, D) that was put.
        """
        with self._lock:
            if token in self._kept:
                self._kept.move_to_end(token)
            return self._kept.get(token)
