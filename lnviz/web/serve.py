"""The command `lnviz serve`, which runs the app in several processes behind one port."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

import uvicorn

from lnviz.cores import available_cores
from lnviz.memory import MEMORY
from lnviz.rooms import join_urls
from lnviz.web.app_root import APP_ROOT
from lnviz.web.ports import DEFAULT_PORT, LOCAL_ADDRESS, parse_port, port_problem
from lnviz.web.resource_limits import PROCESSES_ENV, total_memory

HEALTHCHECK_S = 60  # after which a silent process is replaced; one that loads is silent, too
MAX_MESSAGE_BYTES = 10**6  # of a WebSocket message, as in .streamlit/config.toml
BACKLOG = 128  # connections that the system accepts before the app sees them
SHUTDOWN_S = 5  # that connections have at the shutdown


def main(argv: Sequence[str]) -> None:
    """Run the app in several processes until SIGINT or SIGTERM; replace processes that die."""
    parser = argparse.ArgumentParser(
        prog="lnviz serve",
        description="Start the app in several processes behind one port, for a seminar in one "
        "room. For a class, run it behind nginx: see deploy/README.md. Streamlit's settings come "
        "from environment variables such as STREAMLIT_SERVER_BASE_URL_PATH.",
    )
    parser.add_argument("--address", default=LOCAL_ADDRESS, help="(default: %(default)s)")
    parser.add_argument(
        "--port", type=parse_port, default=DEFAULT_PORT, help="(default: %(default)s)"
    )
    parser.add_argument("--processes", type=int, help="(default: one per core, memory permitting)")
    options = parser.parse_args(argv)
    count, why = default_worker_count(available_cores(), total_memory())
    if options.processes is not None:
        if options.processes < 1:
            parser.error("--processes must be at least 1.")
        count, why = options.processes, "as requested"
    if problem := port_problem(options.address, options.port):
        parser.error(problem)
    print(f"{count} {'process' if count == 1 else 'processes'}, {why}.", flush=True)
    os.environ[PROCESSES_ENV] = str(count)
    os.environ[join_urls.VARIABLE] = options.address
    os.chdir(APP_ROOT)  # where Streamlit reads its settings
    uvicorn.run(
        "app:app",
        host=options.address,
        port=options.port,
        app_dir=str(APP_ROOT),
        workers=count,
        http="lnviz.web.tcp_limits:LimitedProtocol",
        backlog=BACKLOG,
        ws="lnviz.web.websocket_protocol:LimitedWebSocketProtocol",
        ws_per_message_deflate=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        server_header=False,
        timeout_worker_healthcheck=HEALTHCHECK_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )


def default_worker_count(cores: int, memory: int | None) -> tuple[int, str]:
    """Return the default number of server processes for this machine, and the reason for it.

    >>> default_worker_count(cores=4, memory=2**33)
    (4, 'one per core')
    >>> default_worker_count(cores=8, memory=2**32)
    (2, 'although there are 8 cores: each process may need 1.5 GiB, and the memory is 4.0 GiB')
    """
    fitting = cores if memory is None else max(1, memory // MEMORY.ceiling)
    if fitting >= cores:
        return cores, "one per core"
    need, have = MEMORY.ceiling / 2**30, (memory or 0) / 2**30
    return (
        fitting,
        f"although there are {cores} cores: each process may need {need} GiB, and the memory is "
        f"{have:.1f} GiB",
    )
