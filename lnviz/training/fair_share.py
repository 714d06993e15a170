"""Fair sharing of training time: order of the queue, preemption and eviction of jobs.

A client is an owner within a network. The queue and preemption compare recent usage, the seconds of
training within the last hour: first of networks, then of owners within a network. Eviction compares
the numbers of waiting jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, delete, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, aliased

from lnviz.database.models import JobRow, UsageRow, now
from lnviz.training.job import JobQueueFull, JobState
from lnviz.usage import eviction_order

USAGE_WINDOW = timedelta(hours=1)
SLOT_S = 600
"""Length of a time slot; usage is summed by slots."""

NETWORK_PREFIX = "at "
"""Marks a network in the column of owners."""

_WINDOW_SLOTS = int(USAGE_WINDOW.total_seconds()) // SLOT_S
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""By dialect: standard SQL has no upsert."""


def record_usage(session: Session, job: JobRow, seconds: float) -> None:
    """Add seconds of training to the recorded usage of a job's owner and of its network."""
    insert = _INSERT[session.get_bind().dialect.name]
    for client in (job.owner, f"{NETWORK_PREFIX}{job.network}"):
        # One statement: workers of several jobs of a network update the same row.
        row = insert(UsageRow).values(client=client, slot=_current_slot(), seconds=seconds)
        session.execute(
            row.on_conflict_do_update(
                index_elements=[UsageRow.client, UsageRow.slot],
                set_={"seconds": UsageRow.seconds + seconds},
            )
        )


def purge_usage(session: Session) -> None:
    """Delete recorded usage that is too old to affect the queue."""
    session.execute(delete(UsageRow).where(UsageRow.slot < _current_slot() - _WINDOW_SLOTS))


def select_queued() -> Select[str]:
    """Return an SQL query for the ids of clients' queued jobs, least recent usage first."""
    order = (network_usage(JobRow.network), owner_usage(JobRow.owner), JobRow.created_at)
    queued = (JobRow.state == JobState.QUEUED, JobRow.owner != "")
    return select(JobRow.id).where(*queued).order_by(*order)


def is_preemptible() -> ColumnElement[bool]:
    """Return the SQL condition for jobs with more recent usage than the next job in the queue.

    The networks' usage is compared or, for jobs of the same network, the owners' usage.
    """
    next_job = aliased(JobRow)
    is_next = next_job.id == select_queued().limit(1).scalar_subquery()
    network, by_owner, by_network = (
        select(column).where(is_next).scalar_subquery()
        for column in (
            next_job.network,
            owner_usage(next_job.owner),
            network_usage(next_job.network),
        )
    )
    elsewhere = (JobRow.network != network) & (network_usage(JobRow.network) > by_network)
    same_network = (JobRow.network == network) & (owner_usage(JobRow.owner) > by_owner)
    return elsewhere | same_network


def choose_evicted(session: Session, new: str, capacity: int) -> Sequence[str]:
    """Choose queued or paused jobs to stop, so that no more than `capacity` jobs wait.

    Jobs are chosen one by one: each is the newest waiting job of the network that then has the most
    waiting jobs. Paused jobs count as waiting, so that they can always be resumed.

    Args:
        session: an open transaction.
        new: id of the job that was just added.
        capacity: maximum number of waiting jobs.

    Raises:
        JobQueueFull: the new job would be stopped.
    """
    waiting = (JobRow.owner != "", JobRow.state.in_((JobState.QUEUED, JobState.PAUSED)))
    newest_first = ((JobRow.id == new).desc(), JobRow.created_at.desc())
    query = select(JobRow.id, JobRow.network, JobRow.owner).where(*waiting).order_by(*newest_first)
    jobs = session.execute(query).all()
    surplus = max(0, len(jobs) - capacity)
    order = eviction_order(jobs, lambda job: (job.network, job.owner))
    evicted = [job.id for job in islice(order, surplus)]
    if new in evicted:
        raise JobQueueFull(
            f"The queue is full: {capacity} trainings are waiting. Ask again in a minute."
        )
    return evicted


def network_usage(network: Any) -> ScalarSelect[Any]:
    """Return an SQL expression for a network's recent usage, in seconds of training."""
    return owner_usage(literal(NETWORK_PREFIX).concat(network))


def owner_usage(owner: Any) -> ScalarSelect[Any]:
    """Return an SQL expression for an owner's recent usage, in seconds of training."""
    recent = UsageRow.slot >= _current_slot() - _WINDOW_SLOTS
    query = select(func.coalesce(func.sum(UsageRow.seconds), 0.0))
    return query.where(UsageRow.client == owner, recent).scalar_subquery()


def _current_slot() -> int:
    return int(now().timestamp()) // SLOT_S
