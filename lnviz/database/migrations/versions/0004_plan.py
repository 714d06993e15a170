"""Migration that adds the plan that a room's projector shows."""

import sqlalchemy as sa
from alembic import op

revision = "0004_plan"
down_revision = "0003_slides"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    plan = sa.Column("plan", sa.String(length=80), nullable=False, server_default="")
    op.add_column("room", plan)


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("room", "plan")
