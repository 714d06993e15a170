"""What visitors bring, kept for a while within bounds: every process of a server finds it here."""

from __future__ import annotations

import hashlib
import math
import secrets
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, delete, func, select
from sqlalchemy.orm import Session

from lnviz.database.connection import Database, advisory_lock
from lnviz.database.models import BlobRow, UploadOwnerRow, UploadRow, now
from lnviz.database.retention import UPLOAD_RETENTION
from lnviz.usage import eviction_order

MAX_BYTES = 2**31  # of each kind
EVICTION_FRACTION = 64
"""Of the room there is, one part in so many is made at a time: who holds most is asked seldom."""


@dataclass(frozen=True)
class UploadKind:
    """Uploads that share their bounds.

    Attributes:
        plural: what they are called in a sentence.
        most: how many of a visitor are kept.
        most_bytes: how large those of a visitor may be together, as they are kept.
        secret: whether an upload has a name that cannot be guessed; else it is named by the
            SHA-256 of its content, so that the same file of a whole class is kept once.
    """

    plural: str
    max_count: int
    max_bytes: int
    unguessable: bool


FILES = UploadKind("files", 1, MAX_BYTES, unguessable=False)
"""Files that trainings learn from."""

TABLES = UploadKind("tables", 16, 16 * 2**20, unguessable=True)
"""Tables that figures show; the largest has 4 MB, and names besides."""

RUNS = UploadKind("runs", 4, 16 * 2**20, unguessable=True)
"""What was seen of visitors' models; a run of a thousand calls has about a megabyte."""


class QuotaExceeded(RuntimeError):
    """There is no room for another upload.

    Its answer names no time to try again: room comes in days, and a page that is told to wait
    would ask again every minute, in vain, instead of giving up.
    """


def put(
    database: Database,
    kind: UploadKind,
    content: bytes,
    owner: str,
    network: str = "",
    referenced: Collection[str] = (),
) -> str:
    """Keep an upload; the oldest of the same visitor go where they are too many or too large.

    Where there is no room, the oldest go of whoever holds most: of the address that does, and there
    of the visitor. A file that several hold counts for each of them in part.

    Args:
        database: where it is kept.
        kind: says its bounds and how it is named.
        content: what the visitor has brought.
        owner: the visitor; empty for the command line, whose uploads are all kept.
        network: from where it comes.
        referenced: names of uploads that stay in any case.

    Returns:
        A name to get it by, which is safe in an address of the web. The database has its hash
        alone.

    Raises:
        QuotaExceeded: what stays in any case fills the room that there is.
    """
    name = secrets.token_urlsafe(32) if kind.unguessable else hashlib.sha256(content).hexdigest()
    key, packed = _sha256(name), zlib.compress(content, 1)
    stay = [_sha256(each) for each in referenced]
    with database.session() as session:
        advisory_lock(session)
        _drop_expired(session, (kind,), stay)
        if owner:
            _enforce_client_quota(session, kind, owner, len(packed), stay)
        if session.get(UploadRow, key) is None:
            if owner:
                _enforce_global_quota(session, kind, len(packed), stay)
            session.add(UploadRow(key=key, kind=kind.plural, size=len(packed)))
            session.flush()  # others refer to it
            session.add(BlobRow(key=key, compressed=packed))
        session.merge(UploadOwnerRow(key=key, owner=owner, network=network, created_at=now()))
    return name


def get(database: Database, kind: UploadKind, name: str) -> bytes | None:
    """Return the content of an upload; None where it is not kept, or not any more.

    Args:
        database: where it is kept.
        kind: the kind that it was kept as. What was read as one kind says nothing of how large
            it is as another, and who has brought a file knows its name.
        name: the name that it was given.
    """
    query = (
        select(BlobRow.compressed)
        .join(UploadRow, UploadRow.key == BlobRow.key)
        .where(UploadRow.key == _sha256(name), UploadRow.kind == kind.plural)
    )
    with database.session() as session:
        packed = session.scalar(query)
    return None if packed is None else zlib.decompress(packed)


