"""Jobs, what was measured, and where each stands."""

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "job",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("specification", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("detail", sa.String, nullable=False),
        sa.Column("steps", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("made_with", sa.JSON, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "point",
        sa.Column("id", sa.Integer, primary_key=True),
        _job(),
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
        _job(),
        sa.Column("norm", sa.String(24), nullable=False),
        sa.Column("batch_size", sa.Integer, nullable=False),
        sa.Column("tested", sa.JSON, nullable=False),
        sa.UniqueConstraint("job_id", "norm", "batch_size"),
    )
    op.create_table(
        "checkpoint",
        sa.Column(
            "job_id",
            sa.String(32),
            sa.ForeignKey("job.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("group", sa.Integer, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )


def _job() -> sa.Column[str]:
    key = sa.ForeignKey("job.id", ondelete="CASCADE")
    return sa.Column("job_id", sa.String(32), key, nullable=False, index=True)


def downgrade() -> None:
    """Take the tables away."""
    for table in ("checkpoint", "outcome", "point", "job"):
        op.drop_table(table)
