"""Training jobs as JSON data for the browser."""

from __future__ import annotations

from typing import Any

from lnviz.database.session import get_database
from lnviz.errors import RequestError
from lnviz.norms import CATALOGUE
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.settings import describe_settings
from lnviz.training.experiment import TrainingSpec
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.job_repository import JobRepository
from lnviz.training.run_repository import RunRepository


def find_job(job_id: str) -> TrainingJob:
    """Return the training job with this id.

    Raises:
        RequestError: There is no such job.
    """
    job = JobRepository(get_database()).get(job_id)
    if job is None:
        raise RequestError(
            "There is no training with this name. Finished trainings are kept for 30 days. Start "
            "a new one.",
            404,
        )
    return job


def job_document(job: TrainingJob, owner_hash: str) -> dict[str, Any]:
    """Return a training job as JSON data: the type `JobStatus` of the page's scripts.

    Args:
        job: The training job.
        owner_hash: The requesting client's `owner_hash`.
    """
    runs, running = RunRepository(get_database()), job.state is JobState.RUNNING
    pace = job.steps_per_s if running and job.steps_per_s else None
    waiting = runs.jobs.queued() if job.state is JobState.QUEUED else []
    return {
        "id": job.id,
        "state": job.state,
        "detail": job.detail,
        "steps": job.steps,
        "done": job.done,
        "pace": pace,
        "left": (job.steps - job.done) / pace if pace else None,
        "ahead": waiting.index(job.id) if job.id in waiting else None,
        "points": runs.count_measurements(job.id),
        "mine": job.owner == owner_hash,
        "title": _title(job.specification),
        "created": job.created_at.isoformat(),
    }


def _title(s: TrainingSpec) -> str:
    experiment = EXPERIMENTS.get(s.experiment)
    seeds = f"{len(s.seeds)} seed" + "s" * (len(s.seeds) > 1)
    sizes = ", ".join(map(str, s.batch_sizes))
    label = experiment.label if experiment else s.experiment
    settings = describe_settings(experiment, s) if experiment else ""
    parts = (*filter(None, [settings]), _norms(s), f"batches of {sizes}", seeds)
    return f"{label}: {'; '.join(parts)}"


def _norms(s: TrainingSpec) -> str:
    return ", ".join(CATALOGUE[norm].label if norm in CATALOGUE else norm for norm in s.norms)
