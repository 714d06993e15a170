"""Repository of training jobs in the database: queue, claims, heartbeats and states."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, case, delete, func, select, update
from sqlalchemy.orm import Session

from lnviz.database.connection import Database, advisory_lock
from lnviz.database.models import CheckpointRow, JobRow, now
from lnviz.training import fair_share
from lnviz.training.experiment import TrainingSpec
from lnviz.training.job import ENDED, JobAlreadyActive, JobState, TrainingJob

LEASE = timedelta(seconds=10)
"""Time after its last heartbeat at which a worker counts as dead."""
MAX_CRASHES = 3
"""Crashes of workers without progress between them, after which a job has failed."""
PAUSE_LIMIT = timedelta(days=1)
"""Time after which a paused job is stopped."""
QUEUE_LIMIT = timedelta(hours=3)
"""Time after which a job that no worker has claimed is stopped."""


class JobRepository:
    """Repository of training jobs in the database.

    A job is held by one worker at a time, which renews its lease by heartbeats. A client can have
    at most one job that has not ended, the command line any number.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

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
        """Add a job to the queue, or assign it to a worker immediately.

        If the queue exceeds its capacity, the jobs chosen by `fair_share.choose_evicted` are
        stopped.

        Args:
            specification: the specification of the training runs.
            steps: total number of training steps of all run groups.
            environment: software versions and device.
            owner: the client; empty for the command line.
            network: the client's network.
            worker: id of the worker that claims the job immediately, if any.
            capacity: maximum number of clients' queued and paused jobs; None for no limit.

        Raises:
            JobAlreadyActive: the owner has another job that has not ended.
            JobQueueFull: the new job would immediately be stopped.
        """
        row = JobRow(
            id=secrets.token_hex(8),
            owner=owner,
            network=network,
            specification=specification.to_dict(),
            state=JobState.RUNNING if worker else JobState.QUEUED,
            detail="",
            steps=steps,
            done=0,
            train_seconds=0.0,
            steps_per_s=0.0,
            worker=worker,
            environment=dict(environment),
        )
        with self._database.immediate_transaction() as session:
            advisory_lock(session)
            if owner:
                _require_no_active_job(session, owner)
            session.add(row)
            session.flush()
            if capacity is not None:
                for evicted in fair_share.choose_evicted(session, row.id, capacity):
                    updates_any_row(
                        session,
                        update_jobs(
                            JobRow.id == evicted,
                            state=JobState.STOPPED,
                            detail="The queue of trainings was full, and no network had more "
                            "trainings in it than yours, so this one was removed. Ask for it "
                            "again later.",
                        ),
                    )
                _delete_checkpoints_of_ended(session)
            return _to_job(row)

    def list_jobs(self, owner: str | None = None, limit: int | None = None) -> list[TrainingJob]:
        """Return all training jobs, or those of one owner, newest first."""
        query = select(JobRow).order_by(JobRow.created_at.desc()).limit(limit)
        if owner is not None:
            query = query.where(JobRow.owner == owner)
        with self._database.session() as session:
            return [_to_job(row) for row in session.scalars(query)]

    def referenced_files(self) -> set[str]:
        """Return the names of the uploaded files that clients' unfinished jobs train on."""
        unfinished = (JobRow.owner != "", JobRow.state.not_in(ENDED))
        with self._database.session() as session:
            documents = session.scalars(select(JobRow.specification).where(*unfinished))
            return {str(document["file"]) for document in documents if document.get("file")}

    def get(self, job: str) -> TrainingJob | None:
        """Return the job with this id."""
        with self._database.session() as session:
            row = session.get(JobRow, job)
            return _to_job(row) if row else None

    def find(self, prefix: str) -> TrainingJob | None:
        """Return the job whose id begins with a prefix; None if no job or several jobs match."""
        query = select(JobRow).where(JobRow.id.startswith(prefix, autoescape=True)).limit(2)
        with self._database.session() as session:
            rows = list(session.scalars(query))
            return _to_job(rows[0]) if len(rows) == 1 and prefix else None

    def state(self, job: str) -> JobState | None:
        """Return the state of a job, or None if there is no such job."""
        with self._database.session() as session:
            state = session.scalar(select(JobRow.state).where(JobRow.id == job))
        return JobState(state) if state else None

    def transition(
        self, job: str, state: JobState, *, among: Sequence[JobState], detail: str = ""
    ) -> bool:
        """Change a job's state atomically; return False if its state was not one of `among`.

        The worker that holds the job notices the change at its next heartbeat, saves its state and
        releases the job.
        """
        where = (JobRow.id == job, JobRow.state.in_(among))
        with self._database.session() as session:
            changed = updates_any_row(
                session, update_jobs(*where, state=state, detail=detail, crashes=0)
            )
            _delete_checkpoints_of_ended(session)
            return changed

    def claim(self, worker: str, job: str = "") -> TrainingJob | None:
        """Claim a job for a worker: the given job, or the next job in the queue.

        Args:
            worker: id of the worker.
            job: id of a queued or paused job, or of a failed job of the command line. If empty, the
                first job in the queue is claimed, in the order of `fair_share.select_queued`.

        Returns:
            The job, now `running`; None if there is no such job.
        """
        queued = JobRow.state == JobState.QUEUED
        failed = (JobRow.owner == "") & (JobRow.state == JobState.FAILED)
        claimable = queued | (JobRow.state == JobState.PAUSED) | failed if job else queued
        while True:
            with self._database.session() as session:
                chosen = job or session.scalar(fair_share.select_queued().limit(1))
                if not chosen:
                    return None
                claimed = update_jobs(
                    JobRow.id == chosen,
                    claimable,
                    state=JobState.RUNNING,
                    worker=worker,
                    detail="",
                    steps_per_s=0.0,
                    heartbeat_at=now(),
                    slice_start_s=JobRow.train_seconds,
                )
                if updates_any_row(session, claimed):
                    return _to_job(session.get_one(JobRow, chosen))
                if job:
                    return None
                # Another worker was faster: try the next one.

    def heartbeat(self, job: str, worker: str) -> bool:
        """Renew a worker's lease on a job; return False if it has lost the job or must stop."""
        held = (JobRow.id == job, JobRow.worker == worker, JobRow.state == JobState.RUNNING)
        with self._database.session() as session:
            return updates_any_row(session, update_jobs(*held, heartbeat_at=now()))

    def set_environment(self, job: str, worker: str, environment: Mapping[str, Any]) -> None:
        """Record the software versions and the device of the worker that holds a job."""
        held = (JobRow.id == job, JobRow.worker == worker)
        with self._database.session() as session:
            updates_any_row(session, update_jobs(*held, environment=dict(environment)))

    def release(self, job: str, worker: str, state: JobState, detail: str = "") -> None:
        """Release a worker's job; if the job is still `running`, set its state to `state`."""
        with self._database.session() as session:
            held = (JobRow.id == job, JobRow.worker == worker)
            running = (*held, JobRow.state == JobState.RUNNING)
            updates_any_row(session, update_jobs(*running, state=state, detail=detail))
            updates_any_row(session, update_jobs(*held, worker=""))
            _delete_checkpoints_of_ended(session)

    def requeue_dead(self, worker: str = "") -> None:
        """Requeue the jobs of a worker that has died, or of all workers whose lease has expired.

        A client's job is queued again; after `MAX_CRASHES` crashes without progress, it fails. A
        job of the command line is paused.
        """
        dead = JobRow.worker == worker if worker else JobRow.heartbeat_at < now() - LEASE
        failed = JobRow.crashes + 1 >= MAX_CRASHES
        detail = (
            f"The training process crashed {MAX_CRASHES} times without progress. The training may "
            "need more memory than the server has: ask for fewer runs."
        )
        requeued = update_jobs(
            dead,
            JobRow.state == JobState.RUNNING,
            crashes=JobRow.crashes + 1,
            worker="",
            steps_per_s=0.0,
            state=case(
                (failed, JobState.FAILED),
                (JobRow.owner == "", JobState.PAUSED),
                else_=JobState.QUEUED,
            ),
            detail=case((failed, detail), else_=""),
        )
        with self._database.session() as session:
            updates_any_row(session, requeued)
            _delete_checkpoints_of_ended(session)

    def queued(self) -> list[str]:
        """Return the ids of the jobs in the queue, next job first."""
        with self._database.session() as session:
            return list(session.scalars(fair_share.select_queued()))

    def preemptible(self, host_prefix: str, slice_s: float) -> str | None:
        """Return the id of a running job to preempt for the next job in the queue, or None.

        Args:
            host_prefix: prefix of the ids of the workers that may be preempted.
            slice_s: seconds of training after which a job can be preempted.

        Returns:
            The id of a job with more recent usage than the next job in the queue.
        """
        query = (
            select(JobRow.id)
            .where(JobRow.state == JobState.RUNNING)
            .where(JobRow.worker.startswith(host_prefix, autoescape=True))
            .where(JobRow.owner != "", JobRow.train_seconds - JobRow.slice_start_s > slice_s)
            .where(fair_share.is_preemptible())
            .limit(1)
        )
        with self._database.session() as session:
            return session.scalar(query)

    def count_running(self, host_prefix: str) -> int:
        """Return the number of running jobs held by workers whose id has this prefix."""
        on_host = JobRow.worker.startswith(host_prefix, autoescape=True)
        query = select(func.count()).where(JobRow.state == JobState.RUNNING, on_host)
        with self._database.session() as session:
            return session.scalars(query).one()

    def purge(self, before: datetime) -> None:
        """Delete clients' jobs that ended before a time; stop jobs that have waited too long."""
        of_client = JobRow.owner != ""
        limits = (
            (JobState.PAUSED, PAUSE_LIMIT, "It was paused for more than a day."),
            (
                JobState.QUEUED,
                QUEUE_LIMIT,
                "The server did not get to it within three hours. Ask for it again.",
            ),
        )
        with self._database.session() as session:
            ended = (of_client, JobRow.state.in_(ENDED), JobRow.changed_at < before)
            session.execute(delete(JobRow).where(*ended))
            fair_share.purge_usage(session)
            for state, limit, detail in limits:
                overdue = (of_client, JobRow.state == state, JobRow.changed_at < now() - limit)
                stopped = update_jobs(*overdue, state=JobState.STOPPED, detail=detail)
                updates_any_row(session, stopped)
            _delete_checkpoints_of_ended(session)


