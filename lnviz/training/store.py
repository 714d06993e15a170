"""Where trainings are kept: specifications, what was measured, and how to go on."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from filelock import FileLock
from platformdirs import user_data_path
from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    delete,
    event,
    func,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from lnviz.training.experiment import Specification
from lnviz.training.tables import CheckpointRow, JobRow, OutcomeRow, PointRow, now

VARIABLE = "LNVIZ_DATABASE_URL"
MIGRATIONS = Path(__file__).parent / "migrations"
WAIT_S = 30  # that a writer waits for another, in SQLite
SQLITE = "sqlite"
LOCK = 20_160_721  # in PostgreSQL, of who changes the tables
MIGRATING = threading.Lock()


class StoreError(RuntimeError):
    """The store cannot be used; the message says why and what to do."""


class State(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Job:
    """A specification being run, or that has been.

    Attributes:
        id: names it, and cannot be guessed.
        owner: whose it is.
        specification: what is run.
        state: where it stands.
        detail: why it has failed, if it has.
        steps: of all groups together.
        done: of those.
        made_with: versions and device.
        created: when it was asked for.
        changed: when its state or the steps done changed last.
    """

    id: str
    owner: str
    specification: Specification
    state: State
    detail: str
    steps: int
    done: int
    made_with: Mapping[str, Any]
    created: datetime
    changed: datetime


@dataclass(frozen=True)
class Measured:
    """What was measured of all runs of a group at one step; numbers that are not finite are None.

    Attributes:
        norm: of the group.
        batch_size: of the group.
        step: batches learned from.
        seconds: of training so far.
        values: by name; lists have an entry for each run, learning rates first.
    """

    norm: str
    batch_size: int
    step: int
    seconds: float
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """Where a job stands: groups done, and the state of the one in training."""

    group: int
    state: bytes


def location() -> str:
    """Return the database's address: what `LNVIZ_DATABASE_URL` names, else a file of this user."""
    named = os.environ.get(VARIABLE, "").strip()
    return named or f"{SQLITE}:///{user_data_path('lnviz') / 'trainings.sqlite'}"


