"""A program that works on a job as a worker does, and only counts: `counting JOB WORKER`.

What a worker trains, and how it goes on from what was kept, other tests say.
"""

import os
import signal
import sys
import threading

from sqlalchemy import create_engine, update

from lnviz.database.connection import VARIABLE
from lnviz.database.rows import JobRow, now

STEP_S = 0.05


def main() -> None:
    """Keeps one more step again and again, until the job is another's or it is asked to leave."""
    job, worker = sys.argv[1:]
    leaving = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: leaving.set())
    engine = create_engine(os.environ[VARIABLE])
    own = update(JobRow).where(JobRow.id == job, JobRow.worker == worker)
    while not leaving.wait(STEP_S):
        step = {"done": JobRow.done + 1, "trained": JobRow.trained + STEP_S, "beat": now()}
        kept = own.where(JobRow.state == "running").values(step)
        with engine.begin() as connection:
            if not connection.execute(kept).rowcount:
                break
    with engine.begin() as connection:
        connection.execute(own.where(JobRow.state == "running").values(state="queued"))
        connection.execute(own.values(worker=""))
    engine.dispose()


if __name__ == "__main__":
    main()
