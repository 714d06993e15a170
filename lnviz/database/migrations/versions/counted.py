"""How the wall of a room counts its screens."""

import sqlalchemy as sa
from alembic import op

revision = "counted"
down_revision = "tasks"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("room", sa.Column("counted", sa.JSON, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Take the column away."""
    op.drop_column("room", "counted")
