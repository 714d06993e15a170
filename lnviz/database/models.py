"""The rows that a server keeps; `migrations` makes the tables that they stand in.

Every database has all tables. In SQLite what rooms keep stands in a file of its own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

UNFINISHED = text("owner <> '' AND state IN ('queued', 'running', 'paused')")
"""Jobs of which a visitor has one at most."""


def now() -> datetime:
    """Return the time in the zone in which times are kept."""
    return datetime.now(UTC)


def _part_of(table: str) -> ForeignKey:
    """Go with the row that this one is a part of."""
    return ForeignKey(f"{table}.id", ondelete="CASCADE")


class Base(DeclarativeBase):
    """Says which types of Python stand for which of the database."""

    type_annotation_map = {dict[str, Any]: JSON, datetime: DateTime(timezone=True)}  # noqa: RUF012


class JobRow(Base):
    """A specification that is being run, or has been."""

    __tablename__ = "job"
    __table_args__ = (
        Index(
            *("one_unfinished", "owner"),
            unique=True,
            sqlite_where=UNFINISHED,
            postgresql_where=UNFINISHED,
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    address: Mapped[str] = mapped_column(String(64), default="")
    specification: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(16), index=True)
    detail: Mapped[str] = mapped_column(default="")
    steps: Mapped[int]
    done: Mapped[int] = mapped_column(default=0)
    trained: Mapped[float] = mapped_column(default=0.0)
    turn_from: Mapped[float] = mapped_column(default=0.0)
    pace: Mapped[float] = mapped_column(default=0.0)
    worker: Mapped[str] = mapped_column(String(80), default="")
    beat: Mapped[datetime] = mapped_column(default=now)
    ends: Mapped[int] = mapped_column(default=0)
    made_with: Mapped[dict[str, Any]]
    created: Mapped[datetime] = mapped_column(default=now)
    changed: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class MetricsRow(Base):
    """What was measured of all runs of a group at one step; lists have an entry for each run."""

    __tablename__ = "point"
    __table_args__ = (UniqueConstraint("job_id", "norm", "batch_size", "step"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[str] = mapped_column(_part_of("job"), index=True)
    norm: Mapped[str] = mapped_column(String(24))
    batch_size: Mapped[int]
    step: Mapped[int]
    seconds: Mapped[float]
    measured: Mapped[dict[str, Any]]


class TestResultRow(Base):
    """How the runs of a group fared with the test part; lists have an entry for each run."""

    __tablename__ = "outcome"
    __table_args__ = (UniqueConstraint("job_id", "norm", "batch_size"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[str] = mapped_column(_part_of("job"), index=True)
    norm: Mapped[str] = mapped_column(String(24))
    batch_size: Mapped[int]
    tested: Mapped[dict[str, Any]]


class CheckpointRow(Base):
    """Where a group in training stands, by its number within the job."""

    __tablename__ = "checkpoint"

    job_id: Mapped[str] = mapped_column(_part_of("job"), primary_key=True)
    group: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[bytes] = mapped_column(LargeBinary)


class UsageRow(Base):
    """Seconds that the jobs of an owner, or of an address, were worked on, by slots of time."""

    __tablename__ = "served"

    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True)
    seconds: Mapped[float]


class UploadRow(Base):
    """Something that visitors have brought, by the hash of its name; its size as it is kept."""

    __tablename__ = "upload"
    __table_args__ = (Index("ix_upload_room", "kind", "size"),)

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    size: Mapped[int]


class BlobRow(Base):
    """What an upload holds, compressed; apart, since to look past it is to read all of it."""

    __tablename__ = "content"

    key: Mapped[str] = mapped_column(ForeignKey("upload.key", ondelete="CASCADE"), primary_key=True)
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class UploadOwnerRow(Base):
    """Who has brought an upload, from where and when: it is kept once, however many have it."""

    __tablename__ = "holder"

    key: Mapped[str] = mapped_column(ForeignKey("upload.key"), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)
    address: Mapped[str] = mapped_column(String(64))
    created: Mapped[datetime] = mapped_column(default=now, index=True)


class SigningKeyRow(Base):
    """A secret with which visitors' names are signed; the one of the largest number signs."""

    __tablename__ = "secret"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[str] = mapped_column(String(64))


class RoomRow(Base):
    """A room of a class. Times are seconds since 1970; of keys and links the hash is kept alone.

    The names of those who sit in it are hashed with a salt that goes with the room.
    """

    __tablename__ = "room"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    code: Mapped[str] = mapped_column(String(6), unique=True)
    salt: Mapped[str] = mapped_column(String(64))
    keys: Mapped[list[str]] = mapped_column(JSON)
    once: Mapped[str] = mapped_column(String(64), default="")
    once_until: Mapped[float] = mapped_column(default=0.0)
    rev: Mapped[int] = mapped_column(default=0)
    mode: Mapped[str] = mapped_column(String(8))
    lesson: Mapped[str] = mapped_column(String(64))
    screen: Mapped[Any] = mapped_column(JSON)
    pose: Mapped[dict[str, Any]]
    task: Mapped[str] = mapped_column(String(140), default="")
    counted: Mapped[Any] = mapped_column(JSON, default=())
    locked: Mapped[bool]
    poll_id: Mapped[int | None]
    numbers: Mapped[int] = mapped_column(default=0)
    reached: Mapped[bool] = mapped_column(default=False)
    created: Mapped[float]
    used: Mapped[float] = mapped_column(index=True)
    watched: Mapped[float] = mapped_column(default=0.0)
    ended: Mapped[float | None]


class SeatRow(Base):
    """Somebody in a room, by the hash of their name; pretend students have a made-up one."""

    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("room_id", "number"),)

    room_id: Mapped[str] = mapped_column(_part_of("room"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int]
    seen: Mapped[float]
    lost: Mapped[float] = mapped_column(default=0.0)
    following: Mapped[bool] = mapped_column(default=True)
    pretend: Mapped[bool] = mapped_column(default=False)


class PollRow(Base):
    """A question that was asked in a room."""

    __tablename__ = "poll"

    id: Mapped[int] = mapped_column(primary_key=True)
    room_id: Mapped[str] = mapped_column(_part_of("room"), index=True)
    lesson: Mapped[str] = mapped_column(String(64))
    screen: Mapped[Any] = mapped_column(JSON)
    kind: Mapped[str] = mapped_column(String(8))
    labels: Mapped[list[str]] = mapped_column(JSON)
    right: Mapped[int | None]
    controls: Mapped[dict[str, Any]]
    round: Mapped[int]
    phase: Mapped[str] = mapped_column(String(8))
    closed: Mapped[float | None]


class AnswerRow(Base):
    """The answer of a seat in a round: of all attempts the one with the highest number."""

    __tablename__ = "answer"

    poll_id: Mapped[int] = mapped_column(_part_of("poll"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    n: Mapped[int]
