"""Endpoints that create, list, show and change training jobs."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.database.session import get_database
from lnviz.device import device
from lnviz.errors import RequestError
from lnviz.results.provenance import current_environment
from lnviz.topics.lab import experiments
from lnviz.training.experiment import SpecificationError, TrainingSpec
from lnviz.training.job import JobState
from lnviz.training.job_repository import JobRepository
from lnviz.web.identity import identify_client
from lnviz.web.identity_cookie import ISSUE_BURST
from lnviz.web.jobs.db_threads import run_in_db_thread
from lnviz.web.jobs.documents import find_job, job_document
from lnviz.web.request_body import SMALL_BYTES, parse_json, read_body
from lnviz.web.responses import NO_STORE

MAX_QUEUED = 2 * ISSUE_BURST  # trainings; the new clients of one network fill half of the queue
MAX_STEPS = 200_000  # over all groups of a training: about half an hour
MAX_LISTED = 10  # trainings of a client
JSON = "application/json"
TRANSITIONS = {
    "pause": (JobState.PAUSED, (JobState.QUEUED, JobState.RUNNING)),
    "resume": (JobState.QUEUED, (JobState.PAUSED,)),
    "stop": (JobState.STOPPED, (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)),
}
"""The new state of a training, and the states that it may be in before, by the change."""


async def list_jobs(request: Request) -> Response:
    """`GET /jobs`: list the client's training jobs, newest first."""
    owner = identify_client(request).owner_hash

    def documents() -> list[dict[str, Any]]:
        jobs = JobRepository(get_database()).list_jobs(owner, MAX_LISTED)
        return [job_document(job, owner) for job in jobs]

    return JSONResponse({"jobs": await run_in_db_thread(request, documents)}, headers=NO_STORE)


async def create_job(request: Request) -> Response:
    """`POST /jobs`: queue a training job, which runs in a separate process."""
    client = identify_client(request)
    specification = TrainingSpec.from_dict(await _read_json(request))

    def create() -> Response:
        database = get_database()
        experiment = experiments.resolve_experiment(database, specification)
        experiment.check(specification)
        steps = experiment.total_steps(specification)
        if steps > MAX_STEPS:
            raise SpecificationError(
                f"The runs of all norms and batch sizes take {steps:,} steps, more than "
                f"{MAX_STEPS:,}. Ask for fewer steps, norms or batch sizes. On your own machine, "
                "lnviz train has no such limit."
            )
        job = JobRepository(database).add(
            specification,
            steps,
            current_environment(device()),
            owner=client.owner_hash,
            network=client.network_hash,
            capacity=MAX_QUEUED,
        )
        return JSONResponse(job_document(job, client.owner_hash), 201, NO_STORE)

    return await run_in_db_thread(request, create)


async def get_job(request: Request) -> Response:
    """`GET /jobs/<id>`: return the state of a training job."""
    owner, job_id = identify_client(request).owner_hash, request.path_params["id"]

    def document() -> Response:
        return JSONResponse(job_document(find_job(job_id), owner), headers=NO_STORE)

    return await run_in_db_thread(request, document)


async def change_job(request: Request) -> Response:
    """`POST /jobs/<id>/pause`, `resume` and `stop`: change the state of the client's job."""
    owner, job_id = identify_client(request).owner_hash, request.path_params["id"]
    transition = TRANSITIONS.get(request.path_params["change"])
    if transition is None:
        known = ", ".join(TRANSITIONS)
        raise RequestError(f"The command for a training must be one of {known}.", 404)
    async with read_body(request, SMALL_BYTES):
        pass
    state, among = transition

    def change() -> Response:
        job, jobs = find_job(job_id), JobRepository(get_database())
        if job.owner != owner:
            raise RequestError(
                "This training was started in another browser. You can watch it here, but only "
                "change it there.",
                403,
            )
        if not jobs.transition(job.id, state, among=among):
            raise RequestError(f"This training is {jobs.state(job.id)}. Check its state first.")
        return JSONResponse(job_document(find_job(job_id), owner), headers=NO_STORE)

    return await run_in_db_thread(request, change)


async def _read_json(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0].strip() != JSON:
        raise RequestError(f"A training request must be JSON: {JSON}.", 415)
    async with read_body(request, SMALL_BYTES) as raw:
        try:
            return parse_json(raw)
        except ValueError as error:
            raise SpecificationError(f"A training request must be JSON. {error}") from error
