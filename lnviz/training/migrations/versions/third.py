"""Tables that visitors bring for figures."""

import sqlalchemy as sa
from alembic import op

revision = "third"
down_revision = "second"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of tables."""
    op.create_table(
        "upload",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("address", sa.String(64), nullable=False, index=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("upload")
