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
    """As much is kept as may be.

    Its answer names no time to try again: room comes in days, and a page that is told to wait
    would ask again every minute, in vain, instead of giving up.
    """


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
    for most, query, whose in (
        (ROOM_BYTES, here, "from your address"),
        (MOST_BYTES, kept, "for its visitors"),
    ):
        if session.scalars(query).one() + row.size > most:
            raise NoRoom(
                f"The server keeps as many {what} {whose} as it may, each for {KEPT.days} days. "
                "Send a smaller one, or try again when the oldest are gone."
            )


def hashed(text: str) -> str:
    """Return what is kept of a name or an address."""
    return hashlib.sha256(text.encode()).hexdigest()
