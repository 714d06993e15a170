"""Alembic migrations of the tables in `lnviz.database.models`."""
