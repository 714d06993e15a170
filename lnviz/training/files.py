"""Files that visitors' trainings learn from, kept with the jobs by the hash of their content."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from sqlalchemy import delete, func, select

from lnviz.training.jobs import OVER
from lnviz.training.store import Store
from lnviz.training.tables import FileRow, now

KEPT = timedelta(days=7)
MOST = 40  # files in all: 20 MB each at most


class NoRoom(RuntimeError):
    """As many files are kept as may be."""


def put(store: Store, content: bytes, owner: str) -> str:
    """Keep a file, in place of what this visitor had before and no unfinished job learns from.

    Args:
        store: where.
        content: of the file.
        owner: the visitor whose it is; empty for the command line's, which are all kept.

    Returns:
        Its name: the SHA-256 of the content, in hex.

    Raises:
        NoRoom: too many are kept already.
    """
    name = hashlib.sha256(content).hexdigest()
    if not owner and get(store, name) is not None:
        return name
    needed = {
        str(job.specification.file) for job in store.jobs() if job.owner and job.state not in OVER
    }
    with store.session() as session:
        old = (FileRow.owner == owner) | (FileRow.created < now() - KEPT)
        unused = FileRow.hash.not_in(needed)
        session.execute(delete(FileRow).where(FileRow.owner != "", old, unused))
        session.execute(delete(FileRow).where(FileRow.owner == owner, FileRow.hash == name))
        visitors = select(func.count()).select_from(FileRow).where(FileRow.owner != "")
        if owner and (session.scalar(visitors) or 0) >= MOST:
            raise NoRoom(
                f"The server keeps {MOST} files for its visitors already, as many as it may. "
                "Try again tomorrow."
            )
        session.add(FileRow(hash=name, owner=owner, content=content))
    return name


def get(store: Store, name: str) -> bytes | None:
    """Return the content of a file; None where it is not kept any more."""
    query = select(FileRow.content).where(FileRow.hash == name).limit(1)
    with store.session() as session:
        return session.scalar(query)
