"""Recordings of `lnviz.watch` uploaded by visitors: parsed without pickle, stored and loaded."""

from __future__ import annotations

import io
from functools import lru_cache

from lnviz.data.uploads import UploadError
from lnviz.data.uploads.requirements import require_max_bytes, sanitize
from lnviz.data.uploads.zip_limits import require_numeric_archive
from lnviz.diagnostics import Run
from lnviz.diagnostics.runs import parse_run
from lnviz.explorable import ExpiredDataError

ENDING = ".lnviz"
KEPT = "run."
"""The prefix of a figure parameter that names a visitor's stored run."""


def parse_named_run(name: str, raw: bytes) -> Run:
    """Return the recorded run in an uploaded file, without unpickling anything.

    Args:
        name: the name of the file.
        raw: its content.

    Raises:
        UploadError: it is no run, or too large; the message says what to do.
    """
    file = f'"{sanitize(name)}"'
    if not raw:
        raise UploadError(f"{file} is empty (0 bytes). Save the run again: watched.save(...).")
    require_max_bytes(
        f"{file} has",
        len(raw),
        f"Watch fewer passes, or open it on your own machine: lnviz show {file} --open",
    )
    try:
        require_numeric_archive(file, raw)
        run = parse_run(io.BytesIO(raw), file)
    except ValueError as error:
        raise UploadError(
            f"{file} is not a run that this page can read. Save it again with this server’s "
            'version of lnviz: watched.save("run.lnviz").'
        ) from error
    if not run.norms:
        raise UploadError(
            f"{file} contains no norm. Call the model inside the block: "
            "with lnviz.watch(model) as watched: model(batch)."
        )
    return run


def store_run(raw: bytes, owner: str, address: str) -> str:
    """Store a run that `parse_named_run` accepts; return the `run` parameter that refers to it.

    Args:
        raw: the content of the file.
        owner: the hash of the visitor's id.
        address: the hash of the visitor's network.

    Raises:
        QuotaExceeded: as `uploads.put_upload`.
        StoreError: the database cannot be used now.
    """
    # Here, since a figure without an upload needs no SQLAlchemy.
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    return KEPT + uploads.put_upload(get_database(), uploads.RUNS, raw, owner, address)


def load_run(parameter: str, instead: str) -> Run:
    """Return the recorded run that a figure parameter names.

    Args:
        parameter: the result of `store_run`, or any text from a URL.
        instead: the parameter that errors offer in its place.

    Raises:
        ExpiredDataError: the run has been deleted.
        StoreError: the database cannot be used now.
    """
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    content = uploads.get_upload(get_database(), uploads.RUNS, parameter.removeprefix(KEPT))
    if content is None:
        raise ExpiredDataError(
            "The server no longer keeps this run. Upload it again to see it.", {"run": instead}
        )
    return _parsed(content)


@lru_cache(maxsize=4)
def _parsed(content: bytes) -> Run:
    return parse_run(io.BytesIO(content), "a run")
