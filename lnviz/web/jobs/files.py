"""Endpoints for files of training jobs: uploads of training data, and exports of measurements."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.database import uploads
from lnviz.database.session import get_database
from lnviz.database.uploads import FILES
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.experiment import SpecificationError
from lnviz.training.export import encode
from lnviz.training.job_repository import JobRepository
from lnviz.training.run_repository import RunRepository
from lnviz.web.identity import identify_client
from lnviz.web.jobs.db_threads import run_in_db_thread
from lnviz.web.jobs.documents import find_job
from lnviz.web.request_body import read_body
from lnviz.web.responses import NO_STORE

MEDIA_TYPES = {".csv": "text/csv; charset=utf-8", ".parquet": "application/vnd.apache.parquet"}


async def upload_file(request: Request) -> Response:
    """`POST /jobs/files?experiment=`: store a data file for the client's training jobs."""
    client = identify_client(request)
    experiment = EXPERIMENTS.get(request.query_params.get("experiment", ""))
    if experiment is None:
        raise SpecificationError(
            f"The address must name an experiment, as in ?experiment={next(iter(EXPERIMENTS))}."
        )
    async with read_body(request) as raw:

        def store_file() -> str:
            experiment.with_file(raw)  # raises an error for a file that cannot be parsed
            database = get_database()
            referenced = JobRepository(database).referenced_files()
            return uploads.put_upload(
                database, FILES, raw, client.owner_hash, client.network_hash, referenced
            )

        return JSONResponse({"file": await run_in_db_thread(request, store_file)}, 201, NO_STORE)


async def export_job(request: Request) -> Response:
    """`GET /jobs/<id>.csv` and `.parquet`: return all measurements of a training job as a table."""
    suffix = "." + request.url.path.rpartition(".")[2]

    def export() -> Response:
        job = find_job(request.path_params["id"])
        disposition = f'attachment; filename="runs-{job.id}{suffix}"'
        return Response(
            encode(RunRepository(get_database()).record(job), suffix),
            media_type=MEDIA_TYPES[suffix],
            headers=NO_STORE | {"Content-Disposition": disposition},
        )

    return await run_in_db_thread(request, export)
