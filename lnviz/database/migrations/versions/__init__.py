"""Migrations, each with its revision."""
