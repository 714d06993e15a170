"""What visitors bring, kept for a while within bounds: every process of a server finds it here."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from lnviz.database.connection import Database, in_turn
from lnviz.database.rows import HolderRow, UploadRow, now

KEPT = timedelta(days=7)
ROOM_BYTES = 2**30  # from one address, of each kind
MOST_BYTES = 2 * ROOM_BYTES


@dataclass(frozen=True)
class Kind:
    """Uploads that share their bounds.

    Attributes:
        plural: what they are called in a sentence.
        most: how many of a visitor are kept.
        most_bytes: how large those of a visitor may be together.
        secret: whether an upload has a name that cannot be guessed; else it is named by the
            SHA-256 of its content, so that the same file of a whole class is kept once.
    """

    plural: str
    most: int
    most_bytes: int
    secret: bool


FILES = Kind("files", 1, MOST_BYTES, secret=False)
"""Files that trainings learn from."""

TABLES = Kind("tables", 16, 16 * 2**20, secret=True)
"""Tables that figures show; the largest has 4 MB, and names besides."""


class NoRoom(RuntimeError):
    """There is no room for another upload.

    Its answer names no time to try again: room comes in days, and a page that is told to wait
    would ask again every minute, in vain, instead of giving up.
    """


def put(
    database: Database,
    kind: Kind,
    content: bytes,
    owner: str,
    address: str = "",
    needed: Collection[str] = (),
) -> str:
    """Keep an upload; the oldest of the same visitor go where they are too many or too large.

    Args:
        database: where it is kept.
        kind: says its bounds and how it is named.
        content: what the visitor has brought.
        owner: the visitor; empty for the command line, whose uploads are all kept.
        address: from where it comes. A visitor's name can be made up, an address hardly: from one
            of them comes half of all at most.
        needed: names of uploads that stay in any case.

    Returns:
        A name to get it by, which is safe in an address of the web. The database has its hash
        alone.

    Raises:
        NoRoom: others have filled the room that there is, or that this address has.
    """
    name = secrets.token_urlsafe(32) if kind.secret else hashlib.sha256(content).hexdigest()
    key = _hashed(name)
    with database.session() as session:
        in_turn(session)
        _drop_late(session, (kind,), needed)
        if owner:
            _make_way(session, kind, owner, len(content), needed)
        if session.scalar(select(UploadRow.key).where(UploadRow.key == key)) is None:
            where = _hashed(address) if owner else ""
            if owner:
                _check_room(session, kind, len(content), where)
            session.add(
                UploadRow(
                    key=key, kind=kind.plural, address=where, size=len(content), content=content
                )
            )
            session.flush()  # a holder refers to it
        session.merge(HolderRow(key=key, owner=owner, created=now()))
    return name


def get(database: Database, kind: Kind, name: str) -> bytes | None:
    """Return the content of an upload; None where it is not kept, or not any more.

    Args:
        database: where it is kept.
        kind: the kind that it was kept as. What was read as one kind says nothing of how large
            it is as another, and who has brought a file knows its name.
        name: the name that it was given.
    """
    query = select(UploadRow.content).where(
        UploadRow.key == _hashed(name), UploadRow.kind == kind.plural
    )
    with database.session() as session:
        return session.scalar(query)


def tidy(database: Database, needed: Collection[str] = ()) -> None:
    """Drop what has been kept for long enough.

    Args:
        database: where it is kept.
        needed: names of uploads that stay in any case.
    """
    with database.session() as session:
        in_turn(session)
        _drop_late(session, (FILES, TABLES), needed)


def _drop_late(session: Session, kinds: Collection[Kind], needed: Collection[str]) -> None:
    late = HolderRow.created < now() - KEPT
    stays = HolderRow.key.in_(map(_hashed, needed))
    known = select(UploadRow.key).where(UploadRow.kind.in_(kind.plural for kind in kinds))
    of_kind = HolderRow.key.in_(known)
    session.execute(delete(HolderRow).where(HolderRow.owner != "", of_kind, late, ~stays))
    _drop_unheld(session)


def _make_way(session: Session, kind: Kind, owner: str, size: int, needed: Collection[str]) -> None:
    """Drop the oldest uploads of a visitor until another one of this size is within bounds."""
    own = (
        select(UploadRow.key, UploadRow.size)
        .join(HolderRow, HolderRow.key == UploadRow.key)
        .where(HolderRow.owner == owner, UploadRow.kind == kind.plural)
        .where(UploadRow.key.not_in(map(_hashed, needed)))
        .order_by(HolderRow.created.desc())
    )
    count, gone = 1, []
    for row in session.execute(own):
        count, size = count + 1, size + row.size
        if count > kind.most or size > kind.most_bytes:
            gone.append(row.key)
    session.execute(delete(HolderRow).where(HolderRow.owner == owner, HolderRow.key.in_(gone)))
    _drop_unheld(session)


def _drop_unheld(session: Session) -> None:
    session.execute(delete(UploadRow).where(UploadRow.key.not_in(select(HolderRow.key))))


def _check_room(session: Session, kind: Kind, size: int, address: str) -> None:
    """Check whether there is room for an upload that is not kept yet.

    Raises:
        NoRoom: others have filled the room that there is, or that this address has.
    """
    kept = (
        select(func.coalesce(func.sum(UploadRow.size), 0))
        .where(UploadRow.kind == kind.plural)
        .where(UploadRow.address != "")
    )
    here = kept.where(UploadRow.address == address)
    for most, query, whose in (
        (ROOM_BYTES, here, "from your address"),
        (MOST_BYTES, kept, "for its visitors"),
    ):
        if session.scalars(query).one() + size > most:
            raise NoRoom(
                f"The server keeps as many {kind.plural} {whose} as it may, each for {KEPT.days} "
                "days. Send a smaller one, or try again when the oldest are gone."
            )


def _hashed(text: str) -> str:
    """Return what is kept of a name or an address."""
    return hashlib.sha256(text.encode()).hexdigest()
