"""What this machine has for the app: cores, memory, and how many processes share them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from lnviz.cores import all_cores

VARIABLE = "LNVIZ_PROCESSES"
"""Names the environment variable that says how many processes of the app share the machine."""

ENOUGH = 16384
"""Files that a process asks to have open: a page is a connection, and often 1024 are allowed."""

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def cores() -> int:
    """Return how many cores there are for this process: its share, where several share them."""
    named = os.environ.get(VARIABLE, "")
    sharing = int(named) if named.isdecimal() and int(named) else 1
    return max(1, all_cores() // sharing)


def memory() -> int | None:
    """Return the bytes of memory of this machine, or of its container; None if unknown."""
    if not hasattr(os, "sysconf"):
        return None
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for limit in map(Path, _LIMITS):
        if limit.is_file() and (said := limit.read_text().strip()).isdecimal():
            sizes.append(int(said))
    return min(sizes)


def more_files() -> int:
    """Let this process have as many files and connections open as it can get, and say how many."""
    try:
        import resource
    except ImportError:  # no Unix
        return ENOUGH
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft == resource.RLIM_INFINITY:
        return ENOUGH
    if soft >= wanted:
        return min(soft, ENOUGH)
    with suppress(ValueError, OSError):  # a system may allow less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
