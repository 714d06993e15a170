"""The databases that these tests use."""

from tests.databases import database, file, postgres, runs, url

__all__ = ["database", "file", "postgres", "runs", "url"]
