"""Alembic migrations, one module for each revision of the tables."""
