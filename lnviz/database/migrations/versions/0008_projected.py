"""Migration that adds when a projector was last connected to a room."""

import sqlalchemy as sa
from alembic import op

revision = "0008_projected"
down_revision = "0007_poll_pose"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("room", sa.Column("projected", sa.Double(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("room", "projected")
