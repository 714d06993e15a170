"""PyTorch's own generator, from which modules draw their weights, for one thread at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

_ALONE = RLock()


@contextmanager
def own_draws() -> Iterator[None]:
    """Keep others from seeding or drawing in here, and what is drawn from leaving a trace outside.

    Figures are computed in several threads, which all share that generator.

    >>> with own_draws():
    ...     _ = torch.manual_seed(0)
    ...     torch.rand(1)
    tensor([0.4963])
    """
    with _ALONE, torch.random.fork_rng(devices=[]):
        yield
