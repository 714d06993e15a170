"""Alembic migrations of the tables declared in `lnviz.database.models`."""
