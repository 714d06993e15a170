"""SQLAlchemy models of the database tables; the migrations create the tables.

Every database has all tables. With SQLite, classroom rooms are in a separate file.
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

ACTIVE = text("owner <> '' AND state IN ('queued', 'running', 'paused')")
"""Jobs of clients that have not ended: each client has one at most."""


def now() -> datetime:
    """Return the current time in UTC, the time zone of all columns."""
    return datetime.now(UTC)


def _parent(table: str) -> ForeignKey:
    """Return a foreign key column; a row is deleted together with the row that it refers to."""
    return ForeignKey(f"{table}.id", ondelete="CASCADE")


class Base(DeclarativeBase):
    """Base class of all table models, which maps Python types to column types."""

    type_annotation_map = {dict[str, Any]: JSON, datetime: DateTime(timezone=True)}  # noqa: RUF012


class JobRow(Base):
    """One row of the table of training jobs; columns are described in `lnviz.training.job`.

    `slice_start_s` is the value of `train_seconds` when the current worker claimed the job.
    `crashes` is the number of successive workers that died without making progress.
    """

    __tablename__ = "job"
    __table_args__ = (
        Index(
            *("one_active_job_per_owner", "owner"),
            unique=True,
            sqlite_where=ACTIVE,
            postgresql_where=ACTIVE,
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    network: Mapped[str] = mapped_column(String(64), default="")
    specification: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(16), index=True)
    detail: Mapped[str] = mapped_column(default="")
    steps: Mapped[int]
    done: Mapped[int] = mapped_column(default=0)
    train_seconds: Mapped[float] = mapped_column(default=0.0)
    slice_start_s: Mapped[float] = mapped_column(default=0.0)
    steps_per_s: Mapped[float] = mapped_column(default=0.0)
    worker: Mapped[str] = mapped_column(String(80), default="")
    heartbeat_at: Mapped[datetime] = mapped_column(default=now)
    crashes: Mapped[int] = mapped_column(default=0)
    environment: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class MetricsRow(Base):
    """One row of the table of metrics: all runs of a run group at one training step."""

    __tablename__ = "metrics"
    __table_args__ = (UniqueConstraint("job_id", "norm", "batch_size", "step"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[str] = mapped_column(_parent("job"), index=True)
    norm: Mapped[str] = mapped_column(String(24))
    batch_size: Mapped[int]
    step: Mapped[int]
    seconds: Mapped[float]
    values: Mapped[dict[str, Any]]


class TestResultRow(Base):
    """One row of the table of test results: loss and error of all runs of a run group."""

    __tablename__ = "test_result"
    __table_args__ = (UniqueConstraint("job_id", "norm", "batch_size"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[str] = mapped_column(_parent("job"), index=True)
    norm: Mapped[str] = mapped_column(String(24))
    batch_size: Mapped[int]
    values: Mapped[dict[str, Any]]


class CheckpointRow(Base):
    """One row of the table of checkpoints: the latest one of a run group (by index in the job)."""

    __tablename__ = "checkpoint"

    job_id: Mapped[str] = mapped_column(_parent("job"), primary_key=True)
    group: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[bytes] = mapped_column(LargeBinary)


class UsageRow(Base):
    """One row of the table of usage: seconds of training for an owner or network in a time slot."""

    __tablename__ = "usage"

    client: Mapped[str] = mapped_column(String(80), primary_key=True)
    slot: Mapped[int] = mapped_column(primary_key=True)
    seconds: Mapped[float]


class UploadRow(Base):
    """One row of the table of uploads: hash of the name, category, and compressed size in bytes."""

    __tablename__ = "upload"
    __table_args__ = (Index("ix_upload_kind_size", "kind", "size"),)

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    size: Mapped[int]


class BlobRow(Base):
    """One row of the table of upload contents, separate from `UploadRow` to keep scans fast."""

    __tablename__ = "blob"

    key: Mapped[str] = mapped_column(ForeignKey("upload.key", ondelete="CASCADE"), primary_key=True)
    compressed: Mapped[bytes] = mapped_column(LargeBinary)


class UploadOwnerRow(Base):
    """One row of the table of upload owners; content that several clients own is stored once."""

    __tablename__ = "upload_owner"

    key: Mapped[str] = mapped_column(ForeignKey("upload.key"), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)
    network: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class SigningKeyRow(Base):
    """One row of the table of signing keys; the key with the largest number signs new ids."""

    __tablename__ = "signing_key"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[str] = mapped_column(String(64))


class RoomRow(Base):
    """One row of the table of classroom rooms; `lnviz.rooms.state.Room` describes its state.

    Times are in seconds since 1970. `opener_key` is the hash of the key of the browser that opened
    the room, and `remotes` are the other presenters, as in `state.Remote`. `remote_token_hash` is
    the hash of the one-time token for a remote control, and "" after its use. `network` is a hash
    of the network from which the room was opened. `salt` is for hashing participants' ids and
    networks, so that they cannot be linked after the room is deleted. `last_seat_number` is the
    number of the newest seat. `joined_remotely` is whether a participant or a remote has come by a
    URL that other machines can use. `watched` is when a projector or remote was last connected, to
    the minute, and `projected` when a projector was. `blocked` are hashes of networks from which
    nobody new may join. `removals` counts how often the presenter has removed answers whose seats
    stay. `card` is whether the projector shows how to join.
    """

    __tablename__ = "room"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    code: Mapped[str] = mapped_column(String(6), unique=True)
    salt: Mapped[str] = mapped_column(String(64))
    network: Mapped[str] = mapped_column(String(64), default="")
    opener_key: Mapped[str] = mapped_column(String(64))
    remotes: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    remote_token_hash: Mapped[str] = mapped_column(String(64), default="")
    remote_token_expires: Mapped[float] = mapped_column(default=0.0)
    rev: Mapped[int] = mapped_column(default=0)
    mode: Mapped[str] = mapped_column(String(8))
    lesson: Mapped[str] = mapped_column(String(64))
    screen: Mapped[Any] = mapped_column(JSON)
    pose: Mapped[dict[str, Any]]
    task: Mapped[str] = mapped_column(String(140), default="")
    counted: Mapped[Any] = mapped_column(JSON, default=())
    plan: Mapped[str] = mapped_column(String(80), default="")
    slide: Mapped[str] = mapped_column(String(40), default="")
    slides: Mapped[Any] = mapped_column(JSON, default=())
    locked: Mapped[bool]
    blocked: Mapped[list[str]] = mapped_column(JSON, default=list)
    removals: Mapped[int] = mapped_column(default=0)
    questions_open: Mapped[bool] = mapped_column(default=False)
    featured_id: Mapped[int | None]
    card: Mapped[bool] = mapped_column(default=False)
    poll_id: Mapped[int | None]
    last_seat_number: Mapped[int] = mapped_column(default=0)
    joined_remotely: Mapped[bool] = mapped_column(default=False)
    created: Mapped[float]
    used: Mapped[float] = mapped_column(index=True)
    watched: Mapped[float] = mapped_column(default=0.0)
    projected: Mapped[float] = mapped_column(default=0.0)
    ended: Mapped[float | None]


class SeatRow(Base):
    """One row of the table of room participants, by a salted hash of the client id.

    `network` is a salted hash of the client's network. `connected` is whether the participant has
    ever asked for the room's state after joining, as a phone does at once.
    """

    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("room_id", "number"),)

    room_id: Mapped[str] = mapped_column(_parent("room"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int]
    network: Mapped[str] = mapped_column(String(64), default="")
    connected: Mapped[bool] = mapped_column(default=False)
    seen: Mapped[float]
    lost: Mapped[float] = mapped_column(default=0.0)
    following: Mapped[bool] = mapped_column(default=True)
    simulated: Mapped[bool] = mapped_column(default=False)


class PollRow(Base):
    """One row of the table of polls: a question asked in a room.

    `text` and `options` are those of a question of the presenter's own, and empty otherwise.
    `slide` is where in a plan it was asked, and `pose` the state of the screen's figure then.
    `task` is the presenter's task for the screen. `deadline` is when the round closes by itself.
    """

    __tablename__ = "poll"

    id: Mapped[int] = mapped_column(primary_key=True)
    room_id: Mapped[str] = mapped_column(_parent("room"), index=True)
    lesson: Mapped[str] = mapped_column(String(64))
    screen: Mapped[Any] = mapped_column(JSON)
    slide: Mapped[str] = mapped_column(String(40), default="")
    pose: Mapped[dict[str, Any]] = mapped_column(default=dict)
    kind: Mapped[str] = mapped_column(String(8))
    labels: Mapped[list[str]] = mapped_column(JSON)
    right: Mapped[int | None]
    controls: Mapped[dict[str, Any]]
    text: Mapped[str] = mapped_column(String(200), default="")
    options: Mapped[list[str]] = mapped_column(JSON, default=list)
    task: Mapped[str] = mapped_column(String(140), default="")
    round: Mapped[int]
    phase: Mapped[str] = mapped_column(String(8))
    closed: Mapped[float | None]
    deadline: Mapped[float | None]


class AnswerRow(Base):
    """One row of the table of answers: a participant's latest vote in a round of a poll.

    `attempt` is the client's number of the vote; a vote with a later attempt replaces the row.
    """

    __tablename__ = "answer"

    poll_id: Mapped[int] = mapped_column(_parent("poll"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    attempt: Mapped[int]


class ParticipantQuestionRow(Base):
    """One row of the table of questions that participants have asked, without their names.

    `hidden` is whether the presenter has hidden the question from the class.
    """

    __tablename__ = "participant_question"

    id: Mapped[int] = mapped_column(primary_key=True)
    room_id: Mapped[str] = mapped_column(_parent("room"), index=True)
    seat: Mapped[int]
    text: Mapped[str] = mapped_column(String(140))
    hidden: Mapped[bool] = mapped_column(default=False)


class SecondRow(Base):
    """One row of the table of seconds: a seat that also wants a participant's question answered."""

    __tablename__ = "second"

    question_id: Mapped[int] = mapped_column(_parent("participant_question"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
