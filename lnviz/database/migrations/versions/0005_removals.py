"""Migration that adds how often the presenter of a room has removed answers."""

import sqlalchemy as sa
from alembic import op

revision = "0005_removals"
down_revision = "0004_plan"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("room", sa.Column("removals", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("room", "removals")
