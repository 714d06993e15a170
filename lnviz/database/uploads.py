"""What visitors bring, kept for a while within bounds: every process of a server finds it here."""

from __future__ import annotations

import hashlib
import math
import secrets
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, Select, delete, func, select
from sqlalchemy.orm import Session

from lnviz.database.connection import Database, in_turn
from lnviz.database.models import ContentRow, HolderRow, UploadRow, now
from lnviz.usage import UsageByClient

KEPT = timedelta(days=7)
MOST_BYTES = 2**31  # of each kind
SPARE = 64
"""Of the room there is, one part in so many is made at a time: who holds most is asked seldom."""


@dataclass(frozen=True)
class Kind:
    """Uploads that share their bounds.

    Attributes:
        plural: what they are called in a sentence.
        most: how many of a visitor are kept.
        most_bytes: how large those of a visitor may be together, as they are kept.
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

RUNS = Kind("runs", 4, 16 * 2**20, secret=True)
"""What was seen of visitors' models; a run of a thousand calls has about a megabyte."""


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

    Where there is no room, the oldest go of whoever holds most: of the address that does, and there
    of the visitor. A file that several hold counts for each of them in part.

    Args:
        database: where it is kept.
        kind: says its bounds and how it is named.
        content: what the visitor has brought.
        owner: the visitor; empty for the command line, whose uploads are all kept.
        address: from where it comes.
        needed: names of uploads that stay in any case.

    Returns:
        A name to get it by, which is safe in an address of the web. The database has its hash
        alone.

    Raises:
        NoRoom: what stays in any case fills the room that there is.
    """
    name = secrets.token_urlsafe(32) if kind.secret else hashlib.sha256(content).hexdigest()
    key, packed = _hashed(name), zlib.compress(content, 1)
    stay = [_hashed(each) for each in needed]
    with database.session() as session:
        in_turn(session)
        _drop_late(session, (kind,), stay)
        if owner:
            _make_way(session, kind, owner, len(packed), stay)
        if session.get(UploadRow, key) is None:
            if owner:
                _make_room(session, kind, len(packed), stay)
            session.add(UploadRow(key=key, kind=kind.plural, size=len(packed)))
            session.flush()  # others refer to it
            session.add(ContentRow(key=key, packed=packed))
        session.merge(HolderRow(key=key, owner=owner, address=address, created=now()))
    return name


def get(database: Database, kind: Kind, name: str) -> bytes | None:
    """Return the content of an upload; None where it is not kept, or not any more.

    Args:
        database: where it is kept.
        kind: the kind that it was kept as. What was read as one kind says nothing of how large
            it is as another, and who has brought a file knows its name.
        name: the name that it was given.
    """
    query = (
        select(ContentRow.packed)
        .join(UploadRow, UploadRow.key == ContentRow.key)
        .where(UploadRow.key == _hashed(name), UploadRow.kind == kind.plural)
    )
    with database.session() as session:
        packed = session.scalar(query)
    return None if packed is None else zlib.decompress(packed)


def tidy(database: Database, needed: Collection[str] = ()) -> None:
    """Drop what has been kept for long enough.

    Args:
        database: where it is kept.
        needed: names of uploads that stay in any case.
    """
    with database.session() as session:
        in_turn(session)
        _drop_late(session, (FILES, TABLES, RUNS), [_hashed(each) for each in needed])


def _drop_late(session: Session, kinds: Collection[Kind], stay: Collection[str]) -> None:
    late = _held(kinds, stay).where(HolderRow.created < now() - KEPT)
    _drop(session, session.execute(late).all())


def _make_way(session: Session, kind: Kind, owner: str, size: int, stay: Collection[str]) -> None:
    """Drop the oldest uploads of a visitor until another one of this size is within bounds."""
    own = _held((kind,), stay).where(HolderRow.owner == owner).order_by(HolderRow.created.desc())
    count, gone = 1, []
    for row in session.execute(own):
        count, size = count + 1, size + row.size
        if count > kind.most or size > kind.most_bytes:
            gone.append(row)
    _drop(session, gone)


def _make_room(session: Session, kind: Kind, size: int, stay: Collection[str]) -> None:
    """Drop the oldest uploads of whoever holds most until there is room for this size."""
    kept = select(func.coalesce(func.sum(UploadRow.size), 0)).where(UploadRow.kind == kind.plural)
    if session.scalars(kept).one() + size <= MOST_BYTES:
        return
    goal = size + MOST_BYTES // SPARE
    gone = list(_of_largest(session.execute(_held((kind,), stay)).all(), goal))
    _drop(session, gone)
    if session.scalars(kept).one() + size > MOST_BYTES:
        raise NoRoom(
            f"The server keeps as many {kind.plural} as it may, each for {KEPT.days} days. "
            "Send a smaller one, or try again when the oldest are gone."
        )


def _of_largest(rows: Sequence[Row[Any]], goal: int) -> Iterator[Row[Any]]:
    """Uploads to drop until so many bytes are free, each the oldest of whoever holds most then."""
    holders = Counter(row.key for row in rows)
    shares = {row.key: math.ceil(row.size / holders[row.key]) for row in rows}
    held = UsageByClient((row.address, row.owner, shares[row.key]) for row in rows)
    theirs: defaultdict[tuple[str, str], list[Row[Any]]] = defaultdict(list)  # the oldest last
    for row in sorted(rows, key=lambda row: row.created, reverse=True):
        theirs[row.address, row.owner].append(row)
    while goal > 0 and (most := held.heaviest()):
        row = theirs[most].pop()
        held.add(*most, -shares[row.key])
        goal -= shares[row.key]
        yield row


def _held(kinds: Collection[Kind], stay: Collection[str]) -> Select[*tuple[Any, ...]]:
    """What visitors hold, but not what stays in any case."""
    return (
        select(HolderRow.key, HolderRow.owner, HolderRow.address, HolderRow.created, UploadRow.size)
        .join(UploadRow, UploadRow.key == HolderRow.key)
        .where(UploadRow.kind.in_(kind.plural for kind in kinds))
        .where(HolderRow.owner != "", HolderRow.key.not_in(stay))
    )


def _drop(session: Session, rows: Iterable[Row[Any]]) -> None:
    """Let holders go, and what nobody holds any more."""
    for row in rows:
        session.execute(
            delete(HolderRow).where(HolderRow.key == row.key, HolderRow.owner == row.owner)
        )
        held = select(HolderRow.key).where(HolderRow.key == row.key)
        session.execute(delete(UploadRow).where(UploadRow.key == row.key, ~held.exists()))


def _hashed(text: str) -> str:
    """Return what is kept of a name."""
    return hashlib.sha256(text.encode()).hexdigest()
