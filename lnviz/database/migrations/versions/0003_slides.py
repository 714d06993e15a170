"""Migration that adds where in the projector's plan a room is, and where a question was asked."""

import sqlalchemy as sa
from alembic import op

revision = "0003_slides"
down_revision = "0002_rooms"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    for table in ("room", "poll"):
        slide = sa.Column("slide", sa.String(length=40), nullable=False, server_default="")
        op.add_column(table, slide)
    op.add_column("room", sa.Column("slides", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("room", "slides")
    for table in ("room", "poll"):
        op.drop_column(table, "slide")
