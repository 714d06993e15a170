"""The databases that these tests use."""

from tests.databases import file, postgres, store, url

__all__ = ["file", "postgres", "store", "url"]
