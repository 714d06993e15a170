"""Initial Alembic migration, which creates all tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None

ACTIVE = sa.text("owner <> '' AND state IN ('queued', 'running', 'paused')")


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "job",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("specification", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("train_seconds", sa.Double(), nullable=False),
        sa.Column("slice_start_s", sa.Double(), nullable=False),
        sa.Column("steps_per_s", sa.Double(), nullable=False),
        sa.Column("worker", sa.String(length=80), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("crashes", sa.Integer(), nullable=False),
        sa.Column("environment", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_job_owner"), "job", ["owner"], unique=False)
    op.create_index(op.f("ix_job_state"), "job", ["state"], unique=False)
    op.create_index(
        "one_active_job_per_owner",
        "job",
        ["owner"],
        unique=True,
        sqlite_where=ACTIVE,
        postgresql_where=ACTIVE,
    )
    op.create_table(
        "room",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("remote_token_hash", sa.String(length=64), nullable=False),
        sa.Column("remote_token_expires", sa.Double(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("mode", sa.String(length=8), nullable=False),
        sa.Column("lesson", sa.String(length=64), nullable=False),
        sa.Column("screen", sa.JSON(), nullable=False),
        sa.Column("pose", sa.JSON(), nullable=False),
        sa.Column("task", sa.String(length=140), nullable=False),
        sa.Column("counted", sa.JSON(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("poll_id", sa.Integer(), nullable=True),
        sa.Column("last_seat_number", sa.Integer(), nullable=False),
        sa.Column("joined_remotely", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.Column("watched", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
    )
    op.create_index(op.f("ix_room_used"), "room", ["used"], unique=False)
    op.create_table(
        "signing_key",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "upload",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_upload_kind_size", "upload", ["kind", "size"], unique=False)
    op.create_table(
        "usage",
        sa.Column("client", sa.String(length=80), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("client", "slot"),
    )
    op.create_table(
        "blob",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["key"], ["upload.key"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("group", sa.Integer(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "group"),
    )
    op.create_table(
        "metrics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("norm", sa.String(length=24), nullable=False),
        sa.Column("batch_size", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("job_id", "norm", "batch_size", "step"),
    )
    op.create_index(op.f("ix_metrics_job_id"), "metrics", ["job_id"], unique=False)
    op.create_table(
        "poll",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("lesson", sa.String(length=64), nullable=False),
        sa.Column("screen", sa.JSON(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=True),
        sa.Column("controls", sa.JSON(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=8), nullable=False),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_poll_room_id"), "poll", ["room_id"], unique=False)
    op.create_table(
        "seat",
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("lost", sa.Double(), nullable=False),
        sa.Column("following", sa.Boolean(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("room_id", "key"),
        sa.UniqueConstraint("room_id", "number"),
    )
    op.create_table(
        "test_result",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("norm", sa.String(length=24), nullable=False),
        sa.Column("batch_size", sa.Integer(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("job_id", "norm", "batch_size"),
    )
    op.create_index(op.f("ix_test_result_job_id"), "test_result", ["job_id"], unique=False)
    op.create_table(
        "upload_owner",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["key"],
            ["upload.key"],
        ),
        sa.PrimaryKeyConstraint("key", "owner"),
    )
    op.create_index(
        op.f("ix_upload_owner_created_at"), "upload_owner", ["created_at"], unique=False
    )
    op.create_index(op.f("ix_upload_owner_owner"), "upload_owner", ["owner"], unique=False)
    op.create_table(
        "answer",
        sa.Column("poll_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["poll_id"], ["poll.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("poll_id", "round", "seat"),
    )


def downgrade() -> None:
    """Drop all tables."""
    op.drop_table("answer")
    op.drop_index(op.f("ix_upload_owner_owner"), table_name="upload_owner")
    op.drop_index(op.f("ix_upload_owner_created_at"), table_name="upload_owner")
    op.drop_table("upload_owner")
    op.drop_index(op.f("ix_test_result_job_id"), table_name="test_result")
    op.drop_table("test_result")
    op.drop_table("seat")
    op.drop_index(op.f("ix_poll_room_id"), table_name="poll")
    op.drop_table("poll")
    op.drop_index(op.f("ix_metrics_job_id"), table_name="metrics")
    op.drop_table("metrics")
    op.drop_table("checkpoint")
    op.drop_table("blob")
    op.drop_table("usage")
    op.drop_index("ix_upload_kind_size", table_name="upload")
    op.drop_table("upload")
    op.drop_table("signing_key")
    op.drop_index(op.f("ix_room_used"), table_name="room")
    op.drop_table("room")
    op.drop_index(
        "one_active_job_per_owner", table_name="job", sqlite_where=ACTIVE, postgresql_where=ACTIVE
    )
    op.drop_index(op.f("ix_job_state"), table_name="job")
    op.drop_index(op.f("ix_job_owner"), table_name="job")
    op.drop_table("job")
