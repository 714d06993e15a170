"""What this machine has for the app: cores, memory, and how many processes share them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from lnviz.cores import available_cores

PROCESSES_ENV = "LNVIZ_PROCESSES"
"""Names the environment variable that says how many processes of the app share the machine."""

MAX_FDS = 16384
"""Files that a process asks to have open: a page is a connection, and often 1024 are allowed."""

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def process_cores() -> int:
    """Return how many cores there are for this process: its share, where several share them."""
    named = os.environ.get(PROCESSES_ENV, "")
    sharing = int(named) if named.isdecimal() and int(named) else 1
    return max(1, available_cores() // sharing)


def total_memory() -> int | None:
    """Return the bytes of memory of this machine, or of its container; None if unknown."""
    if not hasattr(os, "sysconf"):
        return None
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for limit in map(Path, _LIMITS):
        if limit.is_file() and (said := limit.read_text().strip()).isdecimal():
            sizes.append(int(said))
    return min(sizes)


def raise_fd_limit() -> int:
    """Let this process have as many files and connections open as it can get, and say how many."""
    try:
        import resource
    except ImportError:  # no Unix
        return MAX_FDS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FDS if hard == resource.RLIM_INFINITY else min(hard, MAX_FDS)
    if soft == resource.RLIM_INFINITY:
        return MAX_FDS
    if soft >= wanted:
        return min(soft, MAX_FDS)
    with suppress(ValueError, OSError):  # a system may allow less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
