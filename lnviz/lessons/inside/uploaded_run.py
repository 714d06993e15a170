"""Runs that visitors bring: read without trust, kept for a while, shown by the lesson."""

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
"""How a parameter begins that names a visitor's run."""


def read(name: str, raw: bytes) -> Run:
    """Return the run that a visitor's file holds. Nothing is unpickled.

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
            f"{file} is no run that this page can read. Save it again: "
            'watched.save("run.lnviz"), with the version of lnviz that this server has.'
        ) from error
    if not run.norms:
        raise UploadError(
            f"{file} has no norm in it. Call the model inside the block: "
            "with lnviz.watch(model) as watched: model(batch)."
        )
    return run


def keep(raw: bytes, owner: str, address: str) -> str:
    """Keep a run that `read` has read, and return the parameter that shows it.

    Args:
        raw: the content of the file.
        owner: the visitor.
        address: the address that it comes from.

    Raises:
        QuotaExceeded: as `uploads.put`.
        StoreError: it cannot be kept now.
    """
    # Here, since a figure without an upload needs no SQLAlchemy.
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    return KEPT + uploads.put(get_database(), uploads.RUNS, raw, owner, address)


def own(parameter: str, instead: str) -> Run:
    """Return the run that a parameter names.

    Args:
        parameter: what `keep` returned, or anything a visitor has written in its place.
        instead: the parameter to show where it is no longer kept.

    Raises:
        Gone: it is no longer kept.
        StoreError: what is kept cannot be read now.
    """
    from lnviz.database import uploads
    from lnviz.database.session import get_database

    content = uploads.get(get_database(), uploads.RUNS, parameter.removeprefix(KEPT))
    if content is None:
        raise ExpiredDataError(
            "The server no longer keeps this run. Upload it again to see it.", {"run": instead}
        )
    return _parsed(content)


@lru_cache(maxsize=4)
def _parsed(content: bytes) -> Run:
    return parse_run(io.BytesIO(content), "a run")
