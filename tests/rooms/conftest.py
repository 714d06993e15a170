"""What these tests use: databases, and asyncio."""

import pytest

from tests.databases import file, postgres, url

__all__ = ["file", "postgres", "url"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
