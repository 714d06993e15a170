"""Migration that creates the tables of classroom rooms again.

Rooms of an older version, which are deleted after days in any case, are dropped.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002_rooms"
down_revision = "0001_initial"
branch_labels = None
depends_on = None

TABLES = ("second", "participant_question", "answer", "seat", "poll", "room")


def upgrade() -> None:
    """Create the tables."""
    downgrade()
    op.create_table(
        "room",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("opener_key", sa.String(length=64), nullable=False),
        sa.Column("remotes", sa.JSON(), nullable=False),
        sa.Column("remote_token_hash", sa.String(length=64), nullable=False),
        sa.Column("remote_token_expires", sa.Double(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("mode", sa.String(length=8), nullable=False),
        sa.Column("lesson", sa.String(length=64), nullable=False),
        sa.Column("screen", sa.JSON(), nullable=False),
        sa.Column("pose", sa.JSON(), nullable=False),
        sa.Column("task", sa.String(length=140), nullable=False),
        sa.Column("counted", sa.JSON(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("blocked", sa.JSON(), nullable=False),
        sa.Column("questions_open", sa.Boolean(), nullable=False),
        sa.Column("featured_id", sa.Integer(), nullable=True),
        sa.Column("poll_id", sa.Integer(), nullable=True),
        sa.Column("last_seat_number", sa.Integer(), nullable=False),
        sa.Column("joined_remotely", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.Column("watched", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
    )
    op.create_index(op.f("ix_room_used"), "room", ["used"], unique=False)
    op.create_table(
        "poll",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("lesson", sa.String(length=64), nullable=False),
        sa.Column("screen", sa.JSON(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=True),
        sa.Column("controls", sa.JSON(), nullable=False),
        sa.Column("text", sa.String(length=200), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("task", sa.String(length=140), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=8), nullable=False),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.Column("deadline", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_poll_room_id"), "poll", ["room_id"], unique=False)
    op.create_table(
        "seat",
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("connected", sa.Boolean(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("lost", sa.Double(), nullable=False),
        sa.Column("following", sa.Boolean(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("room_id", "key"),
        sa.UniqueConstraint("room_id", "number"),
    )
    op.create_table(
        "answer",
        sa.Column("poll_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["poll_id"], ["poll.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("poll_id", "round", "seat"),
    )
    op.create_table(
        "participant_question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=140), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        op.f("ix_participant_question_room_id"), "participant_question", ["room_id"], unique=False
    )
    op.create_table(
        "second",
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["participant_question.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("question_id", "seat"),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in TABLES:
        op.drop_table(table, if_exists=True)