class Store:
    """Jobs in a database; its tables are made, or brought up to date, when it is opened.

    Args:
        url: the database's address, as SQLAlchemy has it.

    Raises:
        StoreError: the database cannot be reached, or its file is no database; such a file is kept
            beside under another name.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        with _told(url):
            self._engine = _engine(url)
        try:
            self._migrate()
        except (CommandError, DatabaseError) as error:
            self.close()
            broken = isinstance(error, DatabaseError) and not isinstance(error, OperationalError)
            if broken and self._engine.dialect.name == SQLITE:
                raise StoreError(_set_aside(url)) from error
            raise _unreachable(url, error) from error

    def _migrate(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        # Alembic's context is one for the whole process.
        with MIGRATING, _alone(self._engine) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with _told(self.url), Session(self._engine) as session, session.begin():
            yield session

    def add(
        self,
        specification: Specification,
        steps: int,
        made_with: Mapping[str, Any],
        owner: str = "",
        state: State = State.QUEUED,
    ) -> Job:
        """Keep a new job.

        Args:
            specification: what is to be run.
            steps: of all groups together.
            made_with: versions and device.
            owner: whose it is.
            state: where it stands.
        """
        row = JobRow(
            id=secrets.token_hex(8),
            owner=owner,
            specification=specification.document(),
            state=state,
            detail="",
            steps=steps,
            done=0,
            made_with=dict(made_with),
        )
        with self._session() as session:
            session.add(row)
            session.flush()
            return _job(row)

    def jobs(self, owner: str | None = None) -> list[Job]:
        """Return all jobs, or those of an owner, the latest first."""
        query = select(JobRow).order_by(JobRow.created.desc())
        if owner is not None:
            query = query.where(JobRow.owner == owner)
        with self._session() as session:
            return [_job(row) for row in session.scalars(query)]

    def job(self, name: str) -> Job | None:
        """Return the job of this id, or whose id begins so if there is only one."""
        query = select(JobRow).where(JobRow.id.startswith(name, autoescape=True)).limit(2)
        with self._session() as session:
            found = list(session.scalars(query))
            return _job(found[0]) if len(found) == 1 and name else None

    def move(self, job: str, state: State, *, among: tuple[State, ...], detail: str = "") -> bool:
        """Take a job from one of several states to another; say whether it stood there."""
        change = (
            update(JobRow)
            .where(JobRow.id == job, JobRow.state.in_(among))
            .values(state=state, detail=detail, changed=now())
        )
        with self._session() as session:
            return session.connection().execute(change).rowcount == 1

    def state(self, job: str) -> State | None:
        """Return where a job stands."""
        with self._session() as session:
            found = session.scalar(select(JobRow.state).where(JobRow.id == job))
        return State(found) if found else None

    def keep(
        self,
        job: str,
        done: int,
        points: list[Measured],
        checkpoint: Checkpoint,
        outcome: Measured | None = None,
        *,
        before: int,
    ) -> bool:
        """Keep how far a job is, all of it or nothing; say whether it was.

        Nothing is kept where the job is not as far as `before`: then another process has gone on
        with it, and a checkpoint must not fall behind the points that are kept.

        Args:
            job: its id.
            done: steps of all groups together.
            points: measured since the last time.
            checkpoint: from which to go on.
            outcome: of a group that has ended.
            before: steps done when it was kept the last time.
        """
        change = (
            update(JobRow)
            .where(JobRow.id == job, JobRow.done == before)
            .values(done=done, changed=now())
        )
        with self._session() as session:
            if session.connection().execute(change).rowcount != 1:
                return False
            session.add_all(
                PointRow(
                    job_id=job,
                    norm=point.norm,
                    batch_size=point.batch_size,
                    step=point.step,
                    seconds=point.seconds,
                    measured=dict(point.values),
                )
                for point in points
            )
            if outcome:
                session.add(
                    OutcomeRow(
                        job_id=job,
                        norm=outcome.norm,
                        batch_size=outcome.batch_size,
                        tested=dict(outcome.values),
                    )
                )
            session.execute(delete(CheckpointRow).where(CheckpointRow.job_id == job))
            row = CheckpointRow(job_id=job, group=checkpoint.group, state=checkpoint.state)
            session.add(row)
        return True

    def checkpoint(self, job: str) -> Checkpoint | None:
        """Return from where a job goes on; None where it has not begun."""
        with self._session() as session:
            row = session.get(CheckpointRow, job)
            return Checkpoint(row.group, row.state) if row else None

    def points(self, job: str, after: int = 0) -> list[tuple[int, Measured]]:
        """Return what was measured, in order, each with its number; only those after a number."""
        query = select(PointRow).where(PointRow.job_id == job, PointRow.id > after)
        with self._session() as session:
            rows = session.scalars(query.order_by(PointRow.id))
            return [
                (r.id, Measured(r.norm, r.batch_size, r.step, r.seconds, r.measured)) for r in rows
            ]

    def outcomes(self, job: str) -> dict[tuple[str, int], Mapping[str, Any]]:
        """Return how the groups that have ended fared with the test part."""
        query = select(OutcomeRow).where(OutcomeRow.job_id == job).order_by(OutcomeRow.id)
        with self._session() as session:
            return {(row.norm, row.batch_size): row.tested for row in session.scalars(query)}

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A transaction in which no other process changes the tables."""
    if engine.dialect.name == SQLITE:
        with FileLock(f"{engine.url.database}.lock"), engine.begin() as connection:
            yield connection
        return
    with engine.begin() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        yield connection


def _job(row: JobRow) -> Job:
    return Job(
        id=row.id,
        owner=row.owner,
        specification=Specification.read(row.specification),
        state=State(row.state),
        detail=row.detail,
        steps=row.steps,
        done=row.done,
        made_with=row.made_with,
        created=_aware(row.created),
        changed=_aware(row.changed),
    )


def _aware(time: datetime) -> datetime:
    """SQLite keeps no time zone."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != SQLITE:
        return create_engine(parsed, pool_pre_ping=True)
    if parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, connect_args={"timeout": WAIT_S})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # Readers go on while one writes; without it a deleted job would leave its points behind.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    return engine


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Say in words what the database complains about."""
    try:
        yield
    except (SQLAlchemyError, OSError, ImportError) as error:
        raise _unreachable(url, error) from error


def _unreachable(url: str, error: Exception) -> StoreError:
    shown = make_url(url).render_as_string(hide_password=True) if "://" in url else "this address"
    reason = str(getattr(error, "orig", None) or error).splitlines()[0]
    return StoreError(
        f"The database of trainings, {shown}, cannot be used: {reason}. Make room or mend it, or "
        f"name another one in {VARIABLE}."
    )


def _set_aside(url: str) -> str:
    """Move away a file that is no database; say what has become of it."""
    database = make_url(url).database or ""
    broken = Path(f"{database}.broken-{int(time.time())}")
    Path(database).rename(broken)
    return (
        f"{database} is no database of trainings. It was kept as {broken.name}, beside; start "
        "again to begin a new one."
    )
