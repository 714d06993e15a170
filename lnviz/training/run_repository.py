"""Repository of training results in the database: metrics, test results and checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, select

from lnviz.database.connection import Database
from lnviz.database.models import CheckpointRow, JobRow, MetricsRow, TestResultRow, now
from lnviz.database.session import get_database
from lnviz.training.chunks import Chunk
from lnviz.training.fair_share import record_usage
from lnviz.training.job import TrainingJob
from lnviz.training.job_repository import JobRepository, update_jobs, updates_any_row
from lnviz.training.record import LoggedMetrics, TrainingRecord


class RunRepository:
    """Repository of the metrics, test results and checkpoints of training jobs.

    Args:
        database: the database.

    Attributes:
        database: the database.
        jobs: the repository of the jobs.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.jobs = JobRepository(database)

    def save_chunk(self, job: str, worker: str, chunk: Chunk) -> bool:
        """Save a chunk of training in one transaction; return False if the worker has lost the job.

        In that case nothing is saved, since another worker has continued from the last checkpoint.
        """
        changes: dict[str, Any] = {
            "done": JobRow.done + chunk.steps,
            "train_seconds": JobRow.train_seconds + chunk.seconds,
            "heartbeat_at": now(),
        }
        if chunk.steps:
            changes["crashes"] = 0
            if chunk.seconds:
                changes["steps_per_s"] = chunk.steps / chunk.seconds
        held = update_jobs(JobRow.id == job, JobRow.worker == worker, **changes)
        with self.database.session() as session:
            if not updates_any_row(session, held):
                return False
            record_usage(session, session.get_one(JobRow, job), chunk.seconds)
            session.add_all(
                MetricsRow(
                    job_id=job,
                    norm=metrics.norm,
                    batch_size=metrics.batch_size,
                    step=metrics.step,
                    seconds=metrics.seconds,
                    values=dict(metrics.values),
                )
                for metrics in chunk.metrics
            )
            checkpoint = (CheckpointRow.job_id == job, CheckpointRow.group == chunk.group)
            session.execute(delete(CheckpointRow).where(*checkpoint))
            session.add(
                TestResultRow(
                    job_id=job,
                    norm=chunk.test_result.norm,
                    batch_size=chunk.test_result.batch_size,
                    values=dict(chunk.test_result.values),
                )
                if chunk.test_result
                else CheckpointRow(job_id=job, group=chunk.group, state=chunk.state)
            )
        return True

    def checkpoint(self, job: str, group: int) -> bytes | None:
        """Return the checkpoint of a run group; None if the group has not begun or has ended."""
        with self.database.session() as session:
            row = session.get(CheckpointRow, (job, group))
            return row.state if row else None

    def metrics(self, job: str) -> list[LoggedMetrics]:
        """Return the metrics of a job in the order in which they were measured."""
        query = select(MetricsRow).where(MetricsRow.job_id == job).order_by(MetricsRow.id)
        with self.database.session() as session:
            return [
                LoggedMetrics(row.norm, row.batch_size, row.step, row.seconds, row.values)
                for row in session.scalars(query)
            ]

    def count_measurements(self, job: str) -> int:
        """Return the number of stored metrics and test results of a job, to detect new ones."""
        with self.database.session() as session:
            return sum(
                session.scalars(select(func.count()).where(table.job_id == job)).one()
                for table in (MetricsRow, TestResultRow)
            )

    def test_results(self, job: str) -> dict[tuple[str, int], Mapping[str, Any]]:
        """Return the test results of completed run groups, by norm and batch size."""
        query = select(TestResultRow).where(TestResultRow.job_id == job).order_by(TestResultRow.id)
        with self.database.session() as session:
            return {(row.norm, row.batch_size): row.values for row in session.scalars(query)}

    def record(self, job: TrainingJob) -> TrainingRecord:
        """Return the training record of a job: all its metrics and test results."""
        metrics, test_results = tuple(self.metrics(job.id)), self.test_results(job.id)
        return TrainingRecord(job.specification, job.environment, metrics, test_results)


def find_record(job: str) -> TrainingRecord | None:
    """Return the training record of a job in the app's database; None if there is no such job."""
    runs = RunRepository(get_database())
    row = runs.jobs.get(job)
    return runs.record(row) if row else None
