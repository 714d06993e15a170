"""Clients' uploaded files: stored compressed, for a limited time and within quotas."""

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

MAX_BYTES = 2**31
"""Quota of all uploads of a kind together."""
EVICTION_FRACTION = 64
"""An eviction frees one part in so many of the quota, so that it is seldom needed."""


@dataclass(frozen=True)
class UploadKind:
    """A category of uploads, such as tables, with each client's quota.

    Attributes:
        plural: its name in sentences, in the plural.
        max_count: maximum number of a client's uploads.
        max_bytes: maximum total size of a client's uploads, compressed, in bytes.
        unguessable: whether an upload gets a random name. Otherwise, its name is the SHA-256 of its
            content, and a file that several clients upload is stored once.
    """

    plural: str
    max_count: int
    max_bytes: int
    unguessable: bool


FILES = UploadKind("files", 1, MAX_BYTES, unguessable=False)
"""Data sets for training."""

TABLES = UploadKind("tables", 16, 16 * 2**20, unguessable=True)
"""Tables for figures; the largest has 4 MB, and labels."""

RUNS = UploadKind("runs", 4, 16 * 2**20, unguessable=True)
"""Records of watched models; one of a thousand calls has about a megabyte."""


class QuotaExceeded(RuntimeError):
    """Error: there is no space left for another upload.

    The HTTP response has no `Retry-After`, since uploads expire only after days, and pages would
    retry every minute instead of giving up.
    """


def put_upload(
    database: Database,
    kind: UploadKind,
    content: bytes,
    owner: str,
    network: str = "",
    referenced: Collection[str] = (),
) -> str:
    """Store a client's upload; evict other uploads if a quota is exceeded.

    If the client's quota is exceeded, the client's oldest uploads are deleted. If the global quota
    is exceeded, the oldest uploads of the heaviest client, in the heaviest network, are deleted.
    The size of an upload is divided among its owners.

    Args:
        database: the database.
        kind: the category of the upload.
        content: the content of the upload.
        owner: the client; empty for the command line, whose uploads are not limited.
        network: the client's network.
        referenced: names of uploads that must not be deleted.

    Returns:
        The upload's name, which is safe in a URL. The database stores only a hash of the name.

    Raises:
        QuotaExceeded: uploads that must not be deleted take all of the space.
    """
    name = secrets.token_urlsafe(32) if kind.unguessable else hashlib.sha256(content).hexdigest()
    key, compressed = _sha256(name), zlib.compress(content, 1)
    protected = [_sha256(each) for each in referenced]
    with database.session() as session:
        advisory_lock(session)
        _delete_expired(session, (kind,), protected)
        if owner:
            _enforce_client_quota(session, kind, owner, len(compressed), protected)
        if session.get(UploadRow, key) is None:
            if owner:
                _enforce_global_quota(session, kind, len(compressed), protected)
            session.add(UploadRow(key=key, kind=kind.plural, size=len(compressed)))
            session.flush()  # the other rows refer to it
            session.add(BlobRow(key=key, compressed=compressed))
        session.merge(UploadOwnerRow(key=key, owner=owner, network=network, created_at=now()))
    return name


def get_upload(database: Database, kind: UploadKind, name: str) -> bytes | None:
    """Return the content of an upload; None if it does not exist or has been deleted.

    Args:
        database: the database.
        kind: the category of the upload, since content that is valid in one category may be too
            large in another.
        name: the name of the upload.
    """
    query = (
        select(BlobRow.compressed)
        .join(UploadRow, UploadRow.key == BlobRow.key)
        .where(UploadRow.key == _sha256(name), UploadRow.kind == kind.plural)
    )
    with database.session() as session:
        compressed = session.scalar(query)
    return None if compressed is None else zlib.decompress(compressed)


def purge_expired(database: Database, referenced: Collection[str] = ()) -> None:
    """Delete uploads whose retention time has passed.

    Args:
        database: the database.
        referenced: names of uploads that must not be deleted.
    """
    with database.session() as session:
        advisory_lock(session)
        _delete_expired(session, (FILES, TABLES, RUNS), [_sha256(each) for each in referenced])


def _delete_expired(
    session: Session, kinds: Collection[UploadKind], protected: Collection[str]
) -> None:
    expired = UploadOwnerRow.created_at < now() - UPLOAD_RETENTION
    _delete(session, session.execute(_owned_uploads(kinds, protected).where(expired)).all())


def _enforce_client_quota(
    session: Session, kind: UploadKind, owner: str, size: int, protected: Collection[str]
) -> None:
    """Delete a client's oldest uploads until another `size` bytes fit in the quota."""
    newest_first = (
        _owned_uploads((kind,), protected)
        .where(UploadOwnerRow.owner == owner)
        .order_by(UploadOwnerRow.created_at.desc())
    )
    count, evicted = 1, []
    for row in session.execute(newest_first):
        count, size = count + 1, size + row.size
        if count > kind.max_count or size > kind.max_bytes:
            evicted.append(row)
    _delete(session, evicted)


def _enforce_global_quota(
    session: Session, kind: UploadKind, size: int, protected: Collection[str]
) -> None:
    """Delete the heaviest clients' oldest uploads until another `size` bytes fit."""
    total = select(func.coalesce(func.sum(UploadRow.size), 0)).where(UploadRow.kind == kind.plural)
    if session.scalars(total).one() + size <= MAX_BYTES:
        return
    goal = size + MAX_BYTES // EVICTION_FRACTION
    rows = session.execute(_owned_uploads((kind,), protected)).all()
    _delete(session, list(_evict_heaviest(rows, goal)))
    if session.scalars(total).one() + size > MAX_BYTES:
        raise QuotaExceeded(
            f"The server's space for {kind.plural} is full. They are kept for "
            f"{UPLOAD_RETENTION.days} days: try again later, or send a smaller one."
        )


def _evict_heaviest(rows: Sequence[Row[Any]], goal: int) -> Iterator[Row[Any]]:
    """Yield the uploads whose deletion frees `goal` bytes."""
    owners = Counter(row.key for row in rows)
    sizes = {row.key: math.ceil(row.size / owners[row.key]) for row in rows}
    oldest_first = sorted(rows, key=lambda row: row.created_at)
    for row in eviction_order(
        oldest_first, lambda row: (row.network, row.owner), lambda row: sizes[row.key]
    ):
        if goal <= 0:
            return
        goal -= sizes[row.key]
        yield row


def _owned_uploads(
    kinds: Collection[UploadKind], protected: Collection[str]
) -> Select[*tuple[Any, ...]]:
    """Return an SQL query for clients' uploads of the given kinds, except protected uploads."""
    columns = (
        *(UploadOwnerRow.key, UploadOwnerRow.owner, UploadOwnerRow.network),
        *(UploadOwnerRow.created_at, UploadRow.size),
    )
    return (
        select(*columns)
        .join(UploadRow, UploadRow.key == UploadOwnerRow.key)
        .where(UploadRow.kind.in_(kind.plural for kind in kinds))
        .where(UploadOwnerRow.owner != "", UploadOwnerRow.key.not_in(protected))
    )


def _delete(session: Session, rows: Iterable[Row[Any]]) -> None:
    """Delete ownerships of uploads; an upload is deleted with its last ownership."""
    for row in rows:
        is_row = (UploadOwnerRow.key == row.key, UploadOwnerRow.owner == row.owner)
        session.execute(delete(UploadOwnerRow).where(*is_row))
        owners = select(UploadOwnerRow.key).where(UploadOwnerRow.key == row.key)
        session.execute(delete(UploadRow).where(UploadRow.key == row.key, ~owners.exists()))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
