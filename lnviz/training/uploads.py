"""Tables that visitors bring for figures, kept with the jobs: every process finds them there."""

from __future__ import annotations

import json
import secrets

import numpy as np
import torch
from sqlalchemy import ColumnElement, delete, select

from lnviz.data.uploads import Table
from lnviz.training import room
from lnviz.training.database import in_turn
from lnviz.training.store import Store
from lnviz.training.tables import UploadRow, now

OWN_TABLES = 16  # of a visitor at most
OWN_BYTES = 16 * 2**20  # of them together: the largest table has 4 MB, and names besides


def put(store: Store, table: Table, owner: str, address: str) -> str:
    """Keep a table; the oldest of the same visitor go where they are too many or too large.

    Args:
        store: where.
        table: as an upload has it, of a million cells at most.
        owner: the visitor whose it is.
        address: from where it comes. A visitor's name can be made up, an address hardly: from one
            of them comes half of all at most.

    Returns:
        A name to get it by, which cannot be guessed: 43 characters that are safe in an address of
        the web. The store has its hash alone: who reads there opens no table by it.

    Raises:
        NoRoom: others have filled the room that there is, or that this address has.
    """
    name = secrets.token_urlsafe(32)
    content = table.values.cpu().numpy().astype("<f4").tobytes()
    names = {"rows": table.rows, "columns": table.columns}
    row = UploadRow(
        hash=room.hashed(name),
        owner=owner,
        address=room.hashed(address),
        size=len(content) + len(json.dumps(names)),
        width=table.values.shape[1],
        content=content,
        names=names,
    )
    with store.session() as session:
        in_turn(session)
        session.execute(delete(UploadRow).where(_late()))
        own = select(UploadRow.hash, UploadRow.size).where(UploadRow.owner == owner)
        count, size, gone = 1, row.size, []
        for each in session.execute(own.order_by(UploadRow.created.desc())):
            count, size = count + 1, size + each.size
            if count > OWN_TABLES or size > OWN_BYTES:
                gone.append(each.hash)
        session.execute(delete(UploadRow).where(UploadRow.hash.in_(gone)))
        room.check(session, row, "tables")
        session.add(row)
    return name


def get(store: Store, name: str) -> Table | None:
    """Return the table of a name; None where it is unknown, or not kept any more."""
    query = select(UploadRow).where(UploadRow.hash == room.hashed(name), ~_late())
    with store.session() as session:
        row = session.scalar(query)
        if row is None:
            return None
        values = np.frombuffer(row.content, "<f4").astype("f4").reshape(-1, row.width)
        rows, columns = tuple(row.names["rows"]), tuple(row.names["columns"])
    return Table(torch.from_numpy(values), rows, columns)


def tidy(store: Store) -> None:
    """Drop what has been kept for long enough."""
    with store.session() as session:
        session.execute(delete(UploadRow).where(_late()))


def _late() -> ColumnElement[bool]:
    return UploadRow.created < now() - room.KEPT