def purge_expired(database: Database, referenced: Collection[str] = ()) -> None:
    """Drop what has been kept for long enough.

    Args:
        database: where it is kept.
        referenced: names of uploads that stay in any case.
    """
    with database.session() as session:
        advisory_lock(session)
        _drop_expired(session, (FILES, TABLES, RUNS), [_sha256(each) for each in referenced])


def _drop_expired(session: Session, kinds: Collection[UploadKind], stay: Collection[str]) -> None:
    late = _owned_uploads(kinds, stay).where(UploadOwnerRow.created_at < now() - UPLOAD_RETENTION)
    _drop(session, session.execute(late).all())


def _enforce_client_quota(
    session: Session, kind: UploadKind, owner: str, size: int, stay: Collection[str]
) -> None:
    """Drop the oldest uploads of a visitor until another one of this size is within bounds."""
    own = (
        _owned_uploads((kind,), stay)
        .where(UploadOwnerRow.owner == owner)
        .order_by(UploadOwnerRow.created_at.desc())
    )
    count, gone = 1, []
    for row in session.execute(own):
        count, size = count + 1, size + row.size
        if count > kind.max_count or size > kind.max_bytes:
            gone.append(row)
    _drop(session, gone)


def _enforce_global_quota(
    session: Session, kind: UploadKind, size: int, stay: Collection[str]
) -> None:
    """Drop the oldest uploads of whoever holds most until there is room for this size."""
    kept = select(func.coalesce(func.sum(UploadRow.size), 0)).where(UploadRow.kind == kind.plural)
    if session.scalars(kept).one() + size <= MAX_BYTES:
        return
    goal = size + MAX_BYTES // EVICTION_FRACTION
    gone = list(_evict_heaviest(session.execute(_owned_uploads((kind,), stay)).all(), goal))
    _drop(session, gone)
    if session.scalars(kept).one() + size > MAX_BYTES:
        raise QuotaExceeded(
            f"The server keeps as many {kind.plural} as it may, each for {UPLOAD_RETENTION.days} "
            "days. Send a smaller one, or try again when the oldest are gone."
        )


def _evict_heaviest(rows: Sequence[Row[Any]], goal: int) -> Iterator[Row[Any]]:
    """Uploads to drop until so many bytes are free, each the oldest of whoever holds most then."""
    holders = Counter(row.key for row in rows)
    shares = {row.key: math.ceil(row.size / holders[row.key]) for row in rows}
    oldest_first = sorted(rows, key=lambda row: row.created_at)
    for row in eviction_order(
        oldest_first, lambda row: (row.network, row.owner), lambda row: shares[row.key]
    ):
        if goal <= 0:
            return
        goal -= shares[row.key]
        yield row


def _owned_uploads(
    kinds: Collection[UploadKind], stay: Collection[str]
) -> Select[*tuple[Any, ...]]:
    """What visitors hold, but not what stays in any case."""
    return (
        select(
            UploadOwnerRow.key,
            UploadOwnerRow.owner,
            UploadOwnerRow.network,
            UploadOwnerRow.created_at,
            UploadRow.size,
        )
        .join(UploadRow, UploadRow.key == UploadOwnerRow.key)
        .where(UploadRow.kind.in_(kind.plural for kind in kinds))
        .where(UploadOwnerRow.owner != "", UploadOwnerRow.key.not_in(stay))
    )


def _drop(session: Session, rows: Iterable[Row[Any]]) -> None:
    """Let holders go, and what nobody holds any more."""
    for row in rows:
        session.execute(
            delete(UploadOwnerRow).where(
                UploadOwnerRow.key == row.key, UploadOwnerRow.owner == row.owner
            )
        )
        held = select(UploadOwnerRow.key).where(UploadOwnerRow.key == row.key)
        session.execute(delete(UploadRow).where(UploadRow.key == row.key, ~held.exists()))


def _sha256(text: str) -> str:
    """Return what is kept of a name."""
    return hashlib.sha256(text.encode()).hexdigest()
