"""Tables of visitors, kept in bounded memory."""

import secrets
import threading
from collections import OrderedDict

from lnviz.data.uploads.grid import Table


class TableStore:
    """Tables in memory under names that cannot be guessed; the least recently used go first.

    One store serves all visitors and may be used from several threads. A table is kept as it is,
    not copied: do not write into it.

    Args:
        max_items: how many tables are kept at most.
        max_cells: how many cells they have at most, all together.

    >>> import torch
    >>> store = TableStore(max_items=1)
    >>> zeros, ones = Table(torch.zeros(2, 2)), Table(torch.ones(2, 2))
    >>> old, new = store.put(zeros), store.put(ones)
    >>> store.get(old) is None, store.get(new) is ones
    (True, True)
    """

    def __init__(self, max_items: int = 64, max_cells: int = 8_000_000) -> None:
        self._max_items = max_items
        self._max_cells = max_cells
        self._cells = 0
        self._kept: OrderedDict[str, Table] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, table: Table) -> str:
        """Keep a table and return its name: 43 characters that are safe in an address.

        Returns:
            The name to get it by.

        Raises:
            ValueError: the table alone is larger than the store.
        """
        if table.values.numel() > self._max_cells:
            raise ValueError(
                f"a table must fit the store of {self._max_cells:,} cells; got one of "
                f"{table.values.numel():,}. Give the store more cells."
            )
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._kept[token] = table
            self._cells += table.values.numel()
            while len(self._kept) > self._max_items or self._cells > self._max_cells:
                _, oldest = self._kept.popitem(last=False)
                self._cells -= oldest.values.numel()
        return token

    def get(self, token: str) -> Table | None:
        """Return the table of that name, or None where it is unknown or had to go."""
        with self._lock:
            if token in self._kept:
                self._kept.move_to_end(token)
            return self._kept.get(token)
