"""Jobs: whose each is, who works on it, and whose turn comes next."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    case,
    delete,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from lnviz.database.connection import Database, advisory_lock
from lnviz.database.models import CheckpointRow, JobRow, UsageRow, now
from lnviz.training.experiment import TrainingSpec
from lnviz.usage import eviction_order

LEASE = timedelta(seconds=10)  # without a sign of life, after which a worker counts as gone
MAX_CRASHES = 3  # sudden ends without a step between them, after which a job has failed
USAGE_WINDOW = timedelta(hours=1)  # what a visitor has had since then counts when turns are given
SLOT_S = 600  # of time, in which what a visitor has had is counted together
PAUSE_LIMIT = timedelta(days=1)  # that a paused job can be resumed
QUEUE_LIMIT = timedelta(hours=3)  # that a visitor's job waits for a worker
ENDED = ("stopped", "done", "failed")


class JobAlreadyActive(RuntimeError):
    """This owner has a job that waits or runs already."""


class JobQueueFull(RuntimeError):
    """As many jobs wait as may, and nobody should give up a place before who asks."""


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class TrainingJob:
    """A specification that is being run, or has been.

    Attributes:
        id: names it, and cannot be guessed.
        owner: the visitor whose it is; empty for the command line's.
        specification: what is run.
        state: where it stands.
        detail: why it stands there, if that needs a word.
        steps: the steps of all groups together.
        done: the steps that are done.
        train_seconds: seconds that it has been worked on.
        steps_per_s: steps a second, lately.
        worker: who works on it; empty if nobody does.
        environment: versions and device of who worked on it last.
        created: when it was asked for.
        changed: when something of it changed last.
    """

    id: str
    owner: str
    specification: TrainingSpec
    state: JobState
    detail: str
    steps: int
    done: int
    train_seconds: float
    steps_per_s: float
    worker: str
    environment: Mapping[str, Any]
    created: datetime
    changed: datetime


class Jobs(Database):
    """The jobs in a database.

    A job belongs to one worker at a time, which gives a sign of life, a *beat*, every few seconds.
    A visitor has one job at a time that has not ended.
    """

    def add(
        self,
        specification: TrainingSpec,
        steps: int,
        environment: Mapping[str, Any],
        *,
        owner: str = "",
        network: str = "",
        worker: str = "",
        capacity: int | None = None,
    ) -> TrainingJob:
        """Keep a new job, which waits for a worker.

        Where there is no place for it, another one is stopped: the newest one of the address that
        has most of those that wait or are paused. A paused one keeps its place, so that there is
        one to resume it at.

        Args:
            specification: what is to be run.
            steps: the steps of all groups together.
            environment: versions and device.
            owner: the visitor whose it is; empty for the command line's.
            network: where that visitor is.
            worker: who begins with it at once, if somebody does.
            capacity: how many may wait or be paused; any number, if not said.

        Raises:
            JobAlreadyActive: the owner has another one that has not ended.
            JobQueueFull: it would be the one to be stopped.
        """
        row = JobRow(
            id=secrets.token_hex(8),
            owner=owner,
            address=network,
            specification=specification.to_dict(),
            state=JobState.RUNNING if worker else JobState.QUEUED,
            detail="",
            steps=steps,
            done=0,
            trained=0.0,
            pace=0.0,
            worker=worker,
            made_with=dict(environment),
        )
        with self.session() as session, _one_at_work():
            advisory_lock(session)
            session.add(row)
            session.flush()
            if capacity is not None:
                _make_way(session, row.id, capacity)
            return _job(row)

    def list_jobs(self, owner: str | None = None, limit: int | None = None) -> list[TrainingJob]:
        """Return all jobs, or those of an owner, the latest first, and so many at most."""
        query = select(JobRow).order_by(JobRow.created.desc()).limit(limit)
        if owner is not None:
            query = query.where(JobRow.owner == owner)
        with self.session() as session:
            return [_job(row) for row in session.scalars(query)]

    def referenced_files(self) -> set[str]:
        """Return the names of the files that unfinished jobs of visitors learn from."""
        unfinished = (JobRow.owner != "", JobRow.state.not_in(ENDED))
        with self.session() as session:
            documents = session.scalars(select(JobRow.specification).where(*unfinished))
            return {str(document["file"]) for document in documents if document.get("file")}

    def find(self, name: str) -> TrainingJob | None:
        """Return the job of this id, or whose id begins so if there is only one."""
        query = select(JobRow).where(JobRow.id.startswith(name, autoescape=True)).limit(2)
        with self.session() as session:
            rows = list(session.scalars(query))
            return _job(rows[0]) if len(rows) == 1 and name else None

    def transition(
        self, job: str, state: JobState, *, among: Sequence[JobState], detail: str = ""
    ) -> bool:
        """Take a job from one of several states to another; say whether it stood there.

        Who works on it notices before long, keeps what there is, and leaves it. A visitor's job
        that was stopped has ended: nobody can go on with it.
        """
        where = (JobRow.id == job, JobRow.state.in_(among))
        with self.session() as session:
            moved = rows_affected(session, update_where(*where, state=state, detail=detail, ends=0))
            _let_go(session)
            return moved

    def state(self, job: str) -> JobState | None:
        """Return where a job stands."""
        with self.session() as session:
            state = session.scalar(select(JobRow.state).where(JobRow.id == job))
        return JobState(state) if state else None

    def claim(self, worker: str, job: str = "") -> TrainingJob | None:
        """Give a job to a worker: the one named, if nobody works on it, or the next in the queue.

        The next one is of the address that has been served least lately, and there of the owner.

        Args:
            worker: who; a name of its own.
            job: one that waits or is paused, or one of the command line that has failed; without
                it the next one.

        Returns:
            The job, which is `running` now; None where there is none to take.
        """
        waits = JobRow.state == JobState.QUEUED
        of_nobody = (JobRow.owner == "") & (JobRow.state == JobState.FAILED)
        free = waits | (JobRow.state == JobState.PAUSED) | of_nobody if job else waits
        taken = {"state": JobState.RUNNING, "worker": worker, "detail": "", "pace": 0.0}
        while True:
            with self.session() as session:
                name = job or session.scalar(_queue().limit(1))
                if not name:
                    return None
                given = update_where(
                    JobRow.id == name, free, beat=now(), turn_from=JobRow.trained, **taken
                )
                if rows_affected(session, given):
                    return _job(session.get_one(JobRow, name))
                if job:
                    return None

    def heartbeat(self, job: str, worker: str) -> bool:
        """Give a sign of life; say whether the worker shall go on with the job."""
        mine = (JobRow.id == job, JobRow.worker == worker, JobRow.state == JobState.RUNNING)
        with self.session() as session:
            return rows_affected(session, update_where(*mine, beat=now()))

    def set_environment(self, job: str, worker: str, made_with: Mapping[str, Any]) -> None:
        """Say with what a worker goes on: it may be another machine than the one before."""
        mine = (JobRow.id == job, JobRow.worker == worker)
        with self.session() as session:
            rows_affected(session, update_where(*mine, made_with=dict(made_with)))

    def release(self, job: str, worker: str, state: JobState, detail: str = "") -> None:
        """End a worker's work on a job: it comes to this state, unless it was moved meanwhile."""
        with self.session() as session:
            mine = (JobRow.id == job, JobRow.worker == worker)
            running = (*mine, JobRow.state == JobState.RUNNING)
            rows_affected(session, update_where(*running, state=state, detail=detail))
            rows_affected(session, update_where(*mine, worker=""))
            _let_go(session)

    def requeue_dead(self, worker: str = "") -> None:
        """Take jobs back from a worker that has died, or from all who give no sign of life.

        A visitor's job waits again, until its workers have died too often without getting any
        further; one of the command line is paused.
        """
        gone = JobRow.worker == worker if worker else JobRow.beat < now() - LEASE
        failed = JobRow.ends + 1 >= MAX_CRASHES
        detail = (
            f"The process that trained it ended {MAX_CRASHES} times without getting any further. "
            "It may need more memory than there is: ask for fewer runs."
        )
        back = update_where(
            gone,
            JobRow.state == JobState.RUNNING,
            ends=JobRow.ends + 1,
            worker="",
            pace=0.0,
            state=case(
                (failed, JobState.FAILED),
                (JobRow.owner == "", JobState.PAUSED),
                else_=JobState.QUEUED,
            ),
            detail=case((failed, detail), else_=""),
        )
        with self.session() as session:
            rows_affected(session, back)
            _let_go(session)

    def queued(self) -> list[str]:
        """Return the names of the jobs in the queue, the next one first."""
        with self.session() as session:
            return list(session.scalars(_queue()))

    def preemptible(self, at: str, turn: float) -> str | None:
        """Return a job that has had its turn and whose place another one waits for.

        Args:
            at: how the names of the workers begin that hold the places.
            turn: seconds that a job may be worked on while others wait.

        Returns:
            One whose address has been served more than that of the next one in the queue, or
            whose owner, where both are at the same address.
        """
        other = aliased(JobRow)
        first = other.id == _queue().limit(1).scalar_subquery()
        address, had, near = (
            select(what).where(first).scalar_subquery()
            for what in (other.address, _served(other.owner), _near(other.address))
        )
        elsewhere = (JobRow.address != address) & (_near(JobRow.address) > near)
        beside = (JobRow.address == address) & (_served(JobRow.owner) > had)
        long = (
            select(JobRow.id)
            .where(JobRow.state == JobState.RUNNING, JobRow.worker.startswith(at, autoescape=True))
            .where(JobRow.owner != "", JobRow.trained - JobRow.turn_from > turn)
            .where(elsewhere | beside)
            .limit(1)
        )
        with self.session() as session:
            return session.scalar(long)

    def count_running(self, at: str) -> int:
        """Return how many jobs are worked on by workers whose names begin so."""
        query = select(func.count()).select_from(JobRow)
        begins = JobRow.worker.startswith(at, autoescape=True)
        with self.session() as session:
            return session.scalar(query.where(JobRow.state == JobState.RUNNING, begins)) or 0

    def purge(self, before: datetime) -> None:
        """Drop visitors' jobs that have ended and not changed since; stop those that wait long."""
        mine, over = JobRow.owner != "", JobRow.state.in_(ENDED)
        late = (
            (JobState.PAUSED, PAUSE_LIMIT, "It was paused for more than a day."),
            (
                JobState.QUEUED,
                QUEUE_LIMIT,
                "Nobody could work on it for three hours. Ask for it again.",
            ),
        )
        with self.session() as session:
            session.execute(delete(JobRow).where(mine, over, JobRow.changed < before))
            session.execute(delete(UsageRow).where(UsageRow.slot < _slot() - _WINDOW_SLOTS))
            for state, most, why in late:
                where = (mine, JobRow.state == state, JobRow.changed < now() - most)
                rows_affected(session, update_where(*where, state=JobState.STOPPED, detail=why))
            _let_go(session)


