"""Alembic environment, which runs the migrations on the connection in its configuration."""

from alembic import context

from lnviz.database.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
