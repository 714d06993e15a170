"""Migration that adds whether the projector of a room shows how to join."""

import sqlalchemy as sa
from alembic import op

revision = "0006_card"
down_revision = "0005_removals"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("room", sa.Column("card", sa.Boolean(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("room", "card")
