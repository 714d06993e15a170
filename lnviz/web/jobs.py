"""`/jobs`: trainings that visitors ask for, watch, and find again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from lnviz.database import uploads
from lnviz.database.session import get_database
from lnviz.database.uploads import FILES
from lnviz.device import device
from lnviz.errors import RequestError
from lnviz.norms import CATALOGUE
from lnviz.results.provenance import current_environment
from lnviz.topics.lab import EXPERIMENTS, experiments
from lnviz.training.experiment import SpecificationError, TrainingSpec
from lnviz.training.export import encode
from lnviz.training.job import ENDED, JobAlreadyActive, JobState, TrainingJob
from lnviz.training.job_repository import JobRepository
from lnviz.training.run_repository import RunRepository
from lnviz.web.assets import base_path
from lnviz.web.errors import answering
from lnviz.web.fair_queue import FairSemaphore, QueueFull
from lnviz.web.identity import identify_client
from lnviz.web.identity_cookie import ISSUE_BURST
from lnviz.web.request_body import SMALL_BYTES, read_body
from lnviz.web.responses import NO_STORE

MAX_QUEUED = 2 * ISSUE_BURST
"""Trainings that may wait: one for each new id of a network takes half of them."""

MAX_STEPS = 200_000  # of all groups of a training: half an hour or so
MAX_LISTED = 10  # trainings of a visitor
MAX_WAITING = 2 * ISSUE_BURST  # for the database
DB_THREADS = FairSemaphore(4, MAX_WAITING)
"""How many ask the database at once: what waits for it must not take all threads."""
JSON = "application/json"
MEDIA_TYPES = {".csv": "text/csv; charset=utf-8", ".parquet": "application/vnd.apache.parquet"}
TRANSITIONS = {
    "pause": (JobState.PAUSED, (JobState.QUEUED, JobState.RUNNING)),
    "resume": (JobState.QUEUED, (JobState.PAUSED,)),
    "stop": (JobState.STOPPED, (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)),
}

T = TypeVar("T")


def routes() -> list[BaseRoute]:
    """Return all routes, below `server.baseUrlPath`."""
    at = base_path() + "/jobs"
    return [
        Route(at, answering(list_jobs), methods=["GET"]),
        Route(at, answering(create_job), methods=["POST"]),
        Route(at + "/files", answering(upload_file), methods=["POST"]),
        *(Route(at + "/{id}" + ending, answering(export_job)) for ending in MEDIA_TYPES),
        Route(at + "/{id}", answering(get_job), methods=["GET"]),
        Route(at + "/{id}/{change}", answering(change_job), methods=["POST"]),
    ]


async def list_jobs(request: Request) -> Response:
    """`GET /jobs`: this visitor's trainings, the latest first."""
    who = identify_client(request).owner_hash

    def listed() -> list[dict[str, Any]]:
        return [
            job_document(job, who)
            for job in JobRepository(get_database()).list_jobs(who, MAX_LISTED)
        ]

    return JSONResponse({"jobs": await run_in_db_thread(request, listed)}, headers=NO_STORE)


