"""A teacher's own task on a figure, what a setting may hold, and until when a wall was watched."""

import sqlalchemy as sa
from alembic import op

revision = "tasks"
down_revision = "rooms"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("room", sa.Column("task", sa.String(140), nullable=False, server_default=""))
    op.add_column("room", sa.Column("watched", sa.Float, nullable=False, server_default="0"))
    op.add_column("poll", sa.Column("controls", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    """Take the columns away."""
    for table, column in (("room", "task"), ("room", "watched"), ("poll", "controls")):
        op.drop_column(table, column)
