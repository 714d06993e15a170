"""Room for what visitors bring: for a while, so much in all, and half of it from one address."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lnviz.training.tables import FileRow, UploadRow

KEPT = timedelta(days=7)
ROOM_BYTES = 2**30  # from one address, of each kind
MOST_BYTES = 2 * ROOM_BYTES


class NoRoom(RuntimeError):
    """As much is kept as may be."""


def check(session: Session, row: FileRow | UploadRow, what: str) -> None:
    """Check whether there is room for a row that is not kept yet.

    Args:
        session: in which it is to be added.
        row: of which the size and the address count.
        what: rows of this kind are, in the plural.

    Raises:
        NoRoom: others have filled the room that there is, or that this address has.
    """
    rows = type(row)
    kept = select(func.coalesce(func.sum(rows.size), 0)).where(rows.address != "")
    here = kept.where(rows.address == row.address)
    for most, query in ((ROOM_BYTES, here), (MOST_BYTES, kept)):
        if session.scalars(query).one() + row.size > most:
            raise NoRoom(
                f"The server keeps as many {what} for its visitors as it may. Try again tomorrow."
            )


def hashed(text: str) -> str:
    """Return what is kept of a name or an address."""
    return hashlib.sha256(text.encode()).hexdigest()