async def create_job(request: Request) -> Response:
    """`POST /jobs`: have a specification run, in a process of its own, when its turn comes."""
    who = identify_client(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != JSON:
        raise RequestError(f"A training is asked for in JSON, as {JSON}.", 415)
    try:
        async with read_body(request, SMALL_BYTES) as raw:
            specification = TrainingSpec.from_dict(json.loads(raw))
    except (ValueError, RecursionError) as error:
        raise SpecificationError(f"A training is asked for in JSON. {error}") from error

    def begun() -> Response:
        database = get_database()
        jobs = JobRepository(database)
        experiment = experiments.resolve_experiment(database, specification)
        experiment.check(specification)
        of_all = experiment.total_steps(specification)
        if of_all > MAX_STEPS:
            raise SpecificationError(
                f"The runs of all norms and batch sizes take {of_all:,} steps, more than "
                f"{MAX_STEPS:,}. Ask for fewer steps, norms or batch sizes; lnviz train on a "
                "machine of your own takes any number."
            )
        made_with = current_environment(device())
        try:
            job = jobs.add(
                *(specification, of_all, made_with),
                owner=who.owner_hash,
                network=who.network_hash,
                capacity=MAX_QUEUED,
            )
        except JobAlreadyActive as error:
            other = next(
                (job.id for job in jobs.list_jobs(who.owner_hash) if job.state not in ENDED), ""
            )
            raise RequestError(str(error), 409, id=other) from error
        return JSONResponse(job_document(job, who.owner_hash), 201, NO_STORE)

    return await run_in_db_thread(request, begun)


async def upload_file(request: Request) -> Response:
    """`POST /jobs/files?experiment=`: a file that the visitor's trainings learn from."""
    who = identify_client(request)
    experiment = EXPERIMENTS.get(request.query_params.get("experiment", ""))
    if experiment is None:
        raise SpecificationError(
            f"The address must name an experiment, as in ?experiment={next(iter(EXPERIMENTS))}."
        )
    async with read_body(request) as raw:

        def kept() -> str:
            experiment.with_file(raw)  # what cannot be read is not kept
            database = get_database()
            referenced = JobRepository(database).referenced_files()
            return uploads.put(database, FILES, raw, who.owner_hash, who.network_hash, referenced)

        return JSONResponse({"file": await run_in_db_thread(request, kept)}, 201, NO_STORE)


async def get_job(request: Request) -> Response:
    """`GET /jobs/<id>`: how a training stands."""
    who, name = identify_client(request).owner_hash, request.path_params["id"]

    def answer() -> Response:
        return JSONResponse(job_document(find_job(name), who), headers=NO_STORE)

    return await run_in_db_thread(request, answer)


async def change_job(request: Request) -> Response:
    """`POST /jobs/<id>/pause`, `resume` and `stop`: by whoever has asked for the training."""
    who, name = identify_client(request).owner_hash, request.path_params["id"]
    wanted = TRANSITIONS.get(request.path_params["change"])
    if wanted is None:
        raise RequestError(f"A training can be changed by {', '.join(TRANSITIONS)}.", 404)
    async with read_body(request, SMALL_BYTES):
        pass
    state, among = wanted

    def changed() -> Response:
        job, jobs = find_job(name), JobRepository(get_database())
        if job.owner != who:
            raise RequestError(
                "This training was started in another browser. It can be watched here, and "
                "changed there.",
                403,
            )
        if not jobs.transition(job.id, state, among=among):
            raise RequestError(f"This training is {jobs.state(job.id)}. Look how it stands.")
        return JSONResponse(job_document(find_job(name), who), headers=NO_STORE)

    return await run_in_db_thread(request, changed)


async def export_job(request: Request) -> Response:
    """`GET /jobs/<id>.csv` and `.parquet`: all that was measured."""
    ending = "." + request.url.path.rpartition(".")[2]

    def measured() -> Response:
        job = find_job(request.path_params["id"])
        file = f'attachment; filename="runs-{job.id}{ending}"'
        return Response(
            encode(RunRepository(get_database()).record(job), ending),
            media_type=MEDIA_TYPES[ending],
            headers=NO_STORE | {"Content-Disposition": file},
        )

    return await run_in_db_thread(request, measured)


async def run_in_db_thread(request: Request, work: Callable[[], T]) -> T:
    """What the database says, which the event loop does not wait for; visitors take turns."""
    try:
        async with DB_THREADS.acquire(identify_client(request)):
            return await to_thread.run_sync(work)
    except QueueFull:
        raise RequestError("Others ask much, too. Try again in 5 seconds.", 503, 5) from None


def find_job(name: str) -> TrainingJob:
    """Return a job by its id."""
    job = JobRepository(get_database()).get(name)
    if job is None:
        raise RequestError(
            "There is no training of this name. One that has ended is kept for 30 days. Start "
            "another one.",
            404,
        )
    return job


def job_document(job: TrainingJob, who: str) -> dict[str, Any]:
    """`Status` of `trainer.js`."""
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
        "mine": job.owner == who,
        "title": _title(job.specification),
        "created": job.created_at.isoformat(),
    }


def _title(s: TrainingSpec) -> str:
    known = EXPERIMENTS.get(s.experiment)
    seeds = f"{len(s.seeds)} seed" + "s" * (len(s.seeds) > 1)
    sizes = ", ".join(map(str, s.batch_sizes))
    return f"{known.label if known else s.experiment}: {_norms(s)}; batches of {sizes}; {seeds}"


def _norms(s: TrainingSpec) -> str:
    return ", ".join(CATALOGUE[norm].label if norm in CATALOGUE else norm for norm in s.norms)
