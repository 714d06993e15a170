"""Rooms of a class, who sits in them, what is asked, and what is answered."""

import sqlalchemy as sa
from alembic import op

revision = "rooms"
down_revision = "uploads are packed"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "room",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("code", sa.String(6), nullable=False, unique=True),
        sa.Column("salt", sa.String(64), nullable=False),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("once", sa.String(64), nullable=False),
        sa.Column("once_until", sa.Float, nullable=False),
        sa.Column("rev", sa.Integer, nullable=False),
        sa.Column("mode", sa.String(8), nullable=False),
        sa.Column("lesson", sa.String(64), nullable=False),
        sa.Column("screen", sa.JSON, nullable=False),
        sa.Column("pose", sa.JSON, nullable=False),
        sa.Column("locked", sa.Boolean, nullable=False),
        sa.Column("poll_id", sa.Integer),
        sa.Column("numbers", sa.Integer, nullable=False),
        sa.Column("reached", sa.Boolean, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("used", sa.Float, nullable=False, index=True),
        sa.Column("ended", sa.Float),
    )
    op.create_table(
        "seat",
        sa.Column("room_id", sa.String(32), _part_of("room"), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("lost", sa.Float, nullable=False),
        sa.Column("following", sa.Boolean, nullable=False),
        sa.Column("pretend", sa.Boolean, nullable=False),
        sa.UniqueConstraint("room_id", "number"),
    )
    op.create_table(
        "poll",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("room_id", sa.String(32), _part_of("room"), nullable=False, index=True),
        sa.Column("lesson", sa.String(64), nullable=False),
        sa.Column("screen", sa.JSON, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("labels", sa.JSON, nullable=False),
        sa.Column("right", sa.Integer),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("phase", sa.String(8), nullable=False),
        sa.Column("closed", sa.Float),
    )
    op.create_table(
        "answer",
        sa.Column("poll_id", sa.Integer, _part_of("poll"), primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
    )


def _part_of(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")


def downgrade() -> None:
    """Take the tables away."""
    for table in ("answer", "poll", "seat", "room"):
        op.drop_table(table)
