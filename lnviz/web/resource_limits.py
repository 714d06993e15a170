"""Resource limits of this machine: CPU cores, memory and file descriptors."""

from __future__ import annotations

import os
from contextlib import suppress

from lnviz.cores import available_cores
from lnviz.memory import container_memory

PROCESSES_ENV = "LNVIZ_PROCESSES"
"""Environment variable with the number of processes of the app that share the machine."""

MAX_FDS = 16384
"""File descriptors that a process asks for. A page is a connection; often 1024 are allowed."""


def process_cores() -> int:
    """Return the number of CPU cores for this process, one of several server processes."""
    value = os.environ.get(PROCESSES_ENV, "")
    processes = int(value) if value.isdecimal() and int(value) else 1
    return max(1, available_cores() // processes)


def total_memory() -> int | None:
    """Return the memory of this machine or its container in bytes, or None if unknown."""
    if not hasattr(os, "sysconf"):
        return None
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(machine, container_memory() or machine)


def raise_fd_limit() -> int:
    """Raise this process's limit on open file descriptors to `MAX_FDS`, and return the limit.

    The limit stays lower where the system allows no more.
    """
    try:
        import resource
    except ImportError:  # not on Unix
        return MAX_FDS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = MAX_FDS if hard == resource.RLIM_INFINITY else min(hard, MAX_FDS)
    if soft == resource.RLIM_INFINITY:
        return MAX_FDS
    if soft >= target:
        return min(soft, MAX_FDS)
    with suppress(ValueError, OSError):  # a system may allow less than its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