AT = "at "
"""How an address begins where it stands among owners."""

_WAITS = (JobRow.state == JobState.QUEUED, JobRow.owner != "")
_WINDOW_SLOTS = int(USAGE_WINDOW.total_seconds()) // SLOT_S
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""By the database: the standard has no insert that changes a row which is there."""


def record_usage(session: Session, job: JobRow, seconds: float) -> None:
    """Count what a job has been worked on, for its owner and for its address."""
    insert = _INSERT[session.get_bind().dialect.name]
    for who in (job.owner, f"{AT}{job.address}"):
        # In one statement: all jobs of an address count in one row, whoever works on them.
        first = insert(UsageRow).values(owner=who, slot=_slot(), seconds=seconds)
        session.execute(
            first.on_conflict_do_update(
                index_elements=[UsageRow.owner, UsageRow.slot],
                set_={"seconds": UsageRow.seconds + seconds},
            )
        )


def _make_way(session: Session, new: str, places: int) -> None:
    """Stop jobs that wait or are paused until there are no more than places; see `Jobs.add`."""
    held = (JobRow.owner != "", JobRow.state.in_((JobState.QUEUED, JobState.PAUSED)))
    newest = ((JobRow.id == new).desc(), JobRow.created.desc())
    query = select(JobRow.id, JobRow.address, JobRow.owner).where(*held).order_by(*newest)
    rows = session.execute(query).all()
    why = (
        "More trainings waited than the server keeps, and no address had more of them than the "
        "one that this was asked for from. Ask for it again later."
    )
    surplus = max(0, len(rows) - places)
    for row in islice(eviction_order(rows, lambda row: (row.address, row.owner)), surplus):
        if row.id == new:
            raise JobQueueFull(
                f"{places} trainings wait already, as many as the server keeps. Ask again in a "
                "minute."
            )
        update = update_where(JobRow.id == row.id, state=JobState.STOPPED, detail=why)
        rows_affected(session, update)
    _let_go(session)


def _slot() -> int:
    return int(now().timestamp()) // SLOT_S


def _queue() -> Select[str]:
    """The jobs that wait, in the order of their turns: who has had least comes first."""
    turns = (_near(JobRow.address), _served(JobRow.owner), JobRow.created)
    return select(JobRow.id).where(*_WAITS).order_by(*turns)


def _near(address: Any) -> ScalarSelect[Any]:
    """Seconds that the jobs of an address have been worked on lately."""
    return _served(literal(AT).concat(address))


def _served(owner: Any) -> ScalarSelect[Any]:
    """Seconds that an owner's jobs have been worked on lately."""
    lately = UsageRow.slot >= _slot() - _WINDOW_SLOTS
    query = select(func.coalesce(func.sum(UsageRow.seconds), 0.0))
    return query.where(UsageRow.owner == owner, lately).scalar_subquery()


