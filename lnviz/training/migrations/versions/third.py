"""Tables that visitors bring for figures; a file once, however many have brought it."""

import sqlalchemy as sa
from alembic import op

revision = "third"
down_revision = "second"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of tables, and part files from who has them."""
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
    op.rename_table("file", "old_file")
    op.create_table(
        "file",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False, index=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="one_file"),
    )
    op.create_table(
        "holder",
        sa.Column("hash", sa.String(64), sa.ForeignKey("file.hash"), primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    # Of each file one row, whoever brought it.
    op.execute(
        "INSERT INTO file (hash, address, size, content) SELECT hash, "
        "CASE owner WHEN '' THEN '' ELSE 'unknown' END, length(content), content "
        "FROM old_file AS each "
        "WHERE owner = (SELECT min(owner) FROM old_file AS other WHERE other.hash = each.hash)"
    )
    op.execute(
        "INSERT INTO holder (hash, owner, created) SELECT hash, owner, created FROM old_file"
    )
    op.drop_table("old_file")


def downgrade() -> None:
    """Change them back."""
    op.rename_table("file", "new_file")
    op.create_table(
        "file",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", "owner", name="file_and_owner"),
    )
    op.execute(
        "INSERT INTO file (hash, owner, content, created) SELECT new_file.hash, owner, content, "
        "created FROM new_file JOIN holder ON holder.hash = new_file.hash"
    )
    op.drop_table("holder")
    op.drop_table("new_file")
    op.drop_table("upload")
