"""Files that visitors' trainings learn from, kept with the jobs by the hash of their content."""

from __future__ import annotations

import hashlib

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lnviz.training import room
from lnviz.training.database import in_turn
from lnviz.training.jobs import OVER
from lnviz.training.store import Store
from lnviz.training.tables import FileRow, HolderRow, now


def put(store: Store, content: bytes, owner: str, address: str = "") -> str:
    """Keep a file, in place of what this visitor had before and no unfinished job learns from.

    What a class brings thirty times is kept once.

    Args:
        store: where.
        content: of the file.
        owner: the visitor whose it is; empty for the command line's, which are all kept.
        address: from where it comes. A visitor's name can be made up, an address hardly: from one
            of them comes half of all at most.

    Returns:
        Its name: the SHA-256 of the content, in hex.

    Raises:
        NoRoom: others have filled the room that there is, or that this address has.
    """
    name = hashlib.sha256(content).hexdigest()
    needed = _needed(store)
    with store.session() as session:
        in_turn(session)
        _drop(session, needed, owner)
        if session.scalar(select(FileRow.hash).where(FileRow.hash == name)) is None:
            where = room.hashed(address) if owner else ""
            row = FileRow(hash=name, address=where, size=len(content), content=content)
            if owner:
                room.check(session, row, "files")
            session.add(row)
            session.flush()  # before who has it
        session.merge(HolderRow(hash=name, owner=owner, created=now()))
    return name


def get(store: Store, name: str) -> bytes | None:
    """Return the content of a file; None where it is not kept any more."""
    query = select(FileRow.content).where(FileRow.hash == name)
    with store.session() as session:
        return session.scalar(query)


def tidy(store: Store) -> None:
    """Drop what has been kept for long enough."""
    needed = _needed(store)
    with store.session() as session:
        in_turn(session)
        _drop(session, needed)


def _needed(store: Store) -> set[str]:
    """Of which files visitors' unfinished jobs learn."""
    jobs = store.jobs()
    return {str(job.specification.file) for job in jobs if job.owner and job.state not in OVER}


def _drop(session: Session, needed: set[str], owner: str = "") -> None:
    """Forget what this visitor has, and all whose time is over; drop what nobody has any more."""
    old = (HolderRow.owner == owner) | (HolderRow.created < now() - room.KEPT)
    unused = HolderRow.hash.not_in(needed)
    session.execute(delete(HolderRow).where(HolderRow.owner != "", old, unused))
    session.execute(delete(FileRow).where(FileRow.hash.not_in(select(HolderRow.hash))))