def _let_go(session: Session) -> None:
    """Drop the checkpoints of visitors' jobs that have ended: they may be large."""
    over = select(JobRow.id).where(JobRow.owner != "", JobRow.worker == "", JobRow.state.in_(ENDED))
    session.execute(delete(CheckpointRow).where(CheckpointRow.job_id.in_(over)))


def update_where(*where: ColumnElement[bool], **values: Any) -> Any:
    """Return a change of the jobs for which all of this holds."""
    return update(JobRow).where(*where).values(changed=now(), **values)


def rows_affected(session: Session, change: Any) -> bool:
    """Carry a change out; say whether there was something to change."""
    return session.connection().execute(change).rowcount > 0


@contextmanager
def _one_at_work() -> Iterator[None]:
    """Say in words that an owner has a job already: the tables hold one for each."""
    try:
        yield
    except IntegrityError as error:
        raise JobAlreadyActive(
            "You have runs that have not ended, and a visitor has one such request at a time. Let "
            "them end, or stop them first."
        ) from error


def _job(row: JobRow) -> TrainingJob:
    return TrainingJob(
        id=row.id,
        owner=row.owner,
        specification=TrainingSpec.from_dict(row.specification),
        state=JobState(row.state),
        detail=row.detail,
        steps=row.steps,
        done=row.done,
        train_seconds=row.trained,
        steps_per_s=row.pace,
        worker=row.worker,
        environment=row.made_with,
        created=_aware(row.created),
        changed=_aware(row.changed),
    )


def _aware(time: datetime) -> datetime:
    """SQLite keeps no time zone."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)