def update_jobs(*conditions: ColumnElement[bool], **values: Any) -> Any:
    """Return an SQL UPDATE of the jobs that meet all conditions."""
    return update(JobRow).where(*conditions).values(changed_at=now(), **values)


def updates_any_row(session: Session, statement: Any) -> bool:
    """Execute an SQL UPDATE; return whether it changed any row."""
    return session.connection().execute(statement).rowcount > 0


def _delete_checkpoints_of_ended(session: Session) -> None:
    """Delete the checkpoints (which may be large) of clients' jobs that have ended."""
    ended = (JobRow.owner != "", JobRow.worker == "", JobRow.state.in_(ENDED))
    jobs = select(JobRow.id).where(*ended)
    session.execute(delete(CheckpointRow).where(CheckpointRow.job_id.in_(jobs)))


def _require_no_active_job(session: Session, owner: str) -> None:
    """Raise `JobAlreadyActive` if a client has a job that has not ended."""
    active = select(JobRow.id).where(JobRow.owner == owner, JobRow.state.not_in(ENDED))
    if (job := session.scalar(active)) is not None:
        raise JobAlreadyActive(job)


def _to_job(row: JobRow) -> TrainingJob:
    return TrainingJob(
        id=row.id,
        owner=row.owner,
        specification=TrainingSpec.from_dict(row.specification),
        state=JobState(row.state),
        detail=row.detail,
        steps=row.steps,
        done=row.done,
        train_seconds=row.train_seconds,
        steps_per_s=row.steps_per_s,
        worker=row.worker,
        environment=row.environment,
        created_at=_with_time_zone(row.created_at),
        changed_at=_with_time_zone(row.changed_at),
    )


def _with_time_zone(time: datetime) -> datetime:
    """Return a time with its time zone (UTC), which SQLite does not store."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)
