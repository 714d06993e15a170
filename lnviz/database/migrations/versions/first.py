"""Jobs, what was measured of them, what visitors bring, and what signs their names."""

import sqlalchemy as sa
from alembic import op

revision = "uploads are packed"
down_revision = None
branch_labels = None
depends_on = None

UNFINISHED = sa.text("owner <> '' AND state IN ('queued', 'running', 'paused')")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "job",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("specification", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("detail", sa.String, nullable=False),
        sa.Column("steps", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("trained", sa.Float, nullable=False),
        sa.Column("turn_from", sa.Float, nullable=False),
        sa.Column("pace", sa.Float, nullable=False),
        sa.Column("worker", sa.String(80), nullable=False),
        sa.Column("beat", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends", sa.Integer, nullable=False),
        sa.Column("made_with", sa.JSON, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index(
        *("one_unfinished", "job", ["owner"]),
        unique=True,
        sqlite_where=UNFINISHED,
        postgresql_where=UNFINISHED,
    )
    op.create_table(
        "point",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("job_id", sa.String(32), _job(), nullable=False, index=True),
        sa.Column("norm", sa.String(24), nullable=False),
        sa.Column("batch_size", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("measured", sa.JSON, nullable=False),
        sa.UniqueConstraint("job_id", "norm", "batch_size", "step"),
    )
    op.create_table(
        "outcome",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("job_id", sa.String(32), _job(), nullable=False, index=True),
        sa.Column("norm", sa.String(24), nullable=False),
        sa.Column("batch_size", sa.Integer, nullable=False),
        sa.Column("tested", sa.JSON, nullable=False),
        sa.UniqueConstraint("job_id", "norm", "batch_size"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("job_id", sa.String(32), _job(), primary_key=True),
        sa.Column("group", sa.Integer, primary_key=True),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "served",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True),
        sa.Column("seconds", sa.Float, nullable=False),
    )
    op.create_table(
        "upload",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Index("ix_upload_room", "kind", "size"),
    )
    op.create_table(
        "content",
        sa.Column(
            "key", sa.String(64), sa.ForeignKey("upload.key", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "holder",
        sa.Column("key", sa.String(64), sa.ForeignKey("upload.key"), primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True, index=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "secret",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("secret", sa.String(64), nullable=False),
    )


def _job() -> sa.ForeignKey:
    return sa.ForeignKey("job.id", ondelete="CASCADE")


def downgrade() -> None:
    """Take the tables away."""
    for table in (
        "secret",
        "holder",
        "content",
        "upload",
        "served",
        "checkpoint",
        "outcome",
        "point",
        "job",
    ):
        op.drop_table(table)
