"""Initial Alembic migration, which creates all tables but those of rooms."""

import sqlalchemy as sa
from alembic import op

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None

ACTIVE = sa.text("owner <> '' AND state IN ('queued', 'running', 'paused')")


def upgrade() -> None:
    """Create the tables."""
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


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index(op.f("ix_upload_owner_owner"), table_name="upload_owner")
    op.drop_index(op.f("ix_upload_owner_created_at"), table_name="upload_owner")
    op.drop_table("upload_owner")
    op.drop_index(op.f("ix_test_result_job_id"), table_name="test_result")
    op.drop_table("test_result")
    op.drop_index(op.f("ix_metrics_job_id"), table_name="metrics")
    op.drop_table("metrics")
    op.drop_table("checkpoint")
    op.drop_table("blob")
    op.drop_table("usage")
    op.drop_index("ix_upload_kind_size", table_name="upload")
    op.drop_table("upload")
    op.drop_table("signing_key")
    op.drop_index(
        "one_active_job_per_owner", table_name="job", sqlite_where=ACTIVE, postgresql_where=ACTIVE
    )
    op.drop_index(op.f("ix_job_state"), table_name="job")
    op.drop_index(op.f("ix_job_owner"), table_name="job")
    op.drop_table("job")
