"""Where trainings are kept: jobs, what was measured of them, and how to go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select

from lnviz.database.models import CheckpointRow, JobRow, MetricsRow, TestResultRow, now
from lnviz.training.jobs import Jobs, TrainingJob, record_usage, rows_affected, update_where
from lnviz.training.record import LoggedMetrics, TrainingRecord


@dataclass(frozen=True)
class Chunk:
    """What a group has done since it was kept last.

    Attributes:
        group: its number within the job.
        step: batches learned from so far.
        steps: the steps since it was kept last.
        seconds: seconds that it took.
        points: measured in it.
        state: the state from which the group goes on.
        outcome: how it fared with the test part, if it has ended.
    """

    group: int
    step: int
    steps: int
    seconds: float
    metrics: Sequence[LoggedMetrics]
    state: bytes
    test_result: LoggedMetrics | None = None


class RunRepository(Jobs):
    """Jobs, and what was measured of them.

    What a worker wants to keep after another one has taken its job is not kept.
    """

    def save_chunk(self, job: str, worker: str, stretch: Chunk) -> bool:
        """Keep what a group has done, all of it or nothing; say whether it was.

        Nothing is kept where another worker has the job: a checkpoint must not fall behind the
        points that are kept.
        """
        s = stretch
        change = update_where(
            JobRow.id == job,
            JobRow.worker == worker,
            done=JobRow.done + s.steps,
            trained=JobRow.trained + s.seconds,
            beat=now(),
            **({"ends": 0} if s.steps else {}),
            **({"pace": s.steps / s.seconds} if s.steps and s.seconds else {}),
        )
        with self.session() as session:
            if not rows_affected(session, change):
                return False
            record_usage(session, session.get_one(JobRow, job), s.seconds)
            session.add_all(
                MetricsRow(
                    job_id=job,
                    norm=point.norm,
                    batch_size=point.batch_size,
                    step=point.step,
                    seconds=point.seconds,
                    measured=dict(point.values),
                )
                for point in s.metrics
            )
            place = (CheckpointRow.job_id == job, CheckpointRow.group == s.group)
            session.execute(delete(CheckpointRow).where(*place))
            session.add(
                TestResultRow(
                    job_id=job,
                    norm=s.test_result.norm,
                    batch_size=s.test_result.batch_size,
                    tested=dict(s.test_result.values),
                )
                if s.test_result
                else CheckpointRow(job_id=job, group=s.group, state=s.state)
            )
        return True

    def checkpoint(self, job: str, group: int) -> bytes | None:
        """Return from where a group goes on; None where it has not begun, or has ended."""
        with self.session() as session:
            row = session.get(CheckpointRow, (job, group))
            return row.state if row else None

    def metrics(self, job: str) -> list[LoggedMetrics]:
        """Return what was measured, in order."""
        query = select(MetricsRow).where(MetricsRow.job_id == job).order_by(MetricsRow.id)
        with self.session() as session:
            return [
                LoggedMetrics(r.norm, r.batch_size, r.step, r.seconds, r.measured)
                for r in session.scalars(query)
            ]

    def count_measurements(self, job: str) -> int:
        """Return how many times something was measured, and a group ended."""
        with self.session() as session:
            return sum(
                session.scalar(select(func.count()).select_from(t).where(t.job_id == job)) or 0
                for t in (MetricsRow, TestResultRow)
            )

    def test_results(self, job: str) -> dict[tuple[str, int], Mapping[str, Any]]:
        """Return how the groups that have ended fared with the test part."""
        query = select(TestResultRow).where(TestResultRow.job_id == job).order_by(TestResultRow.id)
        with self.session() as session:
            return {(row.norm, row.batch_size): row.tested for row in session.scalars(query)}

    def record(self, job: TrainingJob) -> TrainingRecord:
        """Return all that is known of a job."""
        points, outcomes = tuple(self.metrics(job.id)), self.test_results(job.id)
        return TrainingRecord(job.specification, job.environment, points, outcomes)
