"""Exclusive use of PyTorch's global random generator, which modules use to initialize weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

from lnviz.progress import unpausable

_RNG_LOCK = RLock()


@contextmanager
def isolated_rng() -> Iterator[None]:
    """Context manager: lock PyTorch's global random generator, and restore its state at the end.

    Figures are computed in several threads, which share the global generator. A computation is not
    paused while it has the generator.

    >>> with isolated_rng():
    ...     _ = torch.manual_seed(0)
    ...     torch.rand(1)
    tensor([0.4963])
    """
    with _RNG_LOCK, unpausable(), torch.random.fork_rng(devices=[]):
        yield
