"""Migration that adds the state of the figure on a screen at which a question was asked."""

import sqlalchemy as sa
from alembic import op

revision = "0007_poll_pose"
down_revision = "0006_card"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("poll", sa.Column("pose", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("poll", "pose")
