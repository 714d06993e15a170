"""Who works on a job, and a checkpoint for each of its groups; files that visitors bring."""

import sqlalchemy as sa
from alembic import op

revision = "second"
down_revision = "first"
branch_labels = None
depends_on = None

LONG_AGO = "1970-01-01 00:00:00.000000"
UNFINISHED = sa.text("owner <> '' AND state IN ('queued', 'running', 'paused')")


def upgrade() -> None:
    """Change the tables; jobs that were under way wait for somebody to go on with them.

    The table of jobs is not copied, as Alembic's batches do: SQLite would drop all points with it.
    """
    added = (
        sa.Column("trained", sa.Float, nullable=False, server_default="0"),
        sa.Column("turn_from", sa.Float, nullable=False, server_default="0"),
        sa.Column("pace", sa.Float, nullable=False, server_default="0"),
        sa.Column("worker", sa.String(80), nullable=False, server_default=""),
        sa.Column("beat", sa.DateTime(timezone=True), nullable=False, server_default=LONG_AGO),
        sa.Column("ends", sa.Integer, nullable=False, server_default="0"),
    )
    for column in added:
        op.add_column("job", column)
    op.execute(
        "UPDATE job SET owner = '', state = 'paused' WHERE state IN ('queued', 'running', 'paused')"
    )
    op.create_index(
        *("one_unfinished", "job", ["owner"]),
        unique=True,
        sqlite_where=UNFINISHED,
        postgresql_where=UNFINISHED,
    )
    op.rename_table("checkpoint", "old_checkpoint")
    op.create_table("checkpoint", *_checkpoint(), sa.PrimaryKeyConstraint("job_id", "group"))
    # An empty one stood between two groups.
    op.execute(
        'INSERT INTO checkpoint (job_id, "group", state) '
        'SELECT job_id, "group", state FROM old_checkpoint WHERE length(state) > 0'
    )
    op.drop_table("old_checkpoint")
    op.create_table(
        "served",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True),
        sa.Column("seconds", sa.Float, nullable=False),
    )
    op.create_table(
        "file",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Change them back; of each job the checkpoint of its first group in training stays."""
    op.drop_table("file")
    op.drop_table("served")
    op.rename_table("checkpoint", "new_checkpoint")
    op.create_table("checkpoint", *_checkpoint(), sa.PrimaryKeyConstraint("job_id"))
    op.execute(
        'INSERT INTO checkpoint (job_id, "group", state) SELECT job_id, "group", state '
        'FROM new_checkpoint AS each WHERE "group" = (SELECT min("group") FROM new_checkpoint '
        "AS other WHERE other.job_id = each.job_id)"
    )
    op.drop_table("new_checkpoint")
    op.drop_index("one_unfinished", "job")
    for name in ("trained", "turn_from", "pace", "worker", "beat", "ends"):
        op.drop_column("job", name)


def _checkpoint() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column(
            "job_id",
            sa.String(32),
            sa.ForeignKey("job.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("group", sa.Integer, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
