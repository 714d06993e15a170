"""HTTP API `/jobs` for users' training jobs."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from lnviz.web.assets import base_path
from lnviz.web.jobs.endpoints import change_job, create_job, get_job, list_jobs
from lnviz.web.jobs.files import MEDIA_TYPES, export_job, upload_file


def routes() -> list[BaseRoute]:
    """Return all routes of the training jobs API, below `server.baseUrlPath`."""
    root = base_path() + "/jobs"
    return [
        Route(root, list_jobs, methods=["GET"]),
        Route(root, create_job, methods=["POST"]),
        Route(root + "/files", upload_file, methods=["POST"]),
        *(Route(root + "/{id}" + suffix, export_job) for suffix in MEDIA_TYPES),
        Route(root + "/{id}", get_job, methods=["GET"]),
        Route(root + "/{id}/{change}", change_job, methods=["POST"]),
    ]
